// `triscope advise`: windows that cost what dot-product attention costs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/selection.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/paper/counted_work.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/sweep_display.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "app/stop/stop_signal.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/paper/layers/advice.hpp"
#include "profiler/paper/layers/measured_layer.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/words/factor_text.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/sweep/sweep.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {
namespace {

struct AdviseOptions {
  NamedLayer named;
  std::vector<Pass> passes = AdviceRequest{}.passes;
  std::shared_ptr<std::string> database;
  std::int64_t most = 8;
  bool json = false, measure = false;
  std::optional<std::int64_t> budget_ns;  ///< of one measurement
};

/// "1.07", or "0.93 to 1.2" where only the interval says something.
std::string ratio_text(const WindowAdvice& one) {
  return one.has_number() ? factor_text(one.ratio) : range_text(one.ratios, 3);
}

/// What the time stands on; where the ratio is by turns, the medians of both in them, whose quotient is nearly it.
std::string basis_text(const WindowAdvice& one) {
  if (one.match_in_turns_ms == 0) return one.time.basis_text();
  return fmt::format("{}; in turns, medians {} and {} ms", one.time.basis_text(), milliseconds_text(one.in_turns_ms),
                     milliseconds_text(one.match_in_turns_ms));
}

std::string ms_text(const LayerTime& time) {
  return time.is_number() ? milliseconds_text(time.ms)
                          : fmt::format("{} to {}", milliseconds_text(time.low_ms), milliseconds_text(time.high_ms));
}

void print_json(const Advice& advice, const std::string& match) {
  const auto number = [](bool is_one, double value) { return is_one ? nlohmann::json(value) : nlohmann::json(); };
  const LayerTime& of_match = advice.match;
  for (const WindowAdvice& one : advice.windows) {
    write_json_line(dump_line({{"type", "advice"},
                               {"window1", one.windows.window1},
                               {"window2", one.windows.window2},
                               {"ms", number(one.time.is_number(), one.time.ms)},
                               {"low_ms", one.time.low_ms},
                               {"high_ms", one.time.high_ms},
                               {"over_match", number(one.has_number(), one.ratio)},
                               {"over_match_low", one.ratios.low},
                               {"over_match_high", one.ratios.high},
                               {"in_turns", one.match_in_turns_ms > 0},
                               {"in_turns_ms", number(one.match_in_turns_ms > 0, one.in_turns_ms)},
                               {"match_in_turns_ms", number(one.match_in_turns_ms > 0, one.match_in_turns_ms)},
                               {"kernel", one.time.kernel},
                               {"measured", one.time.kind == LayerBasis::measured},
                               {"basis", one.time.basis_text()},
                               {"match", match},
                               {"match_ms", number(of_match.is_number(), of_match.ms)},
                               {"match_low_ms", of_match.low_ms},
                               {"match_high_ms", of_match.high_ms}}));
  }
  for (const UnknownWindows& one : advice.unknown) {
    write_json_line(dump_line({{"type", "not_advised"},
                               {"window1", one.windows.window1},
                               {"window2", one.windows.window2},
                               {"reason", one.reason}}));
  }
}

void print_fit(const Advice& advice, const std::string& match) {
  const std::size_t fit = how_many_fit(advice);
  if (fit > 0) {
    if (fit < advice.windows.size())
      print_output(
          "\n{} of {} proposals {} about what {} costs (within {} times); with the second "
          "windows of the others nothing nearer is known.\n",
          fit, advice.windows.size(), fit == 1 ? "costs" : "cost", match, significant_text(kAdviceFit));
    return;
  }
  const WindowAdvice& nearest = advice.windows.front();
  const bool dearer = nearest.ratios.low > kAdviceFit, cheaper = nearest.ratios.high < 1 / kAdviceFit;
  if (dearer || cheaper) {
    print_output("\nNothing fits: the nearest takes {} times as long as {}; measure {} windows.\n", ratio_text(nearest),
                 match, dearer ? "smaller" : "larger");
  } else {
    print_output("\nNothing surely costs about what {} costs (within {} times): the nearest takes {} times as long.\n",
                 match, significant_text(kAdviceFit), range_text(nearest.ratios, 3));
  }
}

/// Second windows without a proposal, those of one reason together.
void print_unknown(const Advice& advice) {
  std::vector<std::pair<const UnknownWindows*, std::string>> reasons;  // the first of each, and their second windows
  for (const UnknownWindows& one : advice.unknown) {
    const auto known = std::ranges::find_if(reasons, [&](const auto& of) { return of.first->reason == one.reason; });
    if (known == reasons.end()) {
      reasons.emplace_back(&one, fmt::format("{}", one.windows.window2));
    } else {
      known->second += fmt::format(", {}", one.windows.window2);
    }
  }
  for (const auto& [first, second_windows] : reasons)
    print_output("\nNo proposal has a second window of {}: of {}x{} {}.\n", second_windows, first->windows.window1,
                 first->windows.window2, first->reason);
}

struct Proposal {
  AdviceRequest request;
  Advice advice;
  std::string device;  ///< as `device_words` has it
};

/// ", on NVIDIA H200" where the database has rows of several devices; the advice is of one.
std::string device_words(const std::vector<ResultRow>& rows, const AdviceRequest& request) {
  const bool several =
      std::ranges::any_of(rows, [&](const ResultRow& row) { return row.device != request.layer.device; });
  return several ? ", on " + request.layer.device : "";
}

void print(const Proposal& proposal, bool as_json) {
  const Advice& advice = proposal.advice;
  const LayerMixRequest& layer = proposal.request.layer;
  if (as_json) return print_json(advice, layer.dot_kernel);
  print_output("{}, seq {}, heads {}/{}, dim {}{}: {} takes {} ms ({})\n\n", to_string(layer.form), layer.seq_len,
               layer.q_heads, layer.kv_heads, layer.head_dim, proposal.device, layer.dot_kernel, ms_text(advice.match),
               advice.match.basis_text());
  TerminalTable table;
  table.columns = {{"windows", Align::left, 100, false},
                   {"ms", Align::right, 90, false},
                   {"of " + layer.dot_kernel, Align::point, 95, false},
                   {"basis", Align::left, 50, true}};
  for (const WindowAdvice& one : advice.windows)
    table.rows.push_back({fmt::format("{}x{}", one.windows.window1, one.windows.window2), ms_text(one.time),
                          ratio_text(one), basis_text(one)});
  print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
  print_fit(advice, layer.dot_kernel);
  print_unknown(advice);
}

/// The layer that stands for the rows (`measured_layer`) with what is named; its windows are what is asked for.
AdviceRequest request_from(const std::vector<ResultRow>& rows, const AdviseOptions& options) {
  return {measured_layer(rows, options.named, options.passes), options.passes};
}

/// As `triscope show` has them: each pass beside the match of its own sweep.
class RatiosInTurns {
 public:
  RatiosInTurns(const Snapshot& snapshot, const std::vector<ResultRow>& rows, const LayerMixRequest& layer)
      : samples_(snapshot), rows_(rows), layer_(layer) {}
  std::optional<StepRatio> operator()(std::span<const ResultRow* const> passes) {
    std::vector<Comparison> times;
    std::vector<PassBeside> beside;
    times.reserve(passes.size());
    for (const ResultRow* row : passes) {
      const ResultRow* match = match_of(*row);
      if (match == nullptr) return std::nullopt;
      beside.push_back(
          {*row->median_ms, *match->median_ms, times.emplace_back(compare_rows(samples_, *row, samples_, *match))});
      if (!in_turns(times.back())) return std::nullopt;
    }
    if (times.size() == 2) return ratio_of_steps(beside[0], beside[1]);
    const Comparison& time = times.front();
    return StepRatio{{time.ratio, time.interval.low, time.interval.high}, true, time.a_ms, time.b_ms};
  }

