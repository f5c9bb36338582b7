// All kernels this build contains.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kernels/attention/kernel.hpp"

namespace triscope {

/// Every kernel, in display order. Built once; thread-safe.
const std::vector<std::unique_ptr<Kernel>>& all_kernels();

/// The kernel called `id`, or null.
const Kernel* find_kernel(std::string_view id);

}  // namespace triscope
