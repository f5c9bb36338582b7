// `triscope sweep`: the main job.
#include "profiler/sweep/sweep.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/options/values.hpp"
#include "app/cli/text/forecast_text.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/sweep_display.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "app/stop/stop_signal.hpp"
#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/plan/windows.hpp"
#include "profiler/record/unusable_sweep.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

struct SweepOptions {
  SweepRequest request;
  std::shared_ptr<std::string> database;
  bool json = false, dry_run = false;
  bool resume = false;
  std::string resume_id;               ///< empty: the newest interrupted sweep
  std::vector<std::int64_t> again;     ///< rows of it with one more restart
  std::vector<std::int64_t> longer;    ///< rows of it with their budget once more
  std::optional<std::string> unclear;  ///< the reference beside which rows are measured longer
};

/// Options that may stand beside --resume; all others belong to the recorded request.
bool allowed_with_resume(const std::string& name) {
  return name == "--resume" || name == "--db" || name == "--json" || name == "--format" || name == "--worker-prefix" ||
         name == "--time-limit" || name == "--tensors" || name == "--again" || name == "--longer" ||
         name == "--unclear";
}

template <typename Set>
CLI::Option* add_text(CLI::App& command, const char* name, const char* type, const char* description, Set set) {
  return command.add_option_function<std::string>(name, set, description)->type_name(type);
}

template <typename Value, typename Parse>
auto set_list(std::vector<Value>& list, const char* name, Parse parse) {
  return [&list, name, parse](const std::string& text) {
    list.clear();
    for (const std::string& item : parse_list(name, text)) list.push_back(parse(name, item));
  };
}

Pass pass_value(std::string_view option, std::string_view token) {
  return parse_choice<Pass>(option, token, parse_pass, {"forward", "backward"});
}
Form sweep_form(std::string_view option, std::string_view token) {
  const std::optional<Form> form = parse_form(token);
  if (form && *form != Form::gemm) return *form;
  refuse_choice(option, token, "this is not a form of attention",
                std::vector<std::string>{"trilinear", "determinant", "dot_product"});
}
Regime regime_value(std::string_view option, std::string_view token) {
  return parse_choice<Regime>(option, token, parse_regime, {"sustained", "burst"});
}

void add_size_options(CLI::App& command, SweepRequest& request) {
  add_text(
      command, "--windows", "LIST",
      "table1 | 512x32,256x64,... | grid:16..1024 (default: table1; of dot_product alone all keys before the query)",
      [&request](const std::string& text) { request.windows = parse_windows(text); });
  const auto counts = [&](const char* name, std::vector<std::int64_t>& list, const char* description) {
    add_text(command, name, "LIST", description, set_list(list, name, parse_count));
  };
  counts("--seq", request.seq_lens, "Sequence lengths, such as 4k,32k (default: 32k on a GPU, 1k on the CPU)");
  counts("--batch", request.batches, "Batch sizes (default: 1)");
  counts("--q-heads", request.q_heads, "Query heads (default: 64 on a GPU, 2 on the CPU)");
  counts("--kv-heads", request.kv_heads, "Key and value heads: one for all, or one for each of --q-heads (default: 1)");
  counts("--head-dim", request.head_dims, "Head dimensions (default: 128)");
}

void add_problem_options(CLI::App& command, SweepRequest& request) {
  add_text(command, "--form", "{trilinear,determinant,dot_product}",
           "Forms of the logit, a list (default: trilinear); dot_product measures the baselines alone, windows Wx1",
           set_list(request.forms, "--form", sweep_form));
  add_text(command, "--mask", "{causal,full}", "Mask (default: causal)", [&request](const std::string& text) {
    request.mask = parse_choice<Mask>("--mask", text, parse_mask, {"causal", "full"});
  });
  add_text(command, "--element", "{fp32,bf16}", "Element type (default: the kernel's own)",
           [&request](const std::string& text) {
             request.element = parse_choice<Element>("--element", text, parse_element, {"fp32", "bf16"});
           });
  add_text(command, "--scale", "X", "Factor of the logits (default: 1/sqrt(head_dim))",
           [&request](const std::string& text) { request.scale = parse_number("--scale", text); });
  add_text(command, "--k2-bias", "X", "Added to every element of K2 (default: 0, off)",
           [&request](const std::string& text) { request.k2_bias = parse_number("--k2-bias", text); });
  add_text(command, "--v2-bias", "X", "Added to every element of V2 (default: 0, off)",
           [&request](const std::string& text) { request.v2_bias = parse_number("--v2-bias", text); });
  add_text(command, "--sink", "X", "A logit per head that only adds to the denominator (default: off)",
           [&request](const std::string& text) { request.sink = parse_number("--sink", text); });
  command.add_flag("--deterministic", request.deterministic, "Compute gradients that are identical from run to run");
  add_text(command, "--pass", "{forward,backward}", "Passes, a list (default: forward,backward)",
           set_list(request.passes, "--pass", pass_value));
}

