#include "views/model/tables/beside_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/attention/flops.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/gpu_counters.hpp"
#include "views/data/brief_label.hpp"
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
constexpr std::string_view kCycles = "sm__cycles_active.avg";
constexpr std::string_view kIssueBusy = "smsp__issue_active.avg.pct_of_peak_sustained_active";
constexpr std::string_view kDramBusy = "dram__throughput.avg.pct_of_peak_sustained_elapsed";

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

/// How busy a unit was, of the cycles of the measurement.
bool is_busy_share(std::string_view name) {
  constexpr std::string_view kBusy[] = {"sm__pipe_", "sm__inst_executed_pipe_", "smsp__issue_active",
                                        "dram__throughput"};
  return name.find(".pct_of_peak") != name.npos &&
         std::ranges::any_of(kBusy, [&](std::string_view unit) { return name.starts_with(unit); });
}

/// By what factor the busy cycles differ: one share of more cycles is more work.
std::optional<double> busy_factor(const Measurement& a, const Measurement& b, std::string_view name) {
  if (!is_busy_share(name)) return std::nullopt;
  const std::optional<double> share = factor_of(a, b, name), cycles = factor_of(a, b, kCycles);
  return share && cycles ? std::optional(*share * *cycles) : std::nullopt;
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
  constexpr double kAlike = 1.05, kAlikeShare = 0.03, kFewShare = 0.05;
  line.share = here.unit == "%";
  const std::optional<double> factor = line.share ? busy_factor(a, b, here.name) : factor_of(a, b, here.name);
  const bool busy = line.share && is_busy_share(here.name);
  if (const auto shown = line.share && !busy ? std::nullopt : factor_of(a, b, here.name))
    line.factor = fmt::format("{}×", significant_text(*shown));
  if (busy && factor) {
    line.busy_cycles = fmt::format("{}×", significant_text(*factor));
    line.meaning += "\nBusy cycles: the share times the cycles with work. One share of more cycles is more work.";
  }
  const double apart = factor ? std::abs(std::log(*factor)) : std::numeric_limits<double>::infinity();
  const Counter *passes_a = find(a, kPasses), *passes_b = find(b, kPasses);
  line.alike = apart < std::log(kAlike);
  line.apart = apart;
  if (line.share) {
    const double difference = std::abs(here.value - there.value) / 100, most = std::max(here.value, there.value) / 100;
    line.apart = factor ? std::max(difference, apart * most) : difference;
    line.alike = difference < kAlikeShare && (!factor || line.alike || most < kFewShare);
  } else if (here.name == kConflicts && passes_a != nullptr && passes_b != nullptr) {
    const double share_a = here.value / std::max(1.0, passes_a->value),
                 share_b = there.value / std::max(1.0, passes_b->value);
    line.apart = std::abs(here.value - there.value) / std::max({1.0, passes_a->value, passes_b->value});
    line.meaning += fmt::format("\nOf the passes through shared memory: A {} %, B {} %.",
                                significant_text(100 * share_a, 2), significant_text(100 * share_b, 2));
  }
}

std::string whole_number(const std::optional<double>& value, const char* unit) {
  return value ? fmt::format("{:.0f} {}", *value, unit) : std::string();
}

double duration_ms(const LaunchRecord& launch) { return static_cast<double>(launch.end_ns - launch.start_ns) * 1e-6; }

const std::vector<LaunchRecord>& launches_of(const SelectedMeasurement& one) {
  static const std::vector<LaunchRecord> kNone;
  return one.row.timing_source == TimingSource::cpu_clock ? kNone : one.measurement.launches;
}

const LaunchRecord* longest(const std::vector<LaunchRecord>& launches) {
  return launches.empty() ? nullptr : &*std::ranges::max_element(launches, {}, duration_ms);
}

