// `triscope compare A B`: verdicts between stored measurements, and a gate for scripts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/compared_sides.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/fail_condition.hpp"
#include "app/cli/options/selection.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/checked_times.hpp"
#include "app/cli/text/compared.hpp"
#include "app/cli/text/differences.hpp"
#include "app/cli/text/result_table.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/training_step.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/explore/unchanged_band.hpp"
#include "profiler/explore/version_pairs.hpp"
#include "profiler/explore/versions.hpp"
#include "profiler/plan/done_count.hpp"
#include "profiler/statistics/between_sides.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/store/open/default_database.hpp"

namespace triscope {
namespace {

struct CompareOptions {
  std::string a, b;
  std::shared_ptr<std::string> database;
  std::optional<FailCondition> fail_if;
  double tolerance = 0.005, max_unclear = 0.2;
  bool require_converged = false;
  std::set<std::string> allowed;  ///< groups of differences; "all"
  std::string format = "table";
};

/// A gate must not pass when a pair cannot be judged: A failed where B is ok, or their timings are of different kinds.
GateResult gate_result(const FailCondition& condition, const RowPair& pair, const Comparison& comparison,
                       bool disturbed) {
  if (comparison.verdict != Verdict::not_comparable) return judge(condition, comparison, disturbed);
  return pair.b.status == Status::ok ? GateResult::fails : GateResult::passes;
}

/// By sweep of a database its random id, which copies and imports keep.
std::map<std::int64_t, std::string> identities(const Snapshot& snapshot) {
  std::map<std::int64_t, std::string> ids;
  for (SweepInfo& sweep : snapshot.sweeps()) ids.emplace(sweep.id, std::move(sweep.uuid));
  return ids;
}

/// Marks the pairs that are one measurement, perhaps of two databases. There is no verdict on it against itself.
void mark_same_measurements(const Side& a, const Side& b, std::vector<ComparedPair>& pairs) {
  const std::map<std::int64_t, std::string> of_a = identities(*a.from), of_b = identities(*b.from);
  const auto is_same = [&](const ResultRow& one, const ResultRow& other) {
    const auto sweep = of_a.find(one.sweep), other_sweep = of_b.find(other.sweep);
    if (sweep == of_a.end() || other_sweep == of_b.end() || sweep->second != other_sweep->second) return false;
    if (a.from == b.from) return one.measurement == other.measurement;
    return one.started == other.started && one.kernel == other.kernel && one.instance == other.instance &&
           one.pass == other.pass && one.regime == other.regime && one.timing_source == other.timing_source &&
           one.problem == other.problem;
  };
  for (ComparedPair& pair : pairs) pair.same_measurement = is_same(pair.rows.a, pair.rows.b);
}

void add_sentence(std::string& explanation, const std::string& sentence) {
  if (!explanation.empty()) explanation += " ";
  explanation += sentence;
}

/// Two runs are compared by their medians, which say nothing of a smaller heap of slow blocks.
void name_modes(std::span<const Sample> of_a, std::span<const Sample> of_b, std::string& explanation) {
  if (explanation.find("two modes") != std::string::npos) return;
  for (const auto& [name, samples] : {std::pair('A', of_a), std::pair('B', of_b)}) {
    if (const std::optional<Modes> modes = modes_of(samples))
      add_sentence(explanation, fmt::format("{} has {}.", name, modes_text(*modes)));
  }
}

void compare_pair(StoredSamples& of_a, StoredSamples& of_b, const CompareOptions& options, ComparedPair& result) {
  const RowPair& pair = result.rows;
  if (result.same_measurement) {
    result.comparison.verdict = Verdict::not_comparable;
    result.comparison.explanation =
        fmt::format("m{} and m{} are one measurement: A holds no newer one.", pair.a.measurement, pair.b.measurement);
  }
  for (const ResultRow* row : {&pair.a, &pair.b}) {
    if (row->status == Status::ok) continue;
    result.comparison.verdict = Verdict::not_comparable;
    result.comparison.explanation = fmt::format("m{} is {}: {}", row->measurement, to_string(row->status), row->reason);
  }
  bool disturbed = false;
  if (result.comparison.explanation.empty()) {
    const bool across_gpus = options.allowed.contains("device") || options.allowed.contains("all");
    result.comparison = compare_rows(of_a, pair.a, of_b, pair.b, options.tolerance, across_gpus);
    result.confidence = confidence_of(result.comparison.paired, pair.a.restarts, pair.b.restarts);
    disturbed = !why_disturbed(of_a.of(pair.a).samples, of_b.of(pair.b).samples, result.comparison.paired).empty();
    // Without samples that can be used nothing is known of it, and no longer measurement would tell.
    const auto may_have_converged = [](const SampleSeries& one) { return one.samples.empty() || one.converged; };
    result.converged_a = may_have_converged(of_a.of(pair.a));
    result.converged_b = may_have_converged(of_b.of(pair.b));
    if (!result.comparison.paired)
      name_modes(of_a.of(pair.a).samples, of_b.of(pair.b).samples, result.comparison.explanation);
  }
  if (pair.a.problem.form != Form::dot_product && pair.b.problem.form != Form::dot_product &&
      pair.a.pass != pair.b.pass && result.comparison.ratio > 0)
    add_sentence(result.comparison.explanation,
                 fmt::format("A is a {} and B a {}.", to_string(pair.a.pass), to_string(pair.b.pass)));
  if (!options.fail_if) return;
  const GateResult gate = gate_result(*options.fail_if, pair, result.comparison, disturbed);
  result.violated = gate == GateResult::fails;
  result.open = gate == GateResult::open;
}

/// What did not change on the sweeps that were compared. Nothing where all that was compared is the same program.
UnchangedKernels unchanged_of(const Side& a, const Side& b, StoredSamples& of_a, StoredSamples& of_b,
                              const CompareOptions& options, const std::vector<ComparedPair>& pairs) {
  std::set<SweepPair> sweeps;
  bool changed = false;
  for (const ComparedPair& pair : pairs) {
    changed |= !is_unchanged(pair.rows.a, pair.rows.b);
    if (a.from != b.from || pair.rows.a.sweep != pair.rows.b.sweep)
      sweeps.insert({pair.rows.a.sweep, pair.rows.b.sweep});
  }
  UnchangedKernels unchanged;
  if (!changed || sweeps.empty()) return unchanged;
  const auto rows_of = [&sweeps](const Snapshot& from, std::int64_t SweepPair::*which) {
    std::set<std::int64_t> ids;
    for (const SweepPair& pair : sweeps) ids.insert(pair.*which);
    std::vector<ResultRow> rows;
    for (const std::int64_t id : ids) std::ranges::move(from.results(id), std::back_inserter(rows));
    return rows;
  };
  for (const RowPair& pair :
       unchanged_pairs(rows_of(*a.from, &SweepPair::first), rows_of(*b.from, &SweepPair::second), sweeps))
    unchanged.add(pair.a, compare_rows(of_a, pair.a, of_b, pair.b, options.tolerance));
  return unchanged;
}

void require_two_sides(const Side& a, const Side& b, const std::vector<ComparedPair>& pairs) {
  if (pairs.empty() || !std::ranges::all_of(pairs, &ComparedPair::same_measurement)) return;
  throw Error(fmt::format("{} cannot be compared with {}", a.word, b.word), "both name the same measurements",
              "name another sweep, measurement, kernel or database as B", ExitCode::usage);
}

/// What two versions of a kernel share, pass by pass, what takes longest beside before first; and by measurement of A
/// from what each pair was chosen.
Pairing pairs_of_versions(const Side& a, const Side& b, std::map<std::int64_t, std::string>& chosen) {
  StoredSamples samples(*a.from);
  std::vector<ResultRow> rows = a.rows;
  rows.insert(rows.end(), b.rows.begin(), b.rows.end());
  Pairing pairing;
  std::set<std::int64_t> paired;
  const AboutRows about{[&](const ResultRow& row) { return samples.gpu(row); },
                        [&](const ResultRow& row) { return samples.companions(row); }};
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    for (ChosenPair& pair :
         chosen_pairs(rows, {a.selection->kernel, pass, b.selection->version, a.selection->version}, about)) {
      chosen[pair.after.measurement] = chosen_words(pair);
      paired.insert({pair.before.measurement, pair.after.measurement});
      pairing.pairs.push_back({std::move(pair.after), std::move(pair.before)});
    }
  }
  std::ranges::stable_sort(pairing.pairs, [](const RowPair& one, const RowPair& other) {
    return *one.a.median_ms / *one.b.median_ms > *other.a.median_ms / *other.b.median_ms;
  });
  for (const auto& [side, alone] : {std::pair(&a, &pairing.only_a), std::pair(&b, &pairing.only_b)}) {
    for (const ResultRow& row : newest_of_each(side->rows)) {
      if (!paired.contains(row.measurement)) alone->push_back(row);
    }
  }
  return pairing;
}

/// The pairs of two sides. Two single measurements are a pair whatever they are; both sides skipped is none.
Pairing make_pairs(const Side& a, const Side& b, std::map<std::int64_t, std::string>& chosen) {
  if (are_versions(a, b)) return pairs_of_versions(a, b, chosen);
  const Selection first = a.selection.value_or(Selection{}), second = b.selection.value_or(Selection{});
  if (first.measurement && second.measurement) return {{{a.rows.front(), b.rows.front()}}, {}, {}};
  Pairing pairing = pair_rows(a.rows, b.rows, !first.kernel.empty() && !second.kernel.empty());
  std::erase_if(pairing.pairs, [](const RowPair& pair) {
    return pair.a.status == Status::skipped && pair.b.status == Status::skipped;
  });
  return pairing;
}

/// "m3 (cuda.hopper forward 512x32 at 8192), m4 (...) and 5 more": what was measured in B and has no partner in A.
std::string missing_text(const Pairing& pairing) {
  std::vector<std::string> names;
  for (const ResultRow& row : pairing.only_b) {
    if (row.status != Status::ok) continue;
    names.push_back(fmt::format("m{} ({} {} {}x{} at {})", row.measurement, row.kernel, to_string(row.pass),
                                row.problem.window1, row.problem.window2, row.problem.seq_len));
  }
  return first_words(std::move(names));
}

/// Why the gate does not pass, or, without a gate, why nothing was compared.
std::vector<std::string> faults_of(const Compared& compared, const Pairing& pairing, const CompareOptions& options) {
  const Tally& tally = compared.tally;
  if (tally.compared > 0 && tally.measured == 0) return {"nothing was compared: in every pair a side was not measured"};
  std::vector<std::string> faults;
  if (!options.fail_if) return faults;
  if (tally.violations > 0)
    faults.push_back(fmt::format("{} of {} fail{}", tally.violations, number_of(tally.compared, "comparison"),
                                 tally.unclear_violations == 0
                                     ? ""
                                     : fmt::format(", {} of them unclear: measure longer", tally.unclear_violations)));
  if (tally.failed_b > 0)
    faults.push_back(fmt::format("B failed in {}, so that A is not judged: measure B again",
                                 number_of(tally.failed_b, "comparison")));
  if (tally.missing > 0)
    faults.push_back(
        fmt::format("A lacks {} of B: {}", number_of(tally.missing, "measurement"), missing_text(pairing)));
  const std::size_t comparable = tally.compared - tally.not_comparable;
  if (tally.open == comparable) {
    faults.emplace_back("nothing could be judged");
  } else if (static_cast<double>(tally.open) > options.max_unclear * static_cast<double>(comparable)) {
    faults.push_back(fmt::format("{} of {} comparisons are unclear at this threshold, more than --max-unclear allows",
                                 tally.open, comparable));
  }
  if (options.require_converged && tally.not_converged > 0)
    faults.push_back(
        fmt::format("measurements that did not converge are behind {}", number_of(tally.not_converged, "comparison")));
  std::set<std::string> groups;
  for (const PlaceDifference& difference : compared.differences) {
    if (!difference.allowed) groups.insert(difference.group);
  }
  if (!groups.empty())
    faults.push_back(fmt::format("A and B differ in more than what is judged; --allow {} accepts that: {}",
                                 fmt::join(groups, ","), difference_words(compared.differences)));
  return faults;
}

bool is_whole(const SweepInfo& sweep) { return !sweep.finished.empty() && done_count(sweep) >= sweep.planned; }

/// A sweep of A that was cut short: its rows lack restarts, or, where it is the newest of a database, older
/// measurements stand in the place of those that it lacks. A single measurement that was named is taken as it is.
void add_faults_of_cut_short(const Side& a, Compared& compared) {
  if (a.selection && a.selection->measurement) return;
  const std::vector<SweepInfo> sweeps = a.from->sweeps();
  std::map<std::int64_t, std::size_t> pairs_of;  // a sweep of A
  for (const ComparedPair& pair : compared.pairs) ++pairs_of[pair.rows.a.sweep];
  for (const SweepInfo& sweep : sweeps) {
    if (is_whole(sweep)) continue;
    const bool newest = !a.selection && sweep.id == sweeps.front().id;
    const std::size_t own = pairs_of.contains(sweep.id) ? pairs_of.at(sweep.id) : 0,
                      older = compared.pairs.size() - own;
    if (newest && older > 0) {
      compared.faults.push_back(fmt::format("sweep {} of A was cut short: in {} A is of an older sweep", sweep.id,
                                            number_of(older, "comparison")));
    } else if (own > 0) {
      compared.faults.push_back(
          fmt::format("sweep {0} of A was cut short: `triscope sweep --resume {0}{1}` measures the rest", sweep.id,
                      database_words(a.file)));
    }
  }
}

/// A gate judges the new one. What takes longer takes shorter when A and B are exchanged.
void add_fault_of_order(const Side& a, const Side& b, Compared& compared) {
  std::size_t older = 0, newer = 0;
  for (const ComparedPair& pair : compared.pairs) {
    const bool one_sweep = a.from == b.from && pair.rows.a.sweep == pair.rows.b.sweep;
    if (one_sweep || pair.rows.a.kernel != pair.rows.b.kernel) continue;
    older += pair.rows.a.started < pair.rows.b.started;
    newer += pair.rows.a.started > pair.rows.b.started;
  }
  if (older == 0 || newer > 0) return;
  compared.faults.push_back(fmt::format("A, which is judged, is older than B: name the new one {}",
                                        a.is_file && b.is_file ? "second, as of any two databases" : "first"));
}

/// " (sweep 17)" where the selection named a kernel and left the sweep open.
std::string chosen_sweep(const Side& side, const std::vector<ResultRow>& rows) {
  const bool open = side.selection && !side.selection->kernel.empty() && !side.selection->sweep &&
                    side.selection->version.empty() && !rows.empty();
  return open ? fmt::format(" (sweep {})", rows.front().sweep) : "";
}

/// The newest sweep in which two kernels that were named without one can be compared; nullopt when there is none.
std::optional<std::int64_t> common_sweep(const Side& a, const Side& b) {
  if (a.from != b.from || !a.selection || !b.selection || a.selection->kernel.empty() || b.selection->kernel.empty() ||
      a.selection->kernel == b.selection->kernel)
    return std::nullopt;
  for (const SweepInfo& sweep : a.from->sweeps()) {
    const std::vector<ResultRow> rows = a.from->results(sweep.id);
    const auto of = [&](const std::string& kernel) {
      std::vector<ResultRow> of_kernel;
      std::ranges::copy_if(rows, std::back_inserter(of_kernel),
                           [&](const ResultRow& row) { return row.kernel == kernel; });
      return of_kernel;
    };
    if (!pair_rows(of(a.selection->kernel), of(b.selection->kernel), true).pairs.empty()) return sweep.id;
  }
  return std::nullopt;
}

/// The passes of `rows`, in words.
std::string passes_text(const std::vector<ResultRow>& rows) {
  std::set<std::string_view> passes;
  for (const ResultRow& row : rows) passes.insert(to_string(row.pass));
  return fmt::format("{}", fmt::join(passes, " and "));
}

/// What is said when no measurement of `a` has a partner in `b`.
Error nothing_in_common(const Side& a, const Side& b, const Pairing& pairing, ExitCode code) {
  if (are_versions(a, b) && passes_text(a.rows) != passes_text(b.rows)) {  // a hash is of a pass's text
    return Error(
        fmt::format("{} and {} cannot be compared", a.word, b.word),
        fmt::format("{} is a version of the {}, {} of the {}", a.selection->version, passes_text(a.rows),
                    b.selection->version, passes_text(b.rows)),
        fmt::format("name two versions of one pass: `triscope explore --x version --where kernel={}` lists them",
                    a.selection->kernel),
        code);
  }
  const std::optional<std::int64_t> common = common_sweep(a, b);
  return Error(fmt::format("{} and {} cannot be compared", a.word, b.word),
               fmt::format("of {} of A{} none has the same problem, pass, regime and clock as one of the {} of B{}",
                           number_of(pairing.only_a.size(), "measurement"), chosen_sweep(a, pairing.only_a),
                           pairing.only_b.size(), chosen_sweep(b, pairing.only_b)),
               common ? fmt::format("sweep {0} holds both: `triscope compare kernel:{1}@{0} kernel:{2}@{0}`", *common,
                                    a.selection->kernel, b.selection->kernel)
                      : "compare sweeps with common configurations, or kernels of one sweep",
               code);
}

/// The training steps of both sides, below what was compared: where B is dot-product attention alone, A's beside it.
void print_steps(const Compared& compared, const Side& a, const Side& b) {
  const std::size_t width = terminal_width(stdout, kUnlimitedWidth);
  if (!compared.steps.empty()) {
    print_output("\ntraining step, forward and backward together\n{}", compared_steps_table(compared.steps, width));
    return;
  }
  if (const std::vector<TrainingStep> steps = steps_beside(a, b); !steps.empty())
    print_output("\ntraining step, forward and backward together\n{}", training_step_table(steps, width));
}

void print(const Compared& compared, const std::string& format) {
  if (format == "json") {
    write_json(compared_json(compared));
  } else if (format == "md") {
    write_output(compared_markdown(compared));
  } else if (format == "junit") {
    write_output(compared_junit(compared));
  } else {
    print_output("{}", compared_table(compared, terminal_width(stdout, kUnlimitedWidth)));
  }
}

int run(const CompareOptions& options) {
  auto [a, b] = open_sides(options.a, options.b, *options.database);
  for (Side* side : {&a, &b}) remark_times_aloud(*side->from, side->rows, side->file);
  std::map<std::int64_t, std::string> chosen;
  const Pairing pairing = make_pairs(a, b, chosen);
  Compared compared;
  for (const RowPair& pair : pairing.pairs)
    compared.pairs.push_back({.rows = pair, .comparison = {}, .chosen = chosen[pair.a.measurement]});
  mark_same_measurements(a, b, compared.pairs);
  require_two_sides(a, b, compared.pairs);
  compared.a = label_of(a);
  compared.b = label_of(b);
  StoredSamples of_a(*a.from), of_other(*b.from);
  StoredSamples& of_b = a.from == b.from ? of_a : of_other;
  for (const RowPair& pair : pairing.pairs) {
    of_a.expect(pair.a);
    of_b.expect(pair.b);
  }
  for (ComparedPair& pair : compared.pairs) compare_pair(of_a, of_b, options, pair);
  compared.differences = place_differences(*a.from, *b.from, compared.pairs, options.allowed);
  compared.tally = count_pairs(compared.pairs, pairing);
  compared.unchanged = unchanged_of(a, b, of_a, of_b, options, compared.pairs);
  judge_beside_unchanged(compared);
  std::map<std::pair<std::int64_t, std::int64_t>, const ComparedPair*> by_rows;
  for (const ComparedPair& pair : compared.pairs) by_rows[{pair.rows.a.measurement, pair.rows.b.measurement}] = &pair;
  const std::vector<ResultRow> newest_of_a = newest_of_each(a.rows), newest_of_b = newest_of_each(b.rows);
  compared.steps = steps_of_both_sides(
      newest_of_a, newest_of_b, [&](const ResultRow& one, const ResultRow& other) -> std::optional<RowRatio> {
        const auto found = by_rows.find({one.measurement, other.measurement});
        if (found == by_rows.end() || found->second->comparison.verdict == Verdict::not_comparable ||
            !interval_known(found->second->comparison))
          return std::nullopt;
        return RowRatio{found->second->comparison, found->second->confidence};
      });
  if (options.fail_if) compared.gate = options.fail_if->text;
  compared.faults = faults_of(compared, pairing, options);
  if (options.fail_if) {
    add_faults_of_cut_short(a, compared);
    add_fault_of_order(a, b, compared);
  }
  if (compared.pairs.empty() && options.format == "table")
    throw nothing_in_common(a, b, pairing, options.fail_if ? ExitCode::measured_failed : ExitCode::usage);
  print(compared, options.format);
  if (options.format == "table") print_steps(compared, a, b);
  if (!compared.faults.empty())
    print_error("triscope: {}{} ({}).",
                options.fail_if ? fmt::format("the gate \"{}\" does not pass: ", compared.gate) : "",
                fmt::join(compared.faults, "; "), tally_text(compared.tally));
  if (options.fail_if && compared.faults.empty() && compared.tally.open > 0)
    print_error("triscope: the gate \"{}\" passes with {} open: measure longer, or ask --max-unclear for fewer.",
                compared.gate, number_of(compared.tally.open, "comparison"));
  const bool swapped = !options.fail_if && a.is_file && b.is_file && !a.rows.empty() && !b.rows.empty() &&
                       a.rows.front().started < b.rows.front().started;
  if (swapped)
    print_error("triscope: {} is older than {}: of two databases the old one is named first.", a.word, b.word);
  if (compared.pairs.empty() && !options.fail_if) return static_cast<int>(ExitCode::usage);
  return static_cast<int>(compared.faults.empty() ? ExitCode::done : ExitCode::measured_failed);
}

void add_gate_options(CLI::App& command, const std::shared_ptr<CompareOptions>& options) {
  add_text(
      command, "--fail-if", "CONDITION",
      "\"longer>2%\" or \"shorter>2%\": exit 1 when the difference is larger, or perhaps is in too many comparisons",
      [options](const std::string& text) { options->fail_if = parse_fail_condition(text); });
  add_text(command, "--max-unclear", "P%",
           "With --fail-if: exit 1 when of more comparisons the interval reaches across the condition (default: 20%)",
           [options](const std::string& text) {
             options->max_unclear = text == "0%" ? 0 : parse_percent("--max-unclear", text);
           });
  command.add_flag("--require-converged", options->require_converged,
                   "With --fail-if: exit 1 when a measurement did not converge");
  add_text(
      command, "--allow", "LIST",
      "Differences of A and B that --fail-if accepts: device, host, driver, commit, settings, or all; with device, "
      "also without --fail-if, measurements of two GPUs are judged",
      [options](const std::string& text) {
        const std::vector<std::string> groups{"device", "host", "driver", "commit", "settings", "all"};
        for (const std::string& group : parse_list("--allow", text)) {
          if (std::find(groups.begin(), groups.end(), group) == groups.end())
            refuse_choice("--allow", group, "this is not a kind of difference", groups);
          options->allowed.insert(group);
        }
      });
}

/// Options of a gate are refused where there is none.
void require_gate(const CLI::App& command, const CompareOptions& options) {
  for (const char* name : {"--max-unclear", "--require-converged"}) {
    if (options.fail_if || command.count(name) == 0) continue;
    throw Error(fmt::format("{} cannot be used", name), "it belongs to --fail-if", "add --fail-if \"longer>2%\"",
                ExitCode::usage);
  }
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("compare", "Does A take longer than B? Verdicts with their intervals");
  auto options = std::make_shared<CompareOptions>();
  command
      ->add_option("A", options->a,
                   "Sweep (3, latest), measurement (m12), kernel (kernel:cpu.fast, kernel:cpu.fast@3), version of one "
                   "(kernel:cpu.fast@2c6a73), or a database (old.db, old.db@3)")
      ->required();
  command->add_option("B", options->b, "What A is compared with; of two databases the new one")->required();
  options->database = add_database_option(*command);
  add_gate_options(*command, options);
  add_text(*command, "--tolerance", "P%",
           "Ratios this close to 1 count as the same (default: 0.5%; 4 times that between separate runs)",
           [options](const std::string& text) { options->tolerance = parse_percent("--tolerance", text); });
  add_text(*command, "--format", "{table,json,md,junit}",
           "table, json (one object per line), md (Markdown) or junit (XML for CI) (default: table)",
           [options](const std::string& text) {
             const std::vector<std::string> formats{"table", "json", "md", "junit"};
             if (std::find(formats.begin(), formats.end(), text) == formats.end())
               refuse_choice("--format", text, "this is not a format of this command", formats);
             options->format = text;
           });
  add_json_flag(*command, [options] { options->format = "json"; });
  command->footer(
      "\"A is\" says what A is compared with B; the ratio beside it is time A / time B in every row: below 1 A takes\n"
      "shorter. What was measured in turns (the kernels of one problem in one sweep) is compared turn by turn. The\n"
      "rest, such as two sweeps, is compared by its medians. Two databases are given in the order of time: the second\n"
      "one, the new one, is A and is judged. --fail-if also exits 1 when A lacks what B has, when nothing can be\n"
      "judged, and when A and B differ in device, host, driver, commit or settings and --allow does not name that.\n"
      "docs/gates.md has a recipe.\n\n"
      "Examples:\n"
      "  triscope compare kernel:cpu.fast kernel:baseline.cpu      of the newest sweep that holds each\n"
      "  triscope compare kernel:cpu.fast@2c6a73 kernel:cpu.fast@63ca6c   two versions: all that both measured\n"
      "  triscope compare m12 m7\n"
      "  triscope compare latest 3 --fail-if \"longer>2%\"           for scripts: exit 1 when it takes longer\n"
      "  triscope compare old.db new.db --fail-if \"longer>5%\" --allow commit --format junit > gate.xml");
  command->callback([command, options, &action] {
    require_gate(*command, *options);
    action = [options] { return run(*options); };
  });
}

}  // namespace triscope