/// `text`: a list of ids, and of at most one library. A library alone is measured beside every kernel.
void set_kernels(SweepRequest& request, const std::string& text) {
  request.kernels.clear();
  request.plugin.clear();
  if (text == "auto") return;
  for (const std::string& item : parse_list("--kernel", text)) {
    if (item.find('/') == std::string::npos && !item.ends_with(".so")) {
      request.kernels.push_back(item);
      continue;
    }
    if (!request.plugin.empty())
      refuse_value("--kernel", text, "it names two libraries", "measure one library in a sweep");
    request.plugin = item;
  }
}

void add_measuring_options(CLI::App& command, SweepRequest& request) {
  add_text(command, "--kernel", "LIST",
           "auto, ids that `triscope kernels` prints, or a library of your own: ./mine.so (default: auto)",
           [&request](const std::string& text) { set_kernels(request, text); });
  add_text(command, "--instance", "NAME", "auto, all, or an instance's name (default: auto)",
           [&request](const std::string& text) {
             if (text.empty()) refuse_value("--instance", text, "the name is empty", "give auto, all or a name");
             request.instance = text;
           });
  add_text(command, "--device", "ID", "auto, cpu, or a GPU's number (default: auto)",
           [&request](const std::string& text) {
             if (text.empty()) refuse_value("--device", text, "the name is empty", "give auto, cpu or a GPU's number");
             request.device = text;
           });
  add_text(command, "--regime", "{sustained,burst}", "Regimes, a list (default: sustained)",
           set_list(request.regimes, "--regime", regime_value));
  add_text(command, "--timing-source", "{cupti,cuda_events}", "Clock that measures a GPU's times (default: cupti)",
           [&request](const std::string& text) {
             request.timing_source = parse_choice<TimingSource>("--timing-source", text, parse_timing_source,
                                                                {"cupti", "cuda_events", "cpu_clock"});
           });
  command
      .add_option_function<std::string>(
          "--counters",
          [&request](const std::string& text) {
            request.counters =
                text.empty() ? CounterSet::standard
                             : parse_choice<CounterSet>("--counters", text, parse_counter_set, {"quick", "standard"});
          },
          "Also read a GPU's hardware counters: quick (1 pass) or standard (2 passes; meant when no set is named)")
      ->type_name("[{quick,standard}]")
      ->expected(0, 1);
  add_text(command, "--precision", "P%", "Stop when the interval's half-width is below this (default: 0.5%)",
           [&request](const std::string& text) { request.stopping.precision = parse_percent("--precision", text); });
  add_text(command, "--budget", "TIME", "Longest time to sample one measurement, all restarts together (default: 10s)",
           [&request](const std::string& text) { request.stopping.budget_ns = parse_duration_ns("--budget", text); });
  add_text(command, "--restarts", "N", "Measure each row in N new processes, spread over the sweep (default: 3)",
           [&request](const std::string& text) { request.restarts = parse_count("--restarts", text); });
  add_text(command, "--time-limit", "TIME", "End a worker that is silent for longer than this (default: 2min)",
           [&request](const std::string& text) {
             const std::int64_t limit_ns = parse_duration_ns("--time-limit", text);
             request.time_limit =
                 std::max(std::chrono::milliseconds(1),
                          std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(limit_ns)));
           });
  add_text(command, "--seed", "N", "Seed of the generated inputs (default: 1)",
           [&request](const std::string& text) { request.seed = parse_seed("--seed", text); });
  add_text(command, "--tensors", "FILE", ".safetensors, .npz or .pt file with the inputs (default: generated ones)",
           [&request](const std::string& text) {
             if (text.empty())
               refuse_value("--tensors", text, "the name is empty", "name a .safetensors, .npz or .pt file");
             request.tensors = text;
           });
  add_worker_prefix_option(command, request.worker_prefix);
}