 private:
  const ResultRow* match_of(const ResultRow& row) const {
    const ResultRow* best = nullptr;
    for (const ResultRow& one : rows_) {
      if (one.sweep != row.sweep || one.problem.seq_len != row.problem.seq_len ||
          !is_row_of_heads(one, layer_, row.pass) || !is_global_layer(one, layer_))
        continue;
      if (best == nullptr || *one.median_ms < *best->median_ms) best = &one;
    }
    return best;
  }

  StoredSamples samples_;
  const std::vector<ResultRow>& rows_;
  const LayerMixRequest& layer_;
};

Advice advised(const Snapshot& snapshot, const std::vector<ResultRow>& rows, const AdviceRequest& request) {
  RatiosInTurns ratios(snapshot, rows, request.layer);
  return advise_windows(rows, request, count_work(advice_problems(rows, request)), std::ref(ratios));
}

/// What can be measured, and why one should.
void print_estimates(const Advice& advice, const std::string& match) {
  const auto estimates = std::ranges::count_if(
      advice.windows, [](const WindowAdvice& one) { return one.time.kind != LayerBasis::measured; });
  if (estimates == 0) return;
  print_output("\n{} of {} {}: add --measure to measure all {} beside {}, on this machine.\n", estimates,
               number_of(advice.windows.size(), "proposal"), estimates == 1 ? "is an estimate" : "are estimates",
               advice.windows.size(), match);
}

Advice advice_from(const Snapshot& snapshot, const std::vector<ResultRow>& rows, const AdviseOptions& options,
                   const AdviceRequest& request) {
  Advice advice = advised(snapshot, rows, request);
  if (static_cast<std::int64_t>(advice.windows.size()) > options.most)
    advice.windows.resize(static_cast<std::size_t>(options.most));
  return advice;
}

Proposal proposed(const std::filesystem::path& database, const AdviseOptions& options) {
  const Snapshot snapshot(database);
  const std::vector<ResultRow> rows = snapshot.results();
  AdviceRequest request = request_from(rows, options);
  Advice advice = advice_from(snapshot, rows, options, request);
  std::string device = device_words(rows, request);
  return {std::move(request), std::move(advice), std::move(device)};
}

/// Measures the proposed windows beside the match; true when all of it was measured.
bool measure(const Advice& advice, const AdviseOptions& options, const AdviceRequest& request) {
  SweepRequest sweep;
  for (const WindowAdvice& one : advice.windows) sweep.windows.push_back(one.windows);
  const LayerMixRequest& layer = request.layer;
  sweep.seq_lens = {layer.seq_len};
  sweep.q_heads = {layer.q_heads};
  sweep.kv_heads = {layer.kv_heads};
  sweep.head_dims = {layer.head_dim};
  sweep.forms = {layer.form};
  sweep.passes = request.passes;
  sweep.kernels.assign(advice.kernels.begin(), advice.kernels.end());
  if (options.budget_ns) sweep.stopping.budget_ns = *options.budget_ns;
  StopSignal stop;
  SweepDisplay display(options.json);
  const std::filesystem::path database = writable_database(*options.database);
  const SweepOutcome outcome = run_sweep(sweep, database, display.observer(), stop.token());
  display.clear();
  display.settle(database);
  return !outcome.stopped && outcome.failed == 0;
}

/// The same windows once they are measured, on the device that measured them.
Proposal measured_advice(const std::filesystem::path& database, const Advice& proposed, AdviceRequest request) {
  const Snapshot snapshot(database);
  std::vector<ResultRow> rows = newest_of_each(snapshot.results());
  if (!rows.empty()) request.layer.device = std::ranges::max_element(rows, {}, &ResultRow::measurement)->device;
  std::string device = device_words(rows, request);
  std::erase_if(rows, [&](const ResultRow& row) {
    return row.problem.form == request.layer.form &&
           std::none_of(proposed.windows.begin(), proposed.windows.end(), [&](const WindowAdvice& one) {
             return one.windows.window1 == row.problem.window1 && one.windows.window2 == row.problem.window2;
           });
  });
  Advice advice = advised(snapshot, rows, request);
  return {std::move(request), std::move(advice), std::move(device)};
}

int run(const AdviseOptions& options) {
  if (options.budget_ns && !options.measure)
    throw Error("--budget without --measure", "nothing is measured", "add --measure, or leave it out", ExitCode::usage);
  const std::filesystem::path database = existing_database(*options.database);
  const Proposal proposal = proposed(database, options);
  const auto& [request, advice, device] = proposal;
  print(proposal, options.json);
  if (!options.measure) {
    if (!options.json) print_estimates(advice, request.layer.dot_kernel);
    return 0;
  }
  const bool complete = measure(advice, options, request);
  print(measured_advice(database, advice, request), options.json);
  return static_cast<int>(complete ? ExitCode::done : ExitCode::measured_failed);
}

}  // namespace

