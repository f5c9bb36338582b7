// How much of the tiles of this build's kernels is useful. The programs that people use link no CUDA, so the worker is
// asked: `triscope-worker --tiles QUESTIONS` prints the answers and ends.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <vector>

#include "profiler/paper/layers/work_table.hpp"
#include "profiler/paper/tile_question.hpp"

namespace triscope {

/// Blocks for some 50 ms. Throws `Error` when the question is refused or the worker cannot be asked. `before`: an
/// answer of which `beside` is taken, when only the query is another one; null: none. `closing`: the program ends, and
/// the worker is waited for no longer.
TileAnswer ask_tiles(const TileQuestion& question, const TileAnswer* before = nullptr,
                     const std::stop_token& closing = {});

/// How many problems are answered, of how many.
using WorkProgress = std::function<void(std::size_t done, std::size_t all)>;

/// What every instance of this build computes for `problems`. Problems that are refused have no instances. Blocks and
/// throws as `ask_tiles`; asks nobody where there are no problems. `told` is called in between.
WorkTable ask_work(const std::vector<Problem>& problems, const std::stop_token& closing = {},
                   const WorkProgress& told = {});

}  // namespace triscope
