// Why a kernel that was asked for cannot be run here: one wording for the plan, the jobs and the worker.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/base/error.hpp"
#include "profiler/record/catalog.hpp"

namespace triscope {

/// No kernel of `known`, those of the build, is called `id`, which was to be `done` ("run", "measured"). Usage; or
/// environment when `id` is a GPU's and the build has no GPU kernels.
Error unknown_kernel(const std::string& id, std::span<const std::string> known, std::string_view done);

/// `kernel` does not run on `device`, which was named (usage).
Error kernel_of_another_device(const KernelInfo& kernel, const Device& device, std::string_view done);

/// Throws `Error` (environment) when `kernel` needs a GPU and `catalog` has none. The error names what to do instead.
void require_device_of(const KernelInfo& kernel, const Catalog& catalog, std::string_view done);

}  // namespace triscope