void add_resume_options(CLI::App& command, const std::shared_ptr<SweepOptions>& options) {
  command
      .add_option_function<std::string>(
          "--resume",
          [options](const std::string& id) {
            options->resume = true;
            options->resume_id = id;
          },
          "Continue the newest interrupted sweep, or sweep ID")
      ->type_name("[ID]")
      ->expected(0, 1);
  const auto rows = [&command](const char* name, const char* description, std::vector<std::int64_t>& list) {
    add_text(command, name, "mN,...", description, [name, &list](const std::string& text) {
      for (std::string item : parse_list(name, text)) {
        if (item.starts_with('m')) item.erase(0, 1);
        list.push_back(parse_id(name, item));
      }
    });
  };
  rows("--again", "With --resume ID: one more restart of these rows and what takes turns with them", options->again);
  rows("--longer", "With --resume ID: their budget once more, as many restarts as the sweep asks for", options->longer);
  command
      .add_option_function<std::string>(
          "--unclear", [options](const std::string& kernel) { options->unclear = kernel.empty() ? "auto" : kernel; },
          "With --resume ID: up to three more restarts of the rows that are unclear beside KERNEL (default: the usual "
          "baseline)")
      ->type_name("[KERNEL]")
      ->expected(0, 1);
}

/// The sweep --resume means. Throws `Error` (usage) when there is none.
std::int64_t sweep_to_resume(const Snapshot& snapshot, const std::string& id, const std::string& database) {
  if (!id.empty()) {
    const std::int64_t sweep = parse_id("--resume", id);
    if (!snapshot.sweep(sweep)) {
      refuse_value("--resume", id, "the database has no such sweep",
                   fmt::format("see `triscope list{}`", database_words(database)));
    }
    return sweep;
  }
  std::string why = "no sweep of this database was interrupted";
  for (const SweepInfo& sweep : snapshot.sweeps()) {
    if (!why_unusable(sweep).empty()) continue;
    if (sweep.finished.empty() && !sweep.running) return sweep.id;
    if (sweep.running)
      why = fmt::format("sweep {} is being measured right now, and no other was interrupted", sweep.id);
  }
  throw Error("--resume", why, "start a new sweep, or name one whose failures to measure again: --resume ID",
              ExitCode::usage);
}

/// --kernel may stand there when it names a library, which a database never does.
void require_no_request_options(const CLI::App& command, const SweepRequest& request) {
  const bool only_library = !request.plugin.empty() && request.kernels.empty();
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || allowed_with_resume(option->get_name())) continue;
    if (option->get_name() == "--kernel" && only_library) continue;
    throw Error(fmt::format("{} together with --resume", option->get_name()),
                "the recorded request decides what is measured", "leave it out, or start a new sweep", ExitCode::usage);
  }
}

std::string outcome_text(const SweepOutcome& outcome, double seconds, bool resumed) {
  std::string text = fmt::format("sweep {}: {} measured", outcome.sweep, outcome.ok);
  if (outcome.failed > 0) text += fmt::format(", {} failed", outcome.failed);
  if (outcome.skipped > 0) text += fmt::format(", {} skipped", outcome.skipped);
  if (outcome.cancelled > 0) text += fmt::format(", {} cancelled", outcome.cancelled);
  if (!resumed) return text + fmt::format(" in {}", clock_text(seconds));
  if (outcome.measured_now + outcome.repeated_now == 0 && !outcome.stopped)
    return text + "; nothing was left to measure";
  text += fmt::format("; this run measured {}", outcome.measured_now);
  if (outcome.repeated_now > 0) text += fmt::format(" and added restarts to {}", outcome.repeated_now);
  return text + fmt::format(" in {}", clock_text(seconds));
}

int forecast(const SweepOptions& options) {
  SweepDisplay display(options.json);
  const SweepForecast forecast = forecast_sweep(options.request, display.observer());
  display.clear();
  if (options.json) {
    write_json(forecast_json(forecast));
  } else {
    print_output("{}", forecast_table(forecast, terminal_width(stdout, kUnlimitedWidth)));
  }
  return static_cast<int>(forecast.refusal.empty() ? ExitCode::done : ExitCode::environment);
}

void require_kernel_of(const Snapshot& snapshot, std::int64_t sweep, const std::string& kernel) {
  std::set<std::string> known{"auto"};
  for (const ResultRow& row : snapshot.results(sweep)) known.insert(row.kernel);
  if (!known.contains(kernel))
    refuse_choice("--unclear", kernel, fmt::format("sweep {} has no measurement of that kernel", sweep),
                  std::vector<std::string>(known.begin(), known.end()));
}

