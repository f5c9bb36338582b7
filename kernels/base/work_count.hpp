// What questions about many rows have cost a thread, in steps: tests hold it to what the rows need. Times would tell
// less.
#pragma once

#include <cstdint>

namespace triscope {

struct WorkCount {
  std::uint64_t fits = 0;      ///< of costs to rows
  std::uint64_t rows = 0;      ///< looked at to find those of a kernel
  std::uint64_t compared = 0;  ///< pairs of problems
};
inline thread_local WorkCount work_count;

}  // namespace triscope
