// How mbarriers are counted here. A barrier completes a phase when as many arrivals have come as it was made for (and
// the bytes that a copy was to bring); phases are numbered 0, 1, 2, ... A wait names a phase by its parity alone, so it
// is right only for the phase that runs and the one before: nobody may fall two phases behind. Each table of barriers
// says why nobody does (forward/barrier_table.hpp).
#pragma once

namespace triscope::hopper {

/// A row of such a table: `count` barriers of 8 bytes side by side, from number `first` on, that complete after
/// `arrivals`.
struct BarrierRow {
  int first;
  int count;
  int arrivals;

  constexpr int end() const { return first + count; }
};

}  // namespace triscope::hopper