/// What is measured beyond the request; null: nothing. Throws `Error` (usage) for a row or a kernel of another sweep.
std::shared_ptr<SweepControl> wishes(const SweepOptions& options, const std::filesystem::path& database,
                                     std::optional<std::int64_t> sweep) {
  if (options.again.empty() && options.longer.empty() && !options.unclear) return nullptr;
  const char* option = !options.again.empty() ? "--again" : !options.longer.empty() ? "--longer" : "--unclear";
  if (!sweep) {
    throw Error(option, "it adds to a sweep that was measured", "name the sweep as well: --resume ID", ExitCode::usage);
  }
  auto control = std::make_shared<SweepControl>();
  const auto require_row = [&](const char* name, std::int64_t row) {
    const std::optional<ResultRow> known = Snapshot(database).result(row);
    if (known && known->sweep == *sweep) return;
    throw Error(fmt::format("{} m{}", name, row), fmt::format("sweep {} has no such row", *sweep),
                fmt::format("see `triscope show {}`", *sweep), ExitCode::usage);
  };
  for (const std::int64_t row : options.again) {
    require_row("--again", row);
    control->measure_again(row);
  }
  for (const std::int64_t row : options.longer) require_row("--longer", row);
  control->measure_longer({{}, options.longer});
  if (options.unclear) {
    require_kernel_of(Snapshot(database), *sweep, *options.unclear);
    control->measure_unclear_longer(*options.unclear);
  }
  return control;
}

int run(const SweepOptions& options) {
  if (options.dry_run) {
    wishes(options, *options.database, std::nullopt);  // --again, --longer and --unclear are of a sweep that is resumed
    return forecast(options);
  }
  if (options.resume) existing_database(*options.database);
  const std::filesystem::path database = writable_database(*options.database);
  SweepRequest request = options.request;
  std::optional<std::int64_t> resume;
  if (options.resume) resume = sweep_to_resume(Snapshot(database), options.resume_id, *options.database);
  std::signal(SIGPIPE, SIG_IGN);  // who read along may be gone (a `tee` that was killed): the sweep goes on
  StopSignal stop;
  SweepDisplay display(options.json);
  const std::stop_callback tell(stop.token(), [] {  // in the thread that watches for signals
    if (is_terminal(stderr)) write_status_line("");
    write_error("triscope: stopping after this sample; a second signal ends the program at once.");
  });
  const auto started = std::chrono::steady_clock::now();
  SweepObserver observer = display.observer();
  observer.control = wishes(options, database, resume);
  const SweepOutcome outcome = run_sweep(request, database, observer, stop.token(), resume);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  display.clear();
  display.settle(database);
  if (options.json) {
    write_json_line(summary_json(outcome, database.string()));
  } else {
    print_output("{}; stored in {}\n", outcome_text(outcome, seconds, options.resume), database.string());
    if (outcome.stopped) {
      print_output("stopped; `triscope sweep --resume {}{}` measures the rest\n", outcome.sweep,
                   database_words(*options.database));
    } else {
      print_output("`triscope show {}{}` prints the table\n", outcome.sweep, database_words(*options.database));
    }
  }
  const bool complete = !outcome.stopped && outcome.failed == 0;
  return static_cast<int>(complete ? ExitCode::done : ExitCode::measured_failed);
}

}  // namespace

void add_sweep_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("sweep", "Measure kernels over windows, lengths, heads, forms and passes");
  auto options = std::make_shared<SweepOptions>();
  add_size_options(*command, options->request);
  add_problem_options(*command, options->request);
  add_measuring_options(*command, options->request);
  options->database = add_database_option(*command);
  add_resume_options(*command, options);
  command->add_flag("--json", options->json, "Print one JSON object per line: progress, result, log, summary");
  add_table_or_json(*command, options->json);
  command->add_flag("--dry-run", options->dry_run, "Print what would be measured and about how long it takes");
  command->footer(
      "Lists multiply: two windows, two lengths and two passes are eight measurements of each kernel.\n"
      "Sizes take k for 1024. Ctrl-C stops after the current sample and keeps everything; a second Ctrl-C ends it at "
      "once.\n"
      "\n"
      "Examples:\n"
      "  triscope sweep                                     the paper's Table 1 on the best device here\n"
      "  triscope sweep --windows 512x32,256x64 --seq 8k,32k --q-heads 128 --kv-heads 1\n"
      "  triscope sweep --windows grid:16..1024 --pass forward --precision 1% --budget 3s\n"
      "  triscope sweep --kernel cpu.fast,baseline.cpu --device cpu --json\n"
      "  triscope sweep --kernel ./mine.so,cuda.hopper,baseline.fa3     a kernel of your own beside others\n"
      "  triscope sweep --windows grid:16..1024 --dry-run   what that would measure, and for how long\n"
      "  triscope sweep --resume                            continue the newest sweep that was interrupted\n"
      "  triscope sweep --resume 3 --unclear                measure the unclear rows of sweep 3 longer\n"
      "  triscope sweep --worker-prefix \"srun --gpus=1\"     measure on a compute node");
  command->callback([command, options, &action] {
    if (options->resume) require_no_request_options(*command, options->request);
    require_possible(options->request);
    action = [options] { return run(*options); };
  });
}

}  // namespace triscope
