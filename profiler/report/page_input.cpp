#include "profiler/report/page_input.hpp"

#include <algorithm>
#include <map>

#include "profiler/paper/layers/measured_crossing.hpp"

namespace triscope {

void take_rows(PaperPageInput& input, std::vector<ResultRow> rows, std::string device) {
  std::map<std::string, std::int64_t> timed;  // rows by device
  for (const ResultRow& row : rows) {
    if (row.status == Status::ok && row.median_ms) ++timed[row.device];
  }
  const auto most = std::ranges::max_element(timed, {}, [](const auto& one) { return one.second; });
  if (!timed.contains(device) && most != timed.end()) device = most->first;
  input.other_devices.clear();
  for (const auto& [name, count] : timed) {
    if (name != device) input.other_devices.push_back(name);
  }
  std::erase_if(rows, [&](const ResultRow& row) { return row.device != device; });
  input.rows = std::move(rows);
  input.device = std::move(device);
}

std::vector<Problem> page_problems(const PaperPageInput& input) {
  ProblemList problems;
  problems.add(problems_to_count(input.rows, input.layer));
  for (const Windows& windows : windows_with_lengths(input.rows, input.layer)) {
    LayerMixRequest layer = input.layer;
    layer.windows = windows;
    problems.add(crossing_problems(input.rows, layer));
  }
  return problems.list();
}

}  // namespace triscope
