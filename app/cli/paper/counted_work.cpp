#include "app/cli/paper/counted_work.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "app/cli/text/terminal.hpp"
#include "profiler/tiles/ask_tiles.hpp"

namespace triscope {

WorkTable count_work(const std::vector<Problem>& problems) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kPatience{2};
  const Clock::time_point began = Clock::now();
  bool shown = false;
  const auto clear = [&shown] {
    if (shown) write_status_line("");
    shown = false;
  };
  const auto tell = [&](std::size_t done, std::size_t all) {
    if (Clock::now() - began < kPatience || !is_terminal(stderr)) return;
    shown = true;
    write_status_line(fmt::format("Counting the tiles of {} problems: {} done", all, done));
  };
  try {
    WorkTable table = ask_work(problems, {}, tell);
    clear();
    return table;
  } catch (...) {
    clear();
    throw;
  }
}

}  // namespace triscope
