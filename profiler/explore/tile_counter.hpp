// A field that no database holds: what a kernel's tiles compute beside the useful work. It is given as if it were a
// hardware counter, in `CounterValues`, by who asks a build for its tiles (profiler/tiles).
#pragma once

#include <string_view>

namespace triscope {

/// Triples that are computed, over those inside the windows: `ComputedTriples::per_useful`.
inline constexpr std::string_view kComputedTriples = "tiles__computed_per_useful";

/// `counter` of a field is read of a GPU, and not counted by a build; empty: the field is no counter.
inline bool is_hardware_counter(std::string_view counter) { return !counter.empty() && counter != kComputedTriples; }

}  // namespace triscope
