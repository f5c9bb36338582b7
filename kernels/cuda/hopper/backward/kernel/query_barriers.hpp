// The named barriers of the backward by virtual queries (virtual_queries.cuh): bar.sync ids between its two sides. Who
// tells arrives and goes on; who waits meets all of the other side's warps there.
//
// clang-format off
//   barrier          who tells   when                               who waits, before
//   grad_rows_there  values      O of a step is made, by stage      keys: dP
//   rows_there       keys        Q of a step is made                values: S
//   p_there          values      p of a step is written             keys: ds
//   ds_there         keys        ds of a step is written            values: their part of dk
//   tile_done        values      a tile's last step has ended       keys: Q of the next tile
//   own              each side   what its warps share is written (a tile's rows; p or ds, and rows of the next step), or
//                                has been read (a tile's rows)
// clang-format on
//
// Nothing is told about what has been read, since each side is told so by what comes next: Q of a step is there when p
// of the one before has been read; p of a step, when the values' part of dk of the one before has ended. A side that
// tells twice before the other has met it once would be counted for the wrong step. It does not: between two times it
// waits for something that the other tells behind its wait. O has a barrier for each stage, since the values may have
// made the next one while the keys are still in front of dP. Writers of rows that WGMMA reads fence before they tell.
// The other side reads p by ldmatrix: it is told in front of the fence.
// tests/cuda/hopper_backward/query_barriers_test.cpp goes through all orders in which the two sides can run.
#pragma once

namespace triscope::hopper::backward {

struct QueryBarrier {
  static constexpr int kTileDone = 1;
  static constexpr int kGradRowsThere = 2;  ///< + stage
  static constexpr int kRowsThere = 4;
  static constexpr int kPThere = 5;
  static constexpr int kDsThere = 6;
  static constexpr int kOwn = 7;  ///< + side
  static constexpr int kCount = 9;
};

}  // namespace triscope::hopper::backward