/// The launch of each side whose grid, block and registers stand beside each other.
struct LaunchPair {
  const LaunchRecord *a = nullptr, *b = nullptr;
};
/// Of the kernel that both ran and that took longest of both together: the longest of A may be another kernel than the
/// longest of B. One that took little of a side, such as a memset, does not count: then the longest of each.
LaunchPair launch_pair(const std::vector<LaunchRecord>& a, const std::vector<LaunchRecord>& b) {
  constexpr double kLittle = 0.1;
  const LaunchRecord *longest_a = longest(a), *longest_b = longest(b);
  LaunchPair found{longest_a, longest_b};
  double most = -1;
  for (const LaunchRecord& one : a) {
    for (const LaunchRecord& other : b) {
      const double both = duration_ms(one) + duration_ms(other);
      if (both <= most || plain_kernel_name(one.name) != plain_kernel_name(other.name)) continue;
      if (duration_ms(one) < kLittle * duration_ms(*longest_a) ||
          duration_ms(other) < kLittle * duration_ms(*longest_b))
        continue;
      most = both;
      found = {&one, &other};
    }
  }
  return found;
}

std::string dimensions(const std::int64_t (&d)[3]) {
  if (d[0] <= 0) return {};
  return d[1] <= 1 && d[2] <= 1 ? format_count(d[0]) : fmt::format("{} × {} × {}", d[0], d[1], d[2]);
}

struct FactText {
  const char* what;
  std::string (*text)(const SelectedMeasurement&);
};
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

struct LaunchText {
  const char* what;
  std::string (*text)(const LaunchRecord&);
};
const LaunchText kLaunchTexts[] = {{"grid", grid_text},
                                   {"block", block_text},
                                   {"cluster", cluster_text},
                                   {"registers", registers_text},
                                   {"shared memory", shared_text}};

/// "GPU-66bf7b6b" of "GPU-66bf7b6b-771c-21b8-f286-b99b0675d0b1".
std::string card_text(const std::string& uuid) {
  const std::size_t end = uuid.find('-', uuid.find('-') + 1);
  return uuid.substr(0, end);
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
    {"card", [](const One& m) { return card_text(m.environment.device_uuid); }},
    {"driver", [](const One& m) { return m.environment.driver_version; }},
    {"clock, median", [](const One& m) { return whole_number(m.row.sm_clock_mhz, "MHz"); }},
    {"power, mean", [](const One& m) { return whole_number(m.row.power_w, "W"); }},
    {"power limit", [](const One& m) { return whole_number(m.row.power_limit_w, "W"); }},
    {"timed by", [](const One& m) { return std::string(timing_label(m.row.timing_source)); }},
    {"sources", [](const One& m) { return m.row.source_hash; }},
    {"instance", [](const One& m) { return m.row.instance; }},
};
const FactText kSoftwareTexts[] = {
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
    line.value_a = counter.value, line.value_b = other->value;
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

namespace {

/// A unit, and how busy it is in A and B, in percent.
struct BusyUnit {
  std::string_view words;
  double a = 0, b = 0;
};

constexpr double kHardlyBusy = 10;  ///< percent: what a unit does below it explains nothing

/// The busiest first; what is hardly at work in either is left out.
std::vector<BusyUnit> busy_units(const Measurement& a, const Measurement& b) {
  std::vector<BusyUnit> units;
  for (const auto& [name, words] :
       {std::pair{kTensorBusy, "tensor cores"}, {kIssueBusy, "issue slots"}, {kDramBusy, "device memory"}}) {
    const Counter *here = find(a, name), *there = find(b, name);
    if (here == nullptr || there == nullptr || std::max(here->value, there->value) < kHardlyBusy) continue;
    units.push_back({words, here->value, there->value});
  }
  std::ranges::stable_sort(units, std::greater(), [](const BusyUnit& one) { return std::max(one.a, one.b); });
  return units;
}

/// Bytes of a memory that is hardly busy in either explain nothing.
bool may_matter(const Measurement& a, const Measurement& b, std::string_view work) {
  const Counter *here = find(a, kDramBusy), *there = find(b, kDramBusy);
  if (work != kDramRead || here == nullptr || there == nullptr) return true;
  return std::max(here->value, there->value) >= kHardlyBusy;
}

/// " for the same useful work", as rates count it; empty where both are of one question.
std::string useful_words(const Measurement& a, const Measurement& b) {
  if (a.key.problem == b.key.problem && a.key.pass == b.key.pass) return {};
  const double useful = useful_flops(a.key.problem, a.key.pass) / useful_flops(b.key.problem, b.key.pass);
  if (!std::isfinite(useful) || useful <= 0) return {};
  return std::abs(std::log(useful)) < std::log(1.01)
             ? " for the same useful work"
             : fmt::format(" for {}× the useful work", significant_text(useful));
}

}  // namespace

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
    if (factor && std::abs(std::log(*factor)) > std::log(1.2) && may_matter(a, b, name))
      add(work, fmt::format("{}× the {}", significant_text(*factor), words));
  }
  std::string text = work.empty() ? "" : fmt::format("A does {}{}.", work, useful_words(a, b));
  const std::vector<BusyUnit> units = busy_units(a, b);
  std::string busy;
  for (std::size_t n = 0; n < std::min<std::size_t>(2, units.size()); ++n)
    busy += fmt::format("{}{}, {:.0f} % busy in A and {:.0f} % in B", n == 0 ? "Busiest: " : "; next: ", units[n].words,
                        units[n].a, units[n].b);
  if (!busy.empty()) text += (text.empty() ? "" : " ") + busy + ".";
  return text;
}

