// Rows of the `result` view. What many measurements share is read once each, and what the view computes is computed
// here: a row of the view itself takes twice as long. A test compares the two.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiler/record/clock.hpp"
#include "profiler/statistics/convergence.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/row_fault.hpp"
#include "profiler/store/sample_summary.hpp"
#include "profiler/store/store_rows.hpp"
#include "profiler/store/store_tables.hpp"

namespace triscope {
namespace {

// The paper's kernels are measured through Python and are in no catalog: recordings hold their id as their label.
constexpr const char* kPaperKernel = "paper.triton";

using namespace tables;

/// Rows of a table that others refer to, by their row id; each is read once.
template <typename Row, typename Columns>
class Shared {
 public:
  Shared(SQLite::Database& database, const Table<Columns>& table, const char* name)
      : columns_(table.columns),
        name_(name),
        query_(database, "SELECT " + select_list(table.columns) + " FROM " + std::string(table.name) + " WHERE id = ?"),
        reader_(query_) {}

  /// Null, and why in `fault` unless that says something already, where it is not there or cannot be used.
  const Row* find(std::int64_t id, std::string& fault) {
    const auto [place, is_new] = known_.try_emplace(id);
    Known& known = place->second;
    if (is_new) read(id, known);
    if (known.fault.empty()) return &known.row;
    if (fault.empty()) fault = known.fault;
    return nullptr;
  }

 private:
  struct Known {
    Row row;
    std::string fault;
  };
  void read(std::int64_t id, Known& known) {
    Binder(query_) << id;
    reader_.next_row();
    try {
      if (query_.executeStep())
        read_row(reader_, columns_, known.row);
      else
        known.fault = fmt::format("its {} is missing", name_);
    } catch (const UnusableRow& unusable) {
      known.fault = unusable.what();
    }
  }

  const Columns& columns_;
  const char* name_;
  SQLite::Statement query_;
  RowReader reader_;
  std::unordered_map<std::int64_t, Known> known_;
};

struct KernelPart {
  std::string name, source_hash;
};
constexpr Table kKernelParts{"kernel", column("name", &KernelPart::name),
                             column("source_hash", &KernelPart::source_hash)};

struct EnvironmentPart {
  std::string device_id;
  std::optional<double> power_limit_w, max_sm_clock_mhz, peak_tflops;
};
constexpr Table kEnvironmentParts{"environment", column("device_id", &EnvironmentPart::device_id),
                                  column("power_limit_w", &EnvironmentPart::power_limit_w),
                                  column("max_sm_clock_mhz", &EnvironmentPart::max_sm_clock_mhz),
                                  column("peak_tflops", &EnvironmentPart::peak_tflops)};

/// One value. Of a device only that name is read which its rows have: another that cannot be used costs them nothing.
template <typename Value>
struct Alone {
  Value value{};
};
constexpr Table kDeviceNames{"environment", column("device_name", &Alone<std::string>::value)};
constexpr Table kCpuModels{"environment", column("cpu_model", &Alone<std::string>::value)};
constexpr Table kSweepIds{"sweep", column("id", &Alone<std::int64_t>::value)};

/// What a measurement itself says of its row.
struct OwnPart {
  ResultRow& row;
  std::int64_t config = 0, kernel = 0, environment = 0;
  std::optional<std::int64_t> started_unix_ns;
  std::string device_id;
  std::optional<double> useful_flops, paper_flops, counted_cycles, counted_hertz;
  std::optional<std::int64_t> checked;  ///< the measurement, where it has a cross-check
  CrossCheck check;
};
constexpr auto kRowOf = [](auto& own) -> auto& { return own.row; };
// By which a row is known, also where what follows cannot be used: the kernel and the problem are found by them.
constexpr Table kWhichOnes{"measurement",
                           column(
                               "id", [](auto& own) -> auto& { return own.row.measurement; }),
                           column(
                               "sweep", [](auto& own) -> auto& { return own.row.sweep; }),
                           column("kernel", &OwnPart::kernel),
                           column("environment", &OwnPart::environment),
                           column("config", &OwnPart::config)};
constexpr Table kTheirResults{"measurement",
                              named("pass", &ResultRow::pass, parse_pass),
                              column("instance", &ResultRow::instance),
                              named("timing_source", &ResultRow::timing_source, parse_timing_source),
                              named("regime", &ResultRow::regime, parse_regime),
                              column("median_ms", &ResultRow::median_ms),
                              column("ci_low_ms", &ResultRow::ci_low_ms),
                              column("ci_high_ms", &ResultRow::ci_high_ms),
                              column("samples", &ResultRow::samples),
                              column("flagged", &ResultRow::flagged),
                              column("sm_clock_mhz", &ResultRow::sm_clock_mhz),
                              column("error", &ResultRow::error),
                              named("status", &ResultRow::status, parse_status),
                              long_line("reason", &ResultRow::reason),
                              column("restarts", &ResultRow::restarts),
                              column("power_w", &ResultRow::power_w),
                              column("limiter", &ResultRow::limiter)};
// Of a launch with hardware counters, of its own.
constexpr std::string_view kCycles = "sm__cycles_elapsed.max", kHertz = "sm__cycles_elapsed.avg.per_second";
constexpr char kCountedCycles[] =
    "(SELECT value FROM counter WHERE measurement = measurement.id AND name = (SELECT id FROM text WHERE value = "
    "'sm__cycles_elapsed.max') LIMIT 1) AS counted_cycles";
constexpr char kCountedHertz[] =
    "(SELECT value FROM counter WHERE measurement = measurement.id AND name = (SELECT id FROM text WHERE value = "
    "'sm__cycles_elapsed.avg.per_second') LIMIT 1) AS counted_hertz";
constexpr auto kCounted =
    columns(expression(kCountedCycles, &OwnPart::counted_cycles), expression(kCountedHertz, &OwnPart::counted_hertz));
constexpr Table kChecked{"cross_check", column("measurement", &OwnPart::checked)};
constexpr auto kCheckOf = [](auto& own) -> auto& { return own.check; };
constexpr auto kCheck = within(kCheckOf, kCrossChecks.columns);
constexpr Table kWhenAndWhere{"measurement", column("started_unix_ns", &OwnPart::started_unix_ns),
                              column("device_id", &OwnPart::device_id)};
constexpr auto kRest = columns(
    within(kRowOf, kTheirResults.columns),
    Table{"measurement", column("useful_flops", &OwnPart::useful_flops), column("paper_flops", &OwnPart::paper_flops)}
        .columns);

using Number = std::optional<double>;

// As in SQL: of what is not there, or divided by zero, there is nothing.
Number product(const Number& a, const Number& b) { return a && b ? Number(*a * *b) : std::nullopt; }
Number quotient(const Number& a, const Number& b) { return a && b && *b != 0 ? Number(*a / *b) : std::nullopt; }

/// Reads row after row of measurements.
class ResultReader {
 public:
  ResultReader(SQLite::Database& database, const std::string& which)
      : kernels_(database, kKernelParts, "kernel"),
        cards_(database, kCards, "kernel"),
        configs_(database, kConfigs, "problem"),
        environments_(database, kEnvironmentParts, "environment"),
        device_names_(database, kDeviceNames, "environment"),
        cpu_models_(database, kCpuModels, "environment"),
        sweeps_(database, kSweepIds, "sweep"),
        query_(database, "SELECT " +
                             select_list(columns(kWhichOnes.columns, kWhenAndWhere.columns, kRest, kCounted,
                                                 kChecked.columns, kCheck)) +
                             " FROM measurement LEFT JOIN cross_check ON cross_check.measurement = measurement.id "
                             "WHERE " +
                             which + " ORDER BY measurement.id"),
        reader_(query_) {}

