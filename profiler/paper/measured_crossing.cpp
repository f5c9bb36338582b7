#include "profiler/paper/measured_crossing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "profiler/record/columns.hpp"
#include "profiler/statistics/row_that_counts.hpp"

namespace triscope {
namespace {

using WindowsKey = std::pair<std::int64_t, std::int64_t>;
using Rows = std::vector<const ResultRow*>;
using Curve = std::map<std::int64_t, const ResultRow*>;  // by length

/// Of one device: rows of each kernel of ours by windows, and those of dot-product attention.
struct DeviceRows {
  std::map<std::string, std::map<WindowsKey, Rows>> kernels;
  Rows dot_product;
};

bool counts(const ResultRow& row, const LayerMixRequest& request, Pass pass) {
  return is_layer_row(row, request, pass) && row.problem.q_heads == request.q_heads;
}

std::map<std::string, DeviceRows> rows_by_device(std::span<const ResultRow> rows, const LayerMixRequest& request,
                                                 Pass pass) {
  std::map<std::string, DeviceRows> devices;
  for (const ResultRow& row : rows) {
    if (!counts(row, request, pass)) continue;
    DeviceRows& device = devices[row.device];
    if (is_global_layer(row, request)) device.dot_product.push_back(&row);
    if (is_simplicial_layer(row, request))
      device.kernels[row.kernel][{row.problem.window1, row.problem.window2}].push_back(&row);
  }
  return devices;
}

Curve curve_of(const Rows& rows) {
  std::map<std::int64_t, Rows> alike;
  for (const ResultRow* row : rows) alike[row->problem.seq_len].push_back(row);
  Curve curve;
  for (const auto& [length, measured] : alike) curve[length] = row_that_counts(measured);
  return curve;
}

Rows of_sweep(const Rows& rows, std::int64_t sweep) {
  Rows kept;
  std::ranges::copy_if(rows, std::back_inserter(kept), [&](const ResultRow* row) { return row->sweep == sweep; });
  return kept;
}

/// Windows beside dot-product attention.
struct Beside {
  Curve windows, dot_product;
  std::size_t lengths = 0;  ///< in common
};

Beside beside(const Rows& windows, const Rows& dot_product) {
  Beside made{curve_of(windows), curve_of(dot_product), 0};
  for (const auto& [length, row] : made.windows) made.lengths += made.dot_product.contains(length) ? 1 : 0;
  return made;
}

/// Sweeps with rows of these windows, the one that was started last at the end.
std::vector<std::int64_t> sweeps_of(const Rows& windows) {
  std::map<std::int64_t, std::string> started;  // id -> last start
  for (const ResultRow* row : windows) started[row->sweep] = std::max(started[row->sweep], row->started);
  std::vector<std::int64_t> sweeps;
  for (const auto& [sweep, when] : started) sweeps.push_back(sweep);
  std::ranges::stable_sort(sweeps, {}, [&](std::int64_t sweep) { return started.at(sweep); });
  return sweeps;
}

/// Of the sweep that has most lengths of both, since these took turns: the newest of equals. Where none has two, of all
/// rows, but at each length of the newest sweep that has both.
Beside best_beside(const Rows& windows, const Rows& dot_product) {
  Beside best, all = beside(windows, dot_product);
  for (const std::int64_t sweep : sweeps_of(windows)) {
    Beside one = beside(of_sweep(windows, sweep), of_sweep(dot_product, sweep));
    for (const auto& [length, row] : one.windows) {
      const auto dot = one.dot_product.find(length);
      if (dot != one.dot_product.end()) all.windows[length] = row, all.dot_product[length] = dot->second;
    }
    if (one.lengths >= std::max<std::size_t>(best.lengths, 2)) best = std::move(one);
  }
  return best.lengths > 1 ? best : all;
}

std::vector<LengthPoint> points_of(const Curve& curve) {
  std::vector<LengthPoint> points;
  for (const auto& [length, row] : curve)
    points.push_back(
        {length, *row->median_ms, row->ci_low_ms.value_or(0), row->ci_high_ms.value_or(0), row->measurement});
  return points;
}

Windows windows_of(const WindowsKey& key) { return {key.first, key.second}; }

/// What one pair of windows took over another at one length.
struct Factor {
  double value = 1;
  std::int64_t seq_len = 0;  ///< 0: there is no such length
};

/// At the longest length; of one sweep where there is one.
Factor factor_of(const Rows& few, const Rows& like) {
  const auto at_longest = [](const Curve& few_curve, const Curve& like_curve) {
    Factor factor;
    for (const auto& [length, row] : few_curve) {
      const auto other = like_curve.find(length);
      if (other != like_curve.end()) factor = {*row->median_ms / *other->second->median_ms, length};
    }
    return factor;
  };
  Factor best;
  for (const ResultRow* row : few) {
    const Factor one = at_longest(curve_of(of_sweep(few, row->sweep)), curve_of(of_sweep(like, row->sweep)));
    if (one.seq_len > best.seq_len) best = one;
  }
  return best.seq_len > 0 ? best : at_longest(curve_of(few), curve_of(like));
}

/// Without intervals: of a model.
MeasuredCrossing crossing_of(std::string model, std::vector<LengthPoint> points, const Curve& dot_product) {
  for (LengthPoint& point : points) point.low_ms = point.high_ms = 0;
  return {find_crossing(points, points_of(dot_product)), "", "", std::move(model), 0};
}

/// The curve of `like` as that of `windows`, of which `few` rows were measured.
MeasuredCrossing from_curve(const WindowsKey& windows, const Rows& few, const WindowsKey& like, const Rows& like_rows,
                            const Beside& curve) {
  std::vector<LengthPoint> points = points_of(curve.windows);
  std::string model = fmt::format("the curve of {}x{}", like.first, like.second);
  if (const Factor factor = factor_of(few, like_rows); factor.seq_len > 0) {
    for (LengthPoint& point : points) point.ms *= factor.value;
    model += fmt::format(" times {}, as at {} tokens", significant_text(factor.value, 3), factor.seq_len);
  } else {
    for (LengthPoint& point : points)
      point.ms *= layer_triples(windows_of(windows), point.seq_len) / layer_triples(windows_of(like), point.seq_len);
    model += " by the number of triples";
  }
  return crossing_of(std::move(model), std::move(points), curve.dot_product);
}

/// The time of `like` at its longest length, as that of `windows` at the lengths of dot-product attention.
MeasuredCrossing from_one_length(const WindowsKey& windows, const WindowsKey& like, const Rows& like_rows,
                                 const Rows& dot_product) {
  const Curve beside = curve_of(dot_product), own = curve_of(like_rows);
  const auto& [length, row] = *own.rbegin();
  std::vector<LengthPoint> points;
  for (const auto& [other, dot] : beside)
    points.push_back(
        {other, *row->median_ms * layer_triples(windows_of(windows), other) / layer_triples(windows_of(like), length),
         0, 0, 0});
  return crossing_of(
      fmt::format("the time of {}x{} at {} tokens by the number of triples", like.first, like.second, length),
      std::move(points), beside);
}

/// Of one kernel: from a curve of its own, else from the curve of the nearest windows, else from one length.
std::optional<MeasuredCrossing> of_kernel(const std::map<WindowsKey, Rows>& kernel, const Rows& dot_product,
                                          const WindowsKey& windows) {
  const auto own = kernel.find(windows);
  const Rows few = own == kernel.end() ? Rows() : own->second;
  if (const Beside curve = best_beside(few, dot_product); curve.lengths > 1)
    return MeasuredCrossing{find_crossing(points_of(curve.windows), points_of(curve.dot_product)), "", "", "",
                            curve.lengths};
  const auto distance = [&](const WindowsKey& key) { return windows_distance(windows_of(windows), windows_of(key)); };
  const std::pair<const WindowsKey, Rows>*nearest = nullptr, *nearest_curve = nullptr;
  for (const auto& one : kernel) {
    if (nearest == nullptr || distance(one.first) < distance(nearest->first)) nearest = &one;
    if (best_beside(one.second, dot_product).lengths < 2) continue;
    if (nearest_curve == nullptr || distance(one.first) < distance(nearest_curve->first)) nearest_curve = &one;
  }
  if (nearest_curve != nullptr)
    return from_curve(windows, few, nearest_curve->first, nearest_curve->second,
                      best_beside(nearest_curve->second, dot_product));
  if (nearest == nullptr || curve_of(dot_product).size() < 2) return std::nullopt;
  return from_one_length(windows, nearest->first, nearest->second, dot_product);
}

/// At the longest length that both kernels have rows of these windows at; false where there is none.
bool is_faster(const Rows& a, const Rows& b) {
  const Curve first = curve_of(a), second = curve_of(b);
  for (auto one = first.rbegin(); one != first.rend(); ++one) {
    if (const auto other = second.find(one->first); other != second.end())
      return *one->second->median_ms < *other->second->median_ms;
  }
  return false;
}

/// Of one device, the fastest kernel of these windows first; of others those that were measured.
std::vector<MeasuredCrossing> of_device(const DeviceRows& measured, const WindowsKey& windows) {
  const auto rows_of = [&](const MeasuredCrossing& one) {
    const auto& kernel = measured.kernels.at(one.kernel);
    const auto own = kernel.find(windows);
    return own == kernel.end() ? Rows() : own->second;
  };
  std::vector<MeasuredCrossing> found;
  for (const auto& [kernel, rows] : measured.kernels) {
    std::optional<MeasuredCrossing> one = of_kernel(rows, measured.dot_product, windows);
    if (!one || one->crossing.kind == LatencyCrossing::Kind::not_comparable) continue;
    one->kernel = kernel;
    const bool first = !found.empty() && is_faster(rows_of(*one), rows_of(found.front()));
    found.insert(first ? found.begin() : found.end(), *std::move(one));
  }
  if (!found.empty())
    found.erase(std::remove_if(std::next(found.begin()), found.end(), [](const auto& one) { return one.lengths == 0; }),
                found.end());
  return found;
}

}  // namespace

std::vector<MeasuredCrossing> measured_crossings(std::span<const ResultRow> rows, const LayerMixRequest& request,
                                                 Pass pass) {
  const WindowsKey windows{request.windows.window1, request.windows.window2};
  std::vector<MeasuredCrossing> found;
  for (const auto& [device, measured] : rows_by_device(rows, request, pass)) {
    for (MeasuredCrossing& one : of_device(measured, windows)) {
      one.device = device;
      found.push_back(std::move(one));
    }
  }
  return found;
}

std::string crossing_text(const MeasuredCrossing& found) {
  const LatencyCrossing& crossing = found.crossing;
  std::string text;
  switch (crossing.kind) {
    case LatencyCrossing::Kind::crosses:
      text = fmt::format("{:.0f}, between {} and {}", crossing.seq_len, crossing.after, crossing.before);
      break;
    case LatencyCrossing::Kind::cheaper:
      text = fmt::format("below {}", crossing.shortest);
      break;
    case LatencyCrossing::Kind::dearer:
      text = fmt::format("not up to {}", crossing.longest);
      break;
    case LatencyCrossing::Kind::not_comparable:
      return "not measured";
  }
  return text + fmt::format(" ({}{})", found.kernel, found.model.empty() ? "" : "; model: " + found.model);
}

std::string crossings_text(const std::vector<MeasuredCrossing>& found) {
  const bool several =
      std::ranges::any_of(found, [&](const MeasuredCrossing& one) { return one.device != found.front().device; });
  std::vector<std::string> texts;
  for (const MeasuredCrossing& one : found) texts.push_back(crossing_text(one) + (several ? " on " + one.device : ""));
  return texts.empty() ? "not measured" : fmt::format("{}", fmt::join(texts, "; "));
}

std::array<std::string, 2> comparable_text(std::span<const ResultRow> rows, const LayerMixRequest& request) {
  const std::int64_t by_paper = crossing_by_paper_count(request.windows);
  const std::string in_thousands = by_paper % 1024 == 0 ? fmt::format(" ({}k)", by_paper / 1024) : "";
  return {fmt::format(
              "{}x{} is as much work as causal dot-product attention over {}{} tokens by the paper's count, 3 w1 w2; "
              "over {} by two products each; over {} by the exact number of triples.",
              request.windows.window1, request.windows.window2, by_paper, in_thousands,
              crossing_by_full_rows(request.windows), crossing_by_exact_count(request.windows)),
          fmt::format("By the clock, forward: {}; backward: {}.",
                      crossings_text(measured_crossings(rows, request, Pass::forward)),
                      crossings_text(measured_crossings(rows, request, Pass::backward)))};
}

std::vector<Windows> windows_with_lengths(std::span<const ResultRow> rows, const LayerMixRequest& request) {
  std::map<WindowsKey, std::set<std::int64_t>> lengths;
  for (const ResultRow& row : rows) {
    if (counts(row, request, Pass::forward) && is_simplicial_layer(row, request))
      lengths[{row.problem.window1, row.problem.window2}].insert(row.problem.seq_len);
  }
  std::vector<Windows> all;
  for (const auto& [windows, measured] : lengths) {
    if (measured.size() > 1) all.push_back({windows.first, windows.second});
  }
  if (std::ranges::find(all, request.windows) == all.end()) all.push_back(request.windows);
  std::ranges::sort(all, {}, [](const Windows& w) { return std::pair(w.window1 * w.window2, w.window1); });
  return all;
}

}  // namespace triscope
