#include "profiler/worker/jobs/eval_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "kernels/base/error.hpp"
#include "kernels/base/files/output_file.hpp"
#include "kernels/tensors/attention_tensors.hpp"
#include "profiler/record/catalog.hpp"
#include "profiler/worker/jobs/verify.hpp"

namespace triscope {
namespace {

// Results never take the place of the inputs, nor of a file of another kind where the worker runs.
void require_other_file(const EvalRequest& request) {
  require_output(request.out, FileKind::tensors, "--out");
  std::error_code missing;
  if (!std::filesystem::equivalent(request.in, request.out, missing)) return;
  throw Error("the results cannot be written", fmt::format("{} holds the inputs", request.in),
              "name another file with --out", ExitCode::usage);
}

// The problem of the request with the shape of the tensors in the file.
Problem problem_of(const EvalRequest& request, Element element) {
  const auto file = open_tensors(request.in, request.mapping);
  Problem problem = request.problem;
  problem.batch = file->batch;
  problem.seq_len = file->seq_len;
  problem.q_heads = file->q_heads;
  problem.kv_heads = file->kv_heads;
  problem.head_dim = file->head_dim;
  problem.element = element;
  if (!file->sink.empty()) problem.sink = problem.sink.value_or(0.0);  // the file holds one for each head
  if (request.backward && open_gradient(request.in, request.mapping) == nullptr) {
    throw Error("the backward cannot be run", fmt::format("{} holds no tensor called do", request.in),
                "add do, shaped like q, or name it with --names do=NAME, or leave --backward out", ExitCode::usage);
  }
  require_valid(problem);
  return problem;
}

class OutputFile {
 public:
  explicit OutputFile(const Problem& problem) : problem_(problem) {}

  void add_query_like(const char* name, const HostFloats& values) {
    add(name, {problem_.batch, problem_.seq_len, problem_.q_heads, problem_.head_dim}, values);
  }
  void add_key_like(const char* name, const HostFloats& values) {
    add(name, {problem_.batch, problem_.seq_len, problem_.kv_heads, problem_.head_dim}, values);
  }
  /// Leaves tensors out that the problem does not have.
  void add(const char* name, std::vector<std::int64_t> shape, const HostFloats& values) {
    if (!values.empty()) tensors_.push_back({name, std::move(shape), {values.begin(), values.end()}});
  }
  std::vector<std::string> write(const std::string& path) const {
    write_safetensors(path, tensors_);
    std::vector<std::string> names;
    for (const HostTensor& tensor : tensors_)
      names.push_back(fmt::format("{} [{}]", tensor.name, fmt::join(tensor.shape, ", ")));
    return names;
  }
  /// A sentence for each tensor that holds infinities or what is no number.
  std::vector<std::string> not_finite() const {
    std::vector<std::string> findings;
    for (const HostTensor& tensor : tensors_) {
      const auto bad =
          std::count_if(tensor.values.begin(), tensor.values.end(), [](float value) { return !std::isfinite(value); });
      if (bad > 0)
        findings.push_back(
            fmt::format("{} holds {} value{} not finite", tensor.name, bad, bad == 1 ? " that is" : "s that are"));
    }
    return findings;
  }

 private:
  Problem problem_;
  std::vector<HostTensor> tensors_;
};

}  // namespace

EvalReply run_eval_job(const EvalRequest& request, Backend& backend, KernelList kernels) {
  require_other_file(request);
  const Kernel& kernel = require_kernel_on(kernels, request.kernel, backend.device());
  const Element element = request.element.value_or(native_element(backend.device().kind));
  const Problem problem = problem_of(request, element);
  const Pass pass = request.backward ? Pass::backward : Pass::forward;
  const auto refuse = [&](const std::string& reason) {
    throw Error(fmt::format("{} cannot run this problem", request.kernel), reason, "choose another kernel or instance",
                ExitCode::usage);
  };
  if (const auto reason = kernel.unsupported(problem, pass)) refuse(*reason);
  const std::string instance = request.instance == "auto" ? kernel.choose_instance(problem, pass) : request.instance;
  if (const auto reason = kernel.unsupported(problem, pass, instance)) refuse(*reason);

  const InputSet inputs(backend, problem, request.backward, {1, InputKind::normal, request.in, request.mapping});
  PreparedLaunch launch(backend, kernels, kernel, problem, pass, instance, inputs);
  launch();
  backend.synchronize();
  const OutputSet::Host outputs = launch.download();
  OutputFile file(problem);
  file.add_query_like("o", outputs.o);
  file.add("lse", {problem.batch, problem.q_heads, problem.seq_len}, outputs.lse);
  file.add_query_like("dq", outputs.grad_q);
  file.add_key_like("dk1", outputs.grad_k1);
  file.add_key_like("dk2", outputs.grad_k2);
  file.add_key_like("dv1", outputs.grad_v1);
  file.add_key_like("dv2", outputs.grad_v2);
  file.add("dsink", {problem.q_heads}, outputs.grad_sink);
  return {instance, problem, file.write(request.out), file.not_finite()};
}

}  // namespace triscope