  SQLite::Statement& query() { return query_; }

  /// Of the measurement that the query stands on. Throws `UnusableRow`; what was read until then is in `row`. Says
  /// which parts cannot be used and are left out; empty: none.
  std::string read(ResultRow& row) {
    reader_.next_row();
    OwnPart own{row};
    read_row(reader_, kWhichOnes.columns, own);
    std::string fault;  // of one part, which costs what the others say nothing
    if (const KernelPart* kernel = kernels_.find(own.kernel, fault))
      row.kernel = kernel->name, row.source_hash = kernel->source_hash;
    if (const KernelCard* card = cards_.find(own.kernel, fault)) row.card = *card;
    if (const Problem* problem = configs_.find(own.config, fault)) row.problem = *problem;
    const EnvironmentPart* environment = environments_.find(own.environment, fault);
    (void)sweeps_.find(row.sweep, fault);
    read_row(reader_, kWhenAndWhere.columns, own);
    if (own.started_unix_ns) row.started = utc_date(*own.started_unix_ns);
    if (environment != nullptr) row.device = device_of(own, *environment, fault);
    read_row(reader_, kRest, own);
    std::string left_out = read_counted(own);
    add_remark(left_out, read_check(own));
    if (environment != nullptr) compute(own, *environment);
    if (!fault.empty()) throw UnusableRow(fault);
    return left_out;
  }

 private:
  /// These leave out what cannot be used, and say so; empty: nothing.
  std::string read_counted(OwnPart& own) {
    std::string left_out;
    const auto read = [&](const auto& one, std::string_view name, std::optional<double>& value) {
      std::string fault;
      try {
        one.read(reader_, own);
        if (value) fault = counter_fault(name, *value);
      } catch (const UnusableRow& unusable) {
        fault = unusable.what();
      }
      if (fault.empty()) return;
      value.reset();
      add_remark(left_out, without_part("counter", fault));
    };
    read(std::get<0>(kCounted), kCycles, own.counted_cycles);
    read(std::get<1>(kCounted), kHertz, own.counted_hertz);
    return left_out;
  }
  std::string read_check(OwnPart& own) {
    std::string fault;
    try {
      read_row(reader_, kChecked.columns, own);
      if (!own.checked) return "";
      read_row(reader_, kCheck, own);
      fault = cross_check_fault(own.check);
    } catch (const UnusableRow& unusable) {
      fault = unusable.what();
    }
    if (!fault.empty()) return without_part("cross-check", fault);
    if (own.check.timing_source == TimingSource::cuda_events) own.row.events_ms = own.check.median_ms;
    return "";
  }
  std::string device_of(const OwnPart& own, const EnvironmentPart& environment, std::string& fault) {
    if (own.device_id != environment.device_id && own.device_id != "cpu") return own.device_id;
    auto& names = own.device_id == environment.device_id ? device_names_ : cpu_models_;
    const Alone<std::string>* name = names.find(own.environment, fault);
    return name != nullptr ? name->value : std::string();
  }

