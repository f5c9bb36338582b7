#include "kernels/attention/host_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

struct NamedPointer {
  const char* name;
  const void* pointer;
};

std::vector<NamedPointer> pointers_of(const Problem& problem, Pass pass, const Arguments& arguments) {
  const bool two_axes = problem.form != Form::dot_product;
  std::vector<NamedPointer> list = {
      {"q", arguments.q}, {"k1", arguments.k1}, {"v1", arguments.v1}, {"o", arguments.o}, {"lse", arguments.lse}};
  const auto add = [&](std::initializer_list<NamedPointer> more) { list.insert(list.end(), more); };
  if (two_axes) add({{"k2", arguments.k2}, {"v2", arguments.v2}});
  if (problem.sink) add({{"sink", arguments.sink}});
  if (pass == Pass::forward) return list;
  add({{"grad_o", arguments.grad_o},
       {"grad_q", arguments.grad_q},
       {"grad_k1", arguments.grad_k1},
       {"grad_v1", arguments.grad_v1}});
  if (two_axes) add({{"grad_k2", arguments.grad_k2}, {"grad_v2", arguments.grad_v2}});
  if (problem.sink) add({{"grad_sink", arguments.grad_sink}});
  return list;
}

}  // namespace

std::optional<std::string> unsupported_on_cpu(const Problem& problem, std::span<const Form> forms) {
  if (std::find(forms.begin(), forms.end(), problem.form) == forms.end()) {
    return fmt::format("it does not compute form {}", to_string(problem.form));
  }
  if (problem.element != Element::fp32) return fmt::format("it takes fp32 tensors, not {}", to_string(problem.element));
  return std::nullopt;
}

void require_launchable(const Kernel& kernel, const Problem& problem, Pass pass, std::string_view instance,
                        const Arguments& arguments) {
  require_valid(problem);
  const KernelInfo& info = kernel.info();
  const std::string what = fmt::format("{} cannot run this problem", info.id);
  if (const auto reason = kernel.unsupported(problem, pass, instance)) {
    throw Error(what, *reason, "choose another kernel or problem", ExitCode::usage);
  }
  if (std::find(info.instances.begin(), info.instances.end(), instance) == info.instances.end()) {
    throw Error(what, fmt::format("it has no instance \"{}\"", instance),
                fmt::format("choose one of: {}", fmt::join(info.instances, ", ")), ExitCode::usage);
  }
  for (const NamedPointer& tensor : pointers_of(problem, pass, arguments)) {
    if (tensor.pointer == nullptr) {
      throw Error(what, fmt::format("tensor {} is missing", tensor.name), "pass it", ExitCode::usage);
    }
  }
  if (kernel.workspace_bytes(problem, pass, instance) == 0) return;
  if (arguments.workspace == nullptr || reinterpret_cast<std::uintptr_t>(arguments.workspace) % 256 != 0) {
    throw Error(what, "the workspace is missing or not aligned to 256 bytes", "pass workspace_bytes of aligned memory",
                ExitCode::usage);
  }
}

HostInputs host_inputs(const Arguments& arguments) {
  HostInputs inputs;
  inputs.q = static_cast<const float*>(arguments.q);
  inputs.k1 = static_cast<const float*>(arguments.k1);
  inputs.k2 = static_cast<const float*>(arguments.k2);
  inputs.v1 = static_cast<const float*>(arguments.v1);
  inputs.v2 = static_cast<const float*>(arguments.v2);
  inputs.sink = arguments.sink;
  inputs.grad_o = static_cast<const float*>(arguments.grad_o);
  return inputs;
}

}  // namespace triscope
