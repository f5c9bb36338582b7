#include "kernels/inspect/slice_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/inspect/slice_rules.hpp"

namespace triscope {

std::vector<Triple> top_triples(const Slice& slice, std::span<const double> maxima, std::int64_t top) {
  // A heap with the smallest in front, fed only from rows whose maximum can enter it. `p` is log p meanwhile.
  const auto larger = [](const Triple& a, const Triple& b) { return a.p > b.p; };
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  std::vector<Triple> heap;
  float threshold = kNone;
  for (std::int64_t k = 0; k < slice.count2 && top > 0; ++k) {
    if (maxima[static_cast<std::size_t>(k)] == kMaskedLogit) continue;
    if (static_cast<float>(maxima[static_cast<std::size_t>(k)] - slice.lse) <= threshold) continue;
    const float* row = slice.log_p.data() + k * slice.count1;
    for (std::int64_t j = 0; j < slice.count1; ++j) {
      if (!(row[j] > threshold) || std::isinf(row[j])) continue;
      if (static_cast<std::int64_t>(heap.size()) == top) {
        std::pop_heap(heap.begin(), heap.end(), larger);
        heap.pop_back();
      }
      heap.push_back({slice.first1 + j, slice.first2 + k, 0, row[j]});
      std::push_heap(heap.begin(), heap.end(), larger);
      if (static_cast<std::int64_t>(heap.size()) == top) threshold = static_cast<float>(heap.front().p);
    }
  }
  return heap;
}

void set_logits(Slice& slice, std::span<const double> logits) {
  for (std::size_t n = 0; n < slice.top.size(); ++n) {
    slice.top[n].logit = logits[n];
    slice.top[n].p = std::exp(logits[n] - slice.lse);
  }
  std::sort(slice.top.begin(), slice.top.end(), [](const Triple& a, const Triple& b) { return a.logit > b.logit; });
}

void set_figures(Slice& slice, const SliceSums::Result& result) {
  slice.lse = result.lse;
  slice.entropy = result.entropy;
  slice.largest_p = result.largest_p;
  slice.sink_p = result.sink_p;
  slice.distance1 = result.distance1;
  slice.distance2 = result.distance2;
}

Overview empty_overview(const AttentionTensors& tensors, std::int64_t step) {
  Overview overview;
  overview.heads = tensors.q_heads;
  overview.step = step;
  overview.columns = (tensors.seq_len + step - 1) / step;
  const auto cells = static_cast<std::size_t>(overview.heads * overview.columns);
  for (auto* figures :
       {&overview.entropy, &overview.largest_p, &overview.sink_p, &overview.distance1, &overview.distance2}) {
    figures->resize(cells);
  }
  return overview;
}

void set_cell(Overview& overview, std::int64_t head, std::int64_t column, const SliceSums::Result& result) {
  const auto at = static_cast<std::size_t>(head * overview.columns + column);
  overview.entropy[at] = static_cast<float>(result.entropy);
  overview.largest_p[at] = static_cast<float>(result.largest_p);
  overview.sink_p[at] = static_cast<float>(result.sink_p);
  overview.distance1[at] = static_cast<float>(result.distance1);
  overview.distance2[at] = static_cast<float>(result.distance2);
}

HeadSheet empty_sheet(const AttentionTensors& tensors, const SliceQuery& query, std::int64_t width,
                      std::int64_t height) {
  HeadSheet sheet;
  sheet.heads = tensors.q_heads;
  sheet.width = std::clamp<std::int64_t>(width, 1, slice_frame(query.problem, 1, query.query).count);
  sheet.height = std::clamp<std::int64_t>(height, 1, slice_frame(query.problem, 2, query.query).count);
  sheet.log_p.assign(static_cast<std::size_t>(sheet.heads * sheet.width * sheet.height),
                     -std::numeric_limits<float>::infinity());
  return sheet;
}

}  // namespace triscope