  static void compute(const OwnPart& own, const EnvironmentPart& environment) {
    ResultRow& row = own.row;
    const Number giga_ms = product(row.median_ms, 1e9);
    row.tflops = quotient(own.useful_flops, giga_ms);
    row.tflops_paper_count = quotient(own.paper_flops, giga_ms);
    if (row.problem.element == Element::bf16 && own.device_id == environment.device_id)
      row.peak_fraction = quotient(
          own.useful_flops,
          product(quotient(product(environment.peak_tflops, 1e6), environment.max_sm_clock_mhz), own.counted_cycles));
    row.power_limit_w = environment.power_limit_w;
    row.max_sm_clock_mhz = environment.max_sm_clock_mhz;
    row.joules = quotient(product(row.power_w, row.median_ms), 1e3);
    row.joules_per_tflop = quotient(product(product(row.power_w, row.median_ms), 1e9), own.useful_flops);
    row.counted_clock_mhz = quotient(own.counted_hertz, 1e6);
  }

  Shared<KernelPart, decltype(kKernelParts.columns)> kernels_;
  Shared<KernelCard, decltype(kCards.columns)> cards_;
  Shared<Problem, decltype(kConfigs.columns)> configs_;
  Shared<EnvironmentPart, decltype(kEnvironmentParts.columns)> environments_;
  Shared<Alone<std::string>, decltype(kDeviceNames.columns)> device_names_;
  Shared<Alone<std::string>, decltype(kCpuModels.columns)> cpu_models_;
  Shared<Alone<std::int64_t>, decltype(kSweepIds.columns)> sweeps_;
  SQLite::Statement query_;
  RowReader reader_;
};

// `give_up(row, fault)` is told of one that cannot be used.
template <typename GiveUp>
std::vector<ResultRow> result_rows(SQLite::Database& database, const std::string& which,
                                   std::optional<std::int64_t> value, GiveUp&& give_up) {
  // They are large: to grow among them costs as much as to read some.
  SQLite::Statement count(database, "SELECT count(*) FROM measurement WHERE " + which);
  Binder(count) << value;
  std::vector<ResultRow> rows;
  if (count.executeStep()) rows.reserve(static_cast<std::size_t>(count.getColumn(0).getInt64()));
  ResultReader reader(database, which);
  Binder(reader.query()) << value;
  while (reader.query().executeStep()) {
    ResultRow& row = rows.emplace_back();
    row.problem = unknown_problem();
    std::string fault, left_out;
    try {
      left_out = reader.read(row);
      row.reason = corrected_reason(std::move(row.reason));
      compute_rates(row);
      if (const std::string counts = drop_impossible_counts(row); !counts.empty())
        add_remark(left_out, without_part("counter", counts));
      fault = row_fault(row);
    } catch (const UnusableRow& unusable) {
      fault = unusable.what();
    }
    row.lacks_part = !left_out.empty();
    add_remark(row.reason, left_out);
    if (!fault.empty()) give_up(row, fault);
    if (!interval_known(row)) row.ci_low_ms = row.ci_high_ms = std::nullopt;
    if (row.card.label.empty()) row.card.label = row.card.short_label = row.kernel;
    if (row.card.label == kPaperKernel) row.card.label = "Paper's Triton", row.card.short_label = "Triton";
    if (row.card.short_label.empty()) row.card.short_label = row.kernel;
  }
  return rows;
}

// It says so.
void show_fault(ResultRow& row, const std::string& fault) { row = unusable_row(row, fault); }

template <typename GiveUp>
std::optional<ResultRow> result_row(SQLite::Database& database, std::int64_t measurement, GiveUp&& give_up) {
  std::vector<ResultRow> rows = result_rows(database, "measurement.id = ?1", measurement, give_up);
  return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

}  // namespace

std::vector<ResultRow> read_results(SQLite::Database& database, std::optional<std::int64_t> sweep) {
  // Measurement by measurement, as they lie in the file: by the index of sweeps they would have to be sorted.
  return result_rows(database, sweep ? "measurement.id IN (SELECT id FROM measurement WHERE sweep = ?1)" : "?1 IS NULL",
                     sweep, show_fault);
}

std::optional<ResultRow> read_result(SQLite::Database& database, std::int64_t measurement) {
  return result_row(database, measurement, show_fault);
}

std::optional<ResultRow> read_usable_result(SQLite::Database& database, std::int64_t measurement) {
  return result_row(database, measurement,
                    [](const ResultRow&, const std::string& fault) { throw UnusableRow(fault); });
}

}  // namespace triscope
