#include "kernels/cuda/common/pointers.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "kernels/base/error.hpp"

namespace triscope {

void require_pointers(std::string_view kernel, const Problem& problem, Pass pass, const Arguments& a,
                      std::size_t workspace_bytes) {
  const auto require = [kernel](std::string_view name, const void* pointer, std::uintptr_t alignment) {
    const std::string what = fmt::format("{} was not launched", kernel);
    if (pointer == nullptr) {
      throw Error(what, fmt::format("{} is null", name), "pass every tensor of the pass", ExitCode::usage);
    }
    if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0) {
      throw Error(what, fmt::format("{} is not aligned to {} bytes", name, alignment),
                  "pass tensors that begin where cudaMalloc puts them", ExitCode::usage);
    }
  };
  using Named = std::pair<const char*, const void*>;
  for (const auto& [name, pointer] :
       {Named{"q", a.q}, {"k1", a.k1}, {"k2", a.k2}, {"v1", a.v1}, {"v2", a.v2}, {"o", a.o}}) {
    require(name, pointer, 16);
  }
  require("lse", a.lse, 4);
  if (problem.sink) require("sink", a.sink, 4);
  if (workspace_bytes > 0) require("workspace", a.workspace, 256);
  if (pass == Pass::forward) return;
  for (const auto& [name, pointer] : {Named{"grad_o", a.grad_o},
                                      {"grad_q", a.grad_q},
                                      {"grad_k1", a.grad_k1},
                                      {"grad_k2", a.grad_k2},
                                      {"grad_v1", a.grad_v1},
                                      {"grad_v2", a.grad_v2}}) {
    require(name, pointer, 16);
  }
  if (problem.sink) require("grad_sink", a.grad_sink, 4);
}

}  // namespace triscope