void add_advise_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("advise", "Windows that cost what dot-product attention costs");
  auto options = std::make_shared<AdviseOptions>();
  NamedLayer& named = options->named;
  const auto count = [&](const char* name, const char* description, auto& value) {
    add_text(*command, name, "N", description,
             [name, &value](const std::string& text) { value = parse_count(name, text); });
  };
  count("--seq", "Sequence length, such as 16k", named.seq_len);
  command->get_option("--seq")->required();
  add_text(*command, "--match", "ID",
           "Kernel of dot-product attention (default: baseline.fa3, or one that was measured)",
           [&named](const std::string& text) {
             if (text.empty()) refuse_value("--match", text, "it is empty", "give a kernel, such as baseline.fa3");
             named.dot_kernel = text;
           });
  add_text(*command, "--pass", "{forward,backward}", "Passes whose times are added, a list (default: forward,backward)",
           [&passes = options->passes](const std::string& text) {
             passes.clear();
             for (const std::string& pass : parse_list("--pass", text)) {
               const Pass value = parse_choice<Pass>("--pass", pass, parse_pass, {"forward", "backward"});
               if (std::find(passes.begin(), passes.end(), value) == passes.end()) passes.push_back(value);
             }
           });
  add_text(*command, "--form", "{trilinear,determinant}", "Form of the logit (default: trilinear)",
           [&named](const std::string& text) { named.form = parse_simplicial_form("--form", text); });
  count("--q-heads", "Query heads (default: 64, or those that the database has)", named.q_heads);
  count("--kv-heads", "Key and value heads (default: likewise)", named.kv_heads);
  count("--head-dim", "Head dimension (default: likewise)", named.head_dim);
  count("--most", "Proposals printed (default: 8)", options->most);
  options->database = add_database_option(*command);
  command->add_flag("--measure", options->measure, "Measure the proposals beside the match, into the same database");
  add_text(*command, "--budget", "TIME",
           "With --measure: longest time to sample one measurement, all restarts together (default: 10s)",
           [&budget = options->budget_ns](const std::string& text) { budget = parse_duration_ns("--budget", text); });
  add_table_or_json(*command, options->json);
  command->footer(
      "Times are those of `triscope paper recipe`, with their 95 % intervals: measured ones, or estimates where these\n"
      "are good enough; else the windows are not proposed, and the reason is said. Where windows took turns with the\n"
      "match, their ratio is by these turns, as in `triscope show`. Between two measured windows only whole tiles of\n"
      "128 keys are proposed, since a part of a tile costs as much as all of it.\n"
      "\n"
      "Examples:\n"
      "  triscope advise --seq 16k --pass forward,backward --match baseline.fa3\n"
      "  triscope advise --seq 32k --pass forward --measure");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace triscope