std::string plain_kernel_name(std::string_view name) {
  constexpr std::string_view kUnnamed = "(anonymous namespace)::", kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  std::string text(name);
  for (std::size_t at = text.find(kUnnamed); at != text.npos; at = text.find(kUnnamed)) text.erase(at, kUnnamed.size());
  const std::size_t arguments = std::min(text.find('('), text.size());
  text.resize(std::min(text.find('<'), arguments));
  const std::size_t space = text.rfind("::");
  return space == text.npos ? text : text.substr(space + 2);
}

namespace {

/// A side's time in each kernel of that name.
struct KernelTimes {
  std::string name;
  double a = 0, b = 0;
};

/// What has no partner of its name on the other side, together: kernels that were renamed, split or joined.
std::optional<BesideLine> other_kernels(const std::vector<KernelTimes>& kernels) {
  KernelTimes all;
  int alone = 0;
  for (const KernelTimes& one : kernels) {
    if (one.a > 0 && one.b > 0) continue;
    ++alone;
    all.a += one.a, all.b += one.b;
  }
  if (alone < 2 || !(all.a > 0) || !(all.b > 0)) return std::nullopt;
  BesideLine line;
  line.label = fmt::format("all {} that only one side has", alone);
  line.a = format_ms(all.a), line.b = format_ms(all.b);
  line.value_a = all.a, line.value_b = all.b;
  line.factor = fmt::format("{}×", significant_text(all.a / all.b));
  return line;
}

}  // namespace

std::vector<BesideLine> beside_kernels(const Measurement& a, const Measurement& b) {
  if (a.launches.size() < 2 && b.launches.size() < 2) return {};
  std::vector<KernelTimes> kernels;
  for (const auto& [one, time] : {std::pair(&a, &KernelTimes::a), std::pair(&b, &KernelTimes::b)}) {
    for (const LaunchRecord& launch : one->launches) {
      const std::string name = plain_kernel_name(launch.name);
      auto found = std::ranges::find(kernels, name, &KernelTimes::name);
      if (found == kernels.end()) found = kernels.insert(found, {name});
      (*found).*time += duration_ms(launch);
    }
  }
  std::ranges::stable_sort(kernels, std::greater(), [](const KernelTimes& one) { return std::max(one.a, one.b); });
  const auto text = [](double ms) { return ms > 0 ? format_ms(ms) : std::string(kNotCounted); };
  std::vector<BesideLine> lines;
  for (const KernelTimes& one : kernels) {
    BesideLine line;
    line.label = one.name;
    line.a = text(one.a), line.b = text(one.b);
    line.value_a = one.a, line.value_b = one.b;
    if (one.a > 0 && one.b > 0) line.factor = fmt::format("{}×", significant_text(one.a / one.b));
    lines.push_back(std::move(line));
  }
  if (std::optional<BesideLine> others = other_kernels(kernels)) lines.push_back(std::move(*others));
  return lines;
}

