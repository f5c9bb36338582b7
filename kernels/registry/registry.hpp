// All kernels this build contains.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/attention/tile_use.hpp"

namespace triscope {

/// Every kernel, in display order. Built once; thread-safe.
const std::vector<std::unique_ptr<Kernel>>& all_kernels();

/// The kernel called `id`, or null.
const Kernel* find_kernel(std::string_view id);

/// How much of the tiles is useful, of every instance in this build that can run `problem` and knows its tiles; and the
/// tiles of one query.
std::vector<TileUse> registered_tile_uses(const Problem& problem, TiledQuery query);

}  // namespace triscope
