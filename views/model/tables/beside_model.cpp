#include "views/model/tables/beside_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "profiler/record/columns.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {
namespace {

const char* const kNotCounted = "–";

constexpr std::string_view kInstructions = "sm__inst_executed.sum";
constexpr std::string_view kWgmma = "sm__inst_executed_pipe_tensor_op_gmma.sum";
constexpr std::string_view kDramRead = "dram__bytes_read.sum";
constexpr std::string_view kPasses = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum";
constexpr std::string_view kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr std::string_view kTensorBusy = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view kIssueBusy = "smsp__issue_active.avg.pct_of_peak_sustained_active";

/// What nearly says what another one says: it stands only where that one is missing.
struct Twin {
  std::string_view name, of;
};
constexpr Twin kTwins[] = {
    {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed", kTensorBusy},
    {"sm__cycles_elapsed.max", "sm__cycles_active.avg"},
    {"gpu__time_duration.sum", "sm__cycles_active.avg"},
    {"smsp__inst_executed.avg.per_cycle_active", kIssueBusy},
};

const Counter* find(const Measurement& in, std::string_view name) {
  const auto found = std::ranges::find(in.counters, name, &Counter::name);
  return found == in.counters.end() ? nullptr : &*found;
}

bool says_again(const Measurement& in, std::string_view name) {
  return std::ranges::any_of(kTwins,
                             [&](const Twin& twin) { return twin.name == name && find(in, twin.of) != nullptr; });
}

std::optional<double> factor_of(const Measurement& a, const Measurement& b, std::string_view name) {
  const Counter *here = find(a, name), *there = find(b, name);
  if (here == nullptr || there == nullptr) return std::nullopt;
  const double factor = here->value / there->value;
  return std::isfinite(factor) && factor > 0 ? std::optional(factor) : std::nullopt;
}

/// Counts are what a kernel did; shares, cycles, clocks and durations are what came of it.
CounterRole role_of(const Counter& counter) {
  const bool count = counter.unit.empty() || counter.unit == "byte" || counter.unit == "FLOP";
  return count ? CounterRole::work : CounterRole::result;
}

BesideLine line_of(const Counter& counter) {
  BesideLine line;
  line.role = role_of(counter);
  const CounterMetric* metric = find_counter_metric(counter.name);
  line.label = metric == nullptr ? counter.name : std::string(metric->label);
  if (metric != nullptr) line.meaning = fmt::format("{}\n{}", metric->meaning, metric->name);
  line.a = line.b = kNotCounted;
  return line;
}

void set_apart(BesideLine& line, const Measurement& a, const Measurement& b, const Counter& here,
               const Counter& there) {
  constexpr double kAlike = 1.05, kAlikeShare = 0.03;
  const bool share = here.unit == "%";
  const std::optional<double> factor = factor_of(a, b, here.name);
  if (factor && !share) line.factor = fmt::format("{}×", significant_text(*factor));
  const Counter *passes_a = find(a, kPasses), *passes_b = find(b, kPasses);
  double alike = std::log(kAlike);
  if (share) {
    line.apart = std::abs(here.value - there.value) / 100;
    alike = kAlikeShare;
  } else if (here.name == kConflicts && passes_a != nullptr && passes_b != nullptr) {
    line.apart = std::abs(here.value - there.value) / std::max({1.0, passes_a->value, passes_b->value});
    alike = kAlikeShare;
  } else {
    line.apart = factor ? std::abs(std::log(*factor)) : std::numeric_limits<double>::infinity();
  }
  line.alike = line.apart < alike;
}

std::string whole_number(const std::optional<double>& value, const char* unit) {
  return value ? fmt::format("{:.0f} {}", *value, unit) : std::string();
}

/// The longest kernel of a launch: the first may only clear memory.
const LaunchRecord* longest_launch(const SelectedMeasurement& of) {
  const auto& launches = of.measurement.launches;
  if (launches.empty() || of.row.timing_source == TimingSource::cpu_clock) return nullptr;
  return &*std::ranges::max_element(launches, {}, [](const LaunchRecord& one) { return one.end_ns - one.start_ns; });
}

std::string dimensions(const std::int64_t (&d)[3]) {
  if (d[0] <= 0) return {};
  return d[1] <= 1 && d[2] <= 1 ? format_count(d[0]) : fmt::format("{} × {} × {}", d[0], d[1], d[2]);
}

struct FactText {
  const char* what;
  std::string (*text)(const SelectedMeasurement&);
};
template <std::string (*text)(const LaunchRecord&)>
std::string of_launch(const SelectedMeasurement& one) {
  const LaunchRecord* launch = longest_launch(one);
  return launch == nullptr ? std::string() : text(*launch);
}
std::string grid_text(const LaunchRecord& launch) { return dimensions(launch.grid); }
std::string block_text(const LaunchRecord& launch) { return dimensions(launch.block); }
std::string cluster_text(const LaunchRecord& launch) { return dimensions(launch.cluster); }
std::string registers_text(const LaunchRecord& launch) {
  return launch.registers_per_thread > 0 ? fmt::format("{}", launch.registers_per_thread) : std::string();
}
std::string shared_text(const LaunchRecord& launch) {
  const std::int64_t bytes = launch.static_shared_bytes + launch.dynamic_shared_bytes;
  return bytes > 0 ? format_bytes(bytes) : std::string();
}

using One = SelectedMeasurement;
const FactText kFactTexts[] = {
    {"kernel", [](const One& m) { return m.row.card.label; }},
    {"pass", [](const One& m) { return std::string(to_string(m.row.pass)); }},
    {"form", [](const One& m) { return std::string(to_string(m.row.problem.form)); }},
    {"windows", [](const One& m) { return line_label(m.row); }},
    {"tokens", [](const One& m) { return format_count(m.row.problem.seq_len); }},
    {"heads", [](const One& m) { return fmt::format("{}/{}", m.row.problem.q_heads, m.row.problem.kv_heads); }},
    {"head size", [](const One& m) { return fmt::format("{}", m.row.problem.head_dim); }},
    {"batch", [](const One& m) { return format_count(m.row.problem.batch); }},
    {"element", [](const One& m) { return std::string(to_string(m.row.problem.element)); }},
    {"deterministic", [](const One& m) { return std::string(m.row.problem.deterministic ? "yes" : "no"); }},
    {"regime", [](const One& m) { return std::string(to_string(m.row.regime)); }},
    {"device", [](const One& m) { return m.environment.device_name; }},
    {"driver", [](const One& m) { return m.environment.driver_version; }},
    {"clock", [](const One& m) { return whole_number(m.row.sm_clock_mhz, "MHz"); }},
    {"power", [](const One& m) { return whole_number(m.row.power_w, "W"); }},
    {"power limit", [](const One& m) { return whole_number(m.row.power_limit_w, "W"); }},
    {"timed by", [](const One& m) { return std::string(timing_label(m.row.timing_source)); }},
    {"sources", [](const One& m) { return m.row.source_hash; }},
    {"instance", [](const One& m) { return m.row.instance; }},
    {"grid", of_launch<grid_text>},
    {"block", of_launch<block_text>},
    {"cluster", of_launch<cluster_text>},
    {"registers", of_launch<registers_text>},
    {"shared memory", of_launch<shared_text>},
    {"Triscope", [](const One& m) { return m.environment.triscope_version + " " + m.environment.git_commit; }},
    {"compiler", [](const One& m) { return m.environment.compiler; }},
    {"CUDA", [](const One& m) { return m.environment.cuda_version; }},
    {"host", [](const One& m) { return m.environment.host; }},
};

}  // namespace

std::vector<BesideLine> beside_lines(const Measurement& a, const Measurement& b) {
  std::vector<BesideLine> lines, only_one;
  for (const Counter& counter : a.counters) {
    if (says_again(a, counter.name)) continue;
    BesideLine line = line_of(counter);
    line.a = counter_text(counter);
    const Counter* other = find(b, counter.name);
    if (other == nullptr) {
      line.only_one = true;
      only_one.push_back(std::move(line));
      continue;
    }
    if (counter.value == 0 && other->value == 0) continue;
    line.b = counter_text(*other);
    set_apart(line, a, b, counter, *other);
    lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(lines, [](const BesideLine& one, const BesideLine& two) {
    return std::pair(one.role, -one.apart) < std::pair(two.role, -two.apart);
  });
  for (const Counter& counter : b.counters) {
    if (find(a, counter.name) != nullptr || says_again(b, counter.name)) continue;
    only_one.push_back(line_of(counter));
    only_one.back().only_one = true;
    only_one.back().b = counter_text(counter);
  }
  lines.insert(lines.end(), only_one.begin(), only_one.end());
  return lines;
}

std::string beside_in_words(const Measurement& a, const Measurement& b) {
  std::string work;
  const auto add = [](std::string& text, const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [name, words] : {std::pair{kInstructions, "instructions"}, {kWgmma, "WGMMA instructions"}}) {
    const std::optional<double> factor = factor_of(a, b, name);
    if (!factor) continue;
    const bool same = std::abs(std::log(*factor)) < std::log(1.02);
    add(work, same ? fmt::format("the same {}", words) : fmt::format("{}× the {}", significant_text(*factor), words));
  }
  for (const auto& [name, words] :
       {std::pair{kDramRead, "bytes read from device memory"}, {kPasses, "passes through shared memory"}}) {
    const std::optional<double> factor = factor_of(a, b, name);
    if (factor && std::abs(std::log(*factor)) > std::log(1.2))
      add(work, fmt::format("{}× the {}", significant_text(*factor), words));
  }
  if (!work.empty()) {
    work[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(work[0])));
    work += ".";
  }
  std::string busy;
  for (const auto& [name, words] : {std::pair{kTensorBusy, "tensor cores"}, {kIssueBusy, "issue slots"}}) {
    const Counter *here = find(a, name), *there = find(b, name);
    if (here == nullptr || there == nullptr || (here->value == 0 && there->value == 0)) continue;
    add(busy, fmt::format("{} {:.0f} % busy in A and {:.0f} % in B", words, here->value, there->value));
  }
  if (!busy.empty()) busy[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(busy[0])));
  if (!busy.empty()) work += (work.empty() ? "" : " ") + busy + ".";
  return work;
}