namespace {

constexpr double kAgree = 0.02;  ///< apart by less, two times of one kernel need no explanation

bool agree(double ms, double median_ms) { return std::abs(ms / median_ms - 1) <= kAgree; }

}  // namespace

std::string first_launch_words(const Measurement& a, const Measurement& b) {
  std::string apart;
  for (const auto& [one, letter] : {std::pair(&a, 'A'), std::pair(&b, 'B')}) {
    double ms = 0;
    for (const LaunchRecord& launch : one->launches) ms += duration_ms(launch);
    if (ms <= 0 || one->summary.median_ms <= 0 || agree(ms, one->summary.median_ms)) continue;
    apart += fmt::format("{}{} {}, its median {}", apart.empty() ? "" : "; ", letter, format_ms(ms),
                         format_ms(one->summary.median_ms));
  }
  return apart.empty() ? apart : fmt::format("Of the first launch, before the device is warm: {}.", apart);
}

std::string gap_words(const Comparison& time, const Measurement& a, const Measurement& b) {
  if (!(time.ratio > 0)) return {};
  const std::string ratio = format_fixed(time.ratio, 3);
  const char* of = time.paired ? "neighbouring turns" : "the medians";
  std::string text = time.verdict == Verdict::not_comparable
                         ? fmt::format("Time A / B by {} is {}, without a verdict.", of, ratio)
                         : fmt::format("The verdict is by {}: time A / B {}.", of, ratio);
  std::string others;
  const auto add = [&](const char* how, const std::optional<double>& value) {
    if (value && std::isfinite(*value) && *value > 0)
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", how, format_fixed(*value, 3));
  };
  add("in clock cycles", time.cycle_ratio);
  const bool events = a.cross_check && b.cross_check && a.cross_check->median_ms && b.cross_check->median_ms;
  add("by CUDA events", events ? std::optional(*a.cross_check->median_ms / *b.cross_check->median_ms) : std::nullopt);
  add("in the launch with counters", factor_of(a, b, "gpu__time_duration.sum"));
  if (!others.empty()) text += fmt::format(" Measured otherwise, which is no verdict: {}.", others);
  return text;
}

std::string counted_launch_words(const Measurement& measurement) {
  const Counter *duration = find(measurement, "gpu__time_duration.sum"),
                *clock = find(measurement, "sm__cycles_elapsed.avg.per_second");
  const double median = measurement.summary.median_ms;
  if (duration == nullptr || median <= 0 || agree(duration->value * 1e-6, median)) return {};
  return fmt::format("Counted in a launch of {}{}, with cold caches; the median is {}.",
                     format_ms(duration->value * 1e-6),
                     clock == nullptr ? "" : fmt::format(" at {:.0f} MHz", clock->value * 1e-6), format_ms(median));
}

std::vector<BesideFact> differing_facts(const SelectedMeasurement& a, const SelectedMeasurement& b) {
  std::vector<BesideFact> facts;
  const auto add = [&](std::string what, std::string in_a, std::string in_b) {
    if (in_a != in_b) facts.push_back({std::move(what), std::move(in_a), std::move(in_b)});
  };
  for (const FactText& fact : kFactTexts) add(fact.what, fact.text(a), fact.text(b));
  const std::vector<LaunchRecord>&in_a = launches_of(a), &in_b = launches_of(b);
  const LaunchRecord *longest_a = longest(in_a), *longest_b = longest(in_b);
  const LaunchPair pair = launch_pair(in_a, in_b);
  if (longest_a != nullptr && longest_b != nullptr) {
    const std::string name_a = plain_kernel_name(longest_a->name), name_b = plain_kernel_name(longest_b->name);
    add("longest kernel", name_a, name_b);
    const std::string of_a = plain_kernel_name(pair.a->name), of_b = plain_kernel_name(pair.b->name);
    const std::string of = name_a == name_b ? "" : of_a == of_b ? " of " + of_a : " of the longest";
    for (const LaunchText& fact : kLaunchTexts) add(fact.what + of, fact.text(*pair.a), fact.text(*pair.b));
  }
  for (const FactText& fact : kSoftwareTexts) add(fact.what, fact.text(a), fact.text(b));
  return facts;
}

}  // namespace triscope
