// `triscope eval`: one kernel on given tensors.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/stop/stop_signal.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/output_file.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/plan/windows.hpp"
#include "profiler/record/json.hpp"
#include "profiler/supervise/worker_jobs.hpp"

namespace triscope {
namespace {

struct EvalOptions {
  WorkerOptions worker;
  EvalRequest request;
  std::string device = "auto";
  bool json = false;
  bool windows_given = false;
};

void set_windows(EvalOptions& options, const std::string& text) {
  const std::vector<Windows> windows = parse_windows(text);
  if (windows.size() != 1) refuse_value("--windows", text, "one run takes one pair of windows", "write it as 512x32");
  options.request.problem.window1 = windows.front().window1;
  options.request.problem.window2 = windows.front().window2;
  options.windows_given = true;
}

int run(const EvalOptions& options) {
  EvalRequest request = options.request;
  if (!options.windows_given && request.problem.mask == Mask::causal) {
    throw Error("--windows is missing", "the causal mask needs a pair of windows", "add one such as --windows 512x32",
                ExitCode::usage);
  }
  if (request.in.empty())
    refuse_value("--in", request.in, "the name is empty", "name a .safetensors, .npy, .npz or .pt file");
  for (const char* descriptor : {"/dev/std", "/dev/fd/", "/proc/self/fd/"}) {
    if (!request.out.starts_with(descriptor)) continue;
    refuse_value("--out", request.out,
                 "another process writes the results, and it does not share this program's descriptors",
                 "name a file or a FIFO");
  }
  require_output(request.out, FileKind::tensors, "--out");
  request.in = std::filesystem::absolute(request.in).string();
  request.out = std::filesystem::absolute(request.out).string();
  StopSignal stop;
  const EvalReply reply = run_eval(options.worker, options.device, request, stop.token());
  if (options.json) {
    write_json_line(dump_line({{"type", "eval"},
                               {"kernel", request.kernel},
                               {"instance", reply.instance},
                               {"problem", describe(reply.problem)},
                               {"tensors", reply.tensors},
                               {"not_finite", reply.not_finite},
                               {"file", options.request.out}}));
  } else {
    print_output("{} {}, {}\n", request.kernel, reply.instance, describe(reply.problem));
    for (const std::string& tensor : reply.tensors) print_output("  {}\n", tensor);
    print_output("written to {}\n", options.request.out);
  }
  if (reply.not_finite.empty()) return 0;
  print_error("triscope: {}.", fmt::join(reply.not_finite, ", "));
  return static_cast<int>(ExitCode::measured_failed);
}

void add_problem_options(CLI::App& command, const std::shared_ptr<EvalOptions>& options) {
  Problem& problem = options->request.problem;
  add_text(command, "--windows", "W1xW2", "Windows of the causal mask, such as 512x32",
           [options](const std::string& text) { set_windows(*options, text); });
  add_logit_options(command, problem);
  add_text(command, "--names", "q=NAME,...", "Which tensor of the file is which, when the names do not show it",
           [options](const std::string& text) { options->request.mapping.names = parse_tensor_names(text, true); });
  command.add_flag("--heads-first", options->request.mapping.heads_first,
                   "Tensors are [batch, heads, seq, dim] (default: [batch, seq, heads, dim])");
  add_text(command, "--element", "{fp32,bf16}", "Element type (default: the kernel's own)",
           [options](const std::string& text) {
             options->request.element = parse_choice<Element>("--element", text, parse_element, {"fp32", "bf16"});
           });
  command.add_flag("--deterministic", problem.deterministic, "Compute gradients that are identical from run to run");
}

}  // namespace

void add_eval_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("eval", "Run one kernel on the tensors of a file");
  auto options = std::make_shared<EvalOptions>();
  command
      ->add_option(
          "--in", options->request.in,
          ".safetensors, .npz or .pt with q, k1, k2, v1, v2[, sink][, do], or q.npy with k1.npy, ... beside it")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--out", options->request.out, "safetensors to write: o,lse[,dq,dk1,dk2,dv1,dv2][,dsink]")
      ->required()
      ->type_name("FILE");
  command->add_option("--kernel", options->request.kernel, "Id that `triscope kernels` prints")
      ->required()
      ->type_name("ID");
  command->add_option("--instance", options->request.instance, "auto, or an instance's name (default: auto)")
      ->type_name("NAME");
  command->add_option("--device", options->device, "auto, cpu, or a GPU's number (default: auto)")->type_name("ID");
  add_problem_options(*command, options);
  add_table_or_json(*command, options->json);
  command->add_flag("--backward", options->request.backward, "Also compute the gradients; the file must hold do");
  command->footer(
      "Layout is [batch, seq, heads, dim], with or without the batch; F32, F16 and BF16 are read, F32 is written, "
      "always\n"
      "as [batch, seq, heads, dim]. LSE is the natural log. Other tensors of the file are left alone.\n"
      "\n"
      "Examples:\n"
      "  triscope eval --in t.safetensors --out r.safetensors --windows 512x32 --kernel cpu.oracle\n"
      "  triscope eval --in t.safetensors --out r.safetensors --mask full --form determinant --scale 1 \\\n"
      "                --kernel cpu.fast --backward");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace triscope