std::vector<BesideFact> differing_facts(const SelectedMeasurement& a, const SelectedMeasurement& b) {
  std::vector<BesideFact> facts;
  for (const FactText& fact_text : kFactTexts) {
    BesideFact fact{fact_text.what, fact_text.text(a), fact_text.text(b)};
    if (fact.a != fact.b) facts.push_back(std::move(fact));
  }
  return facts;
}

TextTable figures_text(const SelectionFigures& figures) {
  TextTable table;
  for (const char* words : {"row", "kernel", "pass", "tokens", "status"}) table.add_column(words, false);
  for (const char* number : {"median ms", "low ms", "high ms", "TFLOP/s", "time / first", "low", "high"})
    table.add_column(number, true);
  table.add_column("verdict", false);
  const auto number = [](const std::optional<double>& value) { return value ? fmt::format("{:.6g}", *value) : ""; };
  for (const SelectedRow& one : figures.rows) {
    const ResultRow& row = one.row;
    std::vector<std::string> cells{line_label(row),
                                   row.card.label,
                                   std::string(to_string(row.pass)),
                                   fmt::format("{}", row.problem.seq_len),
                                   std::string(to_string(row.status)),
                                   number(row.median_ms),
                                   number(row.ci_low_ms),
                                   number(row.ci_high_ms),
                                   number(row.tflops)};
    if (one.time) {
      cells.push_back(number(one.time->ratio));
      const bool known = interval_known(*one.time);
      cells.push_back(known ? number(one.time->interval.low) : "");
      cells.push_back(known ? number(one.time->interval.high) : "");
      cells.emplace_back(to_string(one.time->verdict));
    } else {
      cells.resize(table.header.size());
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace triscope
