// `triscope compare A B`: verdicts between stored measurements, and a gate for scripts.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/fail_condition.hpp"
#include "app/cli/options/selection.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/result_table.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/base/error.hpp"
#include "profiler/record/columns.hpp"

namespace triscope {
namespace {

struct CompareOptions {
  std::string a, b;
  std::shared_ptr<std::string> database;
  std::optional<FailCondition> fail_if;
  double tolerance = 0.005;
  bool json = false;
};

struct ComparedPair {
  RowPair rows;
  Comparison comparison;
  bool violated = false;  ///< by --fail-if
};

/// A gate must not pass when a pair cannot be judged: A failed where B is ok, or their timings are of different kinds.
bool fails_gate(const FailCondition& condition, const RowPair& pair, const Comparison& comparison) {
  if (pair.b.status != Status::ok) return false;
  return comparison.verdict == Verdict::not_comparable || violates(condition, comparison);
}

std::string name_of(const ResultRow& row) {
  return fmt::format("{} {} {}", row.kernel, to_string(row.pass), windows_text(row.problem));
}

ComparedPair compare_pair(const Snapshot& snapshot, const RowPair& pair, const CompareOptions& options) {
  ComparedPair result{pair, {}, false};
  for (const ResultRow* row : {&pair.a, &pair.b}) {
    if (row->status == Status::ok) continue;
    result.comparison.verdict = Verdict::not_comparable;
    result.comparison.explanation = fmt::format("m{} is {}: {}", row->measurement, to_string(row->status), row->reason);
  }
  if (result.comparison.explanation.empty()) {
    result.comparison = compare_rows(snapshot, pair.a, pair.b, options.tolerance);
  }
  if (options.fail_if) result.violated = fails_gate(*options.fail_if, pair, result.comparison);
  return result;
}

/// The pairs of two selections. Two single measurements are a pair whatever they are; both sides skipped is none.
Pairing make_pairs(const Snapshot& snapshot, const Selection& a, const Selection& b) {
  const std::vector<ResultRow> first = select(snapshot, a), second = select(snapshot, b);
  if (a.measurement && b.measurement) return {{{first.front(), second.front()}}, {}, {}};
  const bool across_kernels = !a.kernel.empty() && !b.kernel.empty();
  Pairing pairing = pair_rows(first, second, across_kernels);
  std::erase_if(pairing.pairs, [](const RowPair& pair) {
    return pair.a.status == Status::skipped && pair.b.status == Status::skipped;
  });
  return pairing;
}

/// A bound of a ratio; beyond a factor of a thousand the digits mean nothing.
std::string bound_text(double ratio) {
  if (ratio > 1000) return ">1000";
  return ratio < 0.001 ? "<0.001" : significant_text(ratio, 4);
}

/// The interval the way the verdict reads: of "1.5x slower" that of time A / time B.
std::string interval_text(const Comparison& comparison) {
  const Interval& interval = comparison.interval;
  if (comparison.verdict != Verdict::slower)
    return fmt::format("{} .. {}", bound_text(interval.low), bound_text(interval.high));
  return fmt::format("{} .. {}", bound_text(1 / interval.high), bound_text(1 / interval.low));
}

/// The ratio in cycles, the same way.
std::string cycles_text(const Comparison& comparison) {
  if (!comparison.cycle_ratio) return "";
  return fmt::format("{}x", significant_text(comparison.verdict == Verdict::slower ? 1 / *comparison.cycle_ratio
                                                                                   : *comparison.cycle_ratio));
}

void print_table(const std::vector<ComparedPair>& pairs) {
  TerminalTable table;
  table.columns = {{"A", Align::right, 60, false},
                   {"", Align::left, 90, true},
                   {"B", Align::right, 60, false},
                   {"", Align::left, 85, true},
                   {"seq", Align::right, 50, false},
                   {"A ms", Align::right, 75, false},
                   {"B ms", Align::right, 75, false},
                   {"A is", Align::left, 100, false},
                   {"95 % interval", Align::left, 70, false},
                   {"in cycles", Align::right, 30, false},
                   {"in turns", Align::left, 20, false},
                   {"", Align::left, 95, false}};
  const auto ms = [](const ResultRow& row) {
    return row.median_ms ? milliseconds_text(*row.median_ms) : std::string(to_string(row.status));
  };
  for (const ComparedPair& pair : pairs) {
    const Comparison& comparison = pair.comparison;
    const bool known = comparison.ratio > 0;
    table.rows.push_back({fmt::format("m{}", pair.rows.a.measurement), name_of(pair.rows.a),
                          fmt::format("m{}", pair.rows.b.measurement), name_of(pair.rows.b),
                          fmt::format("{}", pair.rows.a.problem.seq_len), ms(pair.rows.a), ms(pair.rows.b),
                          verdict_text(comparison), known ? interval_text(comparison) : "", cycles_text(comparison),
                          known ? (comparison.paired ? "yes" : "no") : "", pair.violated ? "FAILS" : ""});
  }
  fmt::print("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
  for (const ComparedPair& pair : pairs) {
    if (pair.comparison.explanation.empty()) continue;
    fmt::print("m{} with m{}: {}\n", pair.rows.a.measurement, pair.rows.b.measurement, pair.comparison.explanation);
  }
}

void print_json(const std::vector<ComparedPair>& pairs) {
  using nlohmann::json;
  for (const ComparedPair& pair : pairs) {
    const Comparison& comparison = pair.comparison;
    const json object = {{"type", "comparison"},
                         {"a", pair.rows.a.measurement},
                         {"b", pair.rows.b.measurement},
                         {"verdict", to_string(comparison.verdict)},
                         {"ratio", comparison.ratio},
                         {"ratio_low", comparison.interval.low},
                         {"ratio_high", comparison.interval.high},
                         {"cycle_ratio", comparison.cycle_ratio ? json(*comparison.cycle_ratio) : json(nullptr)},
                         {"paired", comparison.paired},
                         {"fails", pair.violated},
                         {"explanation", comparison.explanation}};
    fmt::print("{}\n", object.dump(-1, ' ', false, json::error_handler_t::replace));
  }
}

/// What all comparisons say together.
struct Tally {
  std::size_t compared = 0, faster = 0, slower = 0, same = 0, unclear = 0, not_comparable = 0;
  std::size_t violations = 0;          ///< of --fail-if
  std::size_t only_a = 0, only_b = 0;  ///< without a partner
  std::size_t missing = 0;             ///< measured in B, without a partner in A
};

Tally count(const std::vector<ComparedPair>& pairs, const Pairing& pairing) {
  Tally tally;
  tally.compared = pairs.size();
  for (const ComparedPair& pair : pairs) {
    switch (pair.comparison.verdict) {
      case Verdict::faster:
        ++tally.faster;
        break;
      case Verdict::slower:
        ++tally.slower;
        break;
      case Verdict::same:
        ++tally.same;
        break;
      case Verdict::unclear:
        ++tally.unclear;
        break;
      case Verdict::not_comparable:
        ++tally.not_comparable;
        break;
    }
    tally.violations += pair.violated;
  }
  tally.only_a = pairing.only_a.size();
  tally.only_b = pairing.only_b.size();
  for (const ResultRow& row : pairing.only_b) tally.missing += row.status == Status::ok;
  return tally;
}

std::string tally_text(const Tally& tally) {
  std::string text = fmt::format("{} compared", tally.compared);
  const auto add = [&](std::size_t number, std::string_view words) {
    if (number > 0) text += fmt::format(", {} {}", number, words);
  };
  add(tally.faster, "faster");
  add(tally.slower, "slower");
  add(tally.same, "the same");
  add(tally.unclear, "unclear");
  add(tally.not_comparable, "not comparable");
  if (tally.only_a + tally.only_b > 0)
    text += fmt::format("; without a partner: {} of A, {} of B", tally.only_a, tally.only_b);
  return text;
}

/// Why the gate does not pass; empty when it passes. It does not pass when A lacks a measurement or no pair can be
/// judged.
std::string gate_text(const Tally& tally) {
  if (tally.violations > 0) return fmt::format("{} of {} comparisons fail", tally.violations, tally.compared);
  if (tally.missing > 0) return fmt::format("{} measurements of B are missing in A", tally.missing);
  if (tally.compared == tally.not_comparable + tally.unclear) return "nothing could be judged";
  return "";
}

/// " (sweep 17)" where the selection named a kernel and left the sweep open.
std::string chosen_sweep(const Selection& selection, const std::vector<ResultRow>& rows) {
  const bool open = !selection.kernel.empty() && !selection.sweep && !rows.empty();
  return open ? fmt::format(" (sweep {})", rows.front().sweep) : "";
}

/// The newest sweep that holds two kernels which were named without one; nullopt when none does.
std::optional<std::int64_t> common_sweep(const Snapshot& snapshot, const Selection& a, const Selection& b) {
  if (a.kernel.empty() || b.kernel.empty()) return std::nullopt;
  for (const SweepInfo& sweep : snapshot.sweeps()) {
    const std::vector<ResultRow> rows = snapshot.results(sweep.id);
    const auto holds = [&](const std::string& kernel) {
      return std::any_of(rows.begin(), rows.end(), [&](const ResultRow& row) { return row.kernel == kernel; });
    };
    if (holds(a.kernel) && holds(b.kernel)) return sweep.id;
  }
  return std::nullopt;
}

/// What is said when no measurement of `a` has a partner in `b`.
Error nothing_in_common(const Snapshot& snapshot, const Selection& a, const Selection& b, const Pairing& pairing,
                        ExitCode code) {
  const std::optional<std::int64_t> common = common_sweep(snapshot, a, b);
  return Error(
      fmt::format("{} and {} cannot be compared", a.text, b.text),
      fmt::format(
          "none of the {} measurements of A{} has the same problem, pass, regime and clock as one of the {} of B{}",
          pairing.only_a.size(), chosen_sweep(a, pairing.only_a), pairing.only_b.size(),
          chosen_sweep(b, pairing.only_b)),
      common ? fmt::format("sweep {0} holds both: compare kernel:{1}@{0} kernel:{2}@{0}", *common, a.kernel, b.kernel)
             : "compare sweeps with common configurations, or kernels of one sweep",
      code);
}

void print_summary_json(const Tally& tally, bool fails) {
  const nlohmann::json object = {{"type", "summary"},
                                 {"compared", tally.compared},
                                 {"faster", tally.faster},
                                 {"slower", tally.slower},
                                 {"same", tally.same},
                                 {"unclear", tally.unclear},
                                 {"not_comparable", tally.not_comparable},
                                 {"only_a", tally.only_a},
                                 {"only_b", tally.only_b},
                                 {"violations", tally.violations},
                                 {"fails", fails}};
  fmt::print("{}\n", object.dump());
}

int run(const CompareOptions& options) {
  const Selection first = parse_selection(options.a), second = parse_selection(options.b);
  const Snapshot snapshot(existing_database(*options.database));
  const Pairing pairing = make_pairs(snapshot, first, second);
  std::vector<ComparedPair> pairs;
  for (const RowPair& pair : pairing.pairs) pairs.push_back(compare_pair(snapshot, pair, options));
  const Tally tally = count(pairs, pairing);
  const std::string gate = options.fail_if ? gate_text(tally) : "";
  if (pairs.empty() && !options.json) {
    throw nothing_in_common(snapshot, first, second, pairing,
                            options.fail_if ? ExitCode::measured_failed : ExitCode::usage);
  }
  if (options.json) {
    print_json(pairs);
    print_summary_json(tally, !gate.empty());
  } else {
    print_table(pairs);
    fmt::print("{}\n", tally_text(tally));
  }
  if (!gate.empty())
    fmt::print(stderr, "triscope: the gate \"{}\" does not pass: {} ({}).\n", options.fail_if->text, gate,
               tally_text(tally));
  if (pairs.empty() && !options.fail_if) return static_cast<int>(ExitCode::usage);
  return static_cast<int>(gate.empty() ? ExitCode::done : ExitCode::measured_failed);
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("compare", "Is A faster than B? Verdicts with their intervals");
  auto options = std::make_shared<CompareOptions>();
  command
      ->add_option("A", options->a,
                   "Sweep (3, latest), measurement (m12) or kernel (kernel:cpu.fast, kernel:cpu.fast@3)")
      ->required();
  command->add_option("B", options->b, "What A is compared with")->required();
  options->database = add_database_option(*command);
  command
      ->add_option_function<std::string>(
          "--fail-if", [options](const std::string& text) { options->fail_if = parse_fail_condition(text); },
          "\"slower>2%\" or \"faster>2%\": exit 1 when the verdict says so and the difference is larger")
      ->type_name("CONDITION");
  command
      ->add_option_function<std::string>(
          "--tolerance",
          [options](const std::string& text) { options->tolerance = parse_percent("--tolerance", text); },
          "Ratios this close to 1 count as the same (default: 0.5%)")
      ->type_name("P%");
  add_table_or_json(*command, options->json);
  command->footer(
      "The ratio is time of B / time of A: above 1, A is faster. Where A is slower, the table shows its inverse. What "
      "was\n"
      "measured in turns (the kernels of one problem in one sweep) is compared turn by turn. The rest, such as two "
      "sweeps,\n"
      "is compared by its medians. --fail-if also exits 1 when A lacks what B has, or nothing can be judged.\n"
      "\n"
      "Examples:\n"
      "  triscope compare kernel:cpu.fast kernel:baseline.cpu      of the newest sweep that holds each\n"
      "  triscope compare m12 m7\n"
      "  triscope compare latest 3 --fail-if \"slower>2%\"           for scripts: exit 1 when it got slower");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace triscope
