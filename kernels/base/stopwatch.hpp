// Wall time since it was made.
#pragma once

#include <chrono>
#include <cstdint>

namespace triscope {

class Stopwatch {
 public:
  std::int64_t elapsed_ns() const {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace triscope
