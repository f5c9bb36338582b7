#include "profiler/plan/default_windows.hpp"

#include <algorithm>

#include "kernels/attention/paper.hpp"

namespace triscope {

std::vector<Windows> default_windows(const SweepRequest& request) {
  if (!request.windows.empty()) return request.windows;
  std::vector<Windows> windows;
  if (request.forms != std::vector{Form::dot_product}) {
    for (const PaperRow& row : paper_table1()) windows.push_back(row.windows);
  } else if (!request.seq_lens.empty()) {
    windows.push_back({std::ranges::max(request.seq_lens), 1});
  }
  return windows;
}

}  // namespace triscope
