// What the estimates of a run time know of a chip. All times in us, fitted to every instance's time on 400 random
// problems (docs/instances.md); the costs of the tile instances' columns stand beside them (forward/instances.hpp).
#pragma once

namespace triscope::hopper {

/// Instances with tiles.
struct TileTimes {
  double start;       ///< launch, tables and first tiles
  double reorder;     ///< the kernel that reorders tile keys
  double item;        ///< of a work item
  double position;    ///< and of each of its positions
  double odd_tile;    ///< a step over a chunk of one tile, which pays a step's fixed costs alone
  double turn;        ///< from one pass to the next
  double query_wait;  ///< a work item, where there is one buffer for q
};

/// Instance rows.
struct RowTimes {
  double start;
  double step;        ///< the last row: each step of it,
  double batch;       ///< and each batch of keys of a step
  double wave;        ///< all rows together, for each wave of lanes that the GPU holds at once:
  double wave_step;   ///< a step, if determinant
  double wave_batch;  ///< a batch of keys
  int lanes_at_once;  ///< of a multiprocessor
};

/// Instance portable.
struct PortableTimes {
  double start, step, tile;  ///< the first block: itself, each short-axis key, and each tile of 64 keys of such a step
  double block, block_step, block_tile;  ///< the same of each further block of a multiprocessor, which overlap
};

/// What a half instance needs in front of it (half_operands.cuh).
struct HalfTimes {
  double launches;
  double megabyte;  ///< of the long axis' keys
};

/// A chip that the estimates were fitted on.
struct ChipTimes {
  const char* name;
  int multiprocessors;
  TileTimes tiles64, tiles128;  ///< head_dim 64, 128
  RowTimes rows;
  HalfTimes half;
  PortableTimes portable64, portable128;
  double cached_megabytes;   ///< what stays in the L2 cache between launches,
  double uncached_megabyte;  ///< and what a megabyte beyond it costs the portable instance
};

inline constexpr ChipTimes kH200Times = {
    .name = "H200",
    .multiprocessors = 132,
    .tiles64 = {.start = 3.3,
                .reorder = 1.8,
                .item = 2.36,
                .position = 0.04,
                .odd_tile = 0.32,
                .turn = 0.2,
                .query_wait = 0.7},
    .tiles128 = {.start = 3.6,
                 .reorder = 2.1,
                 .item = 3.27,
                 .position = 0.03,
                 .odd_tile = 0.11,
                 .turn = 0.0,
                 .query_wait = 0.7},
    .rows = {.start = 1.7,
             .step = 0.24,
             .batch = 0.25,
             .wave = 1.6,
             .wave_step = 0.23,
             .wave_batch = 0.67,
             .lanes_at_once = 640},
    // From rates of 16/16 heads and of a launch of 29 us, not fitted; 2026-11-23, with maxima, copies and a bf16
    // instance as launches of their own. Of the one launch that they became on 2026-11-29 two times are known, 6.0 us
    // where k1 has 2.1 MB and 37 where it has 34 (docs/instances.md), but no random problems: these stay until some
    // are.
    .half = {.launches = 9.0, .megabyte = 1.2},
    .portable64 = {.start = 2.97, .step = 1.55, .tile = 0.93, .block = 0.94, .block_step = 0.69, .block_tile = 0.46},
    .portable128 = {.start = 3.9, .step = 2.8, .tile = 1.25, .block = 2.0, .block_step = 1.7, .block_tile = 0.85},
    .cached_megabytes = 30,
    .uncached_megabyte = 0.16,
};

/// The GPU that a plan is for.
struct Chip {
  const ChipTimes* times = &kH200Times;  ///< of the H200 for every chip with sm_90: no other was measured
  int multiprocessors = kH200Times.multiprocessors;
};

inline constexpr Chip kH200{};

}  // namespace triscope::hopper
