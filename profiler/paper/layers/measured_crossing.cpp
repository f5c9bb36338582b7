#include "profiler/paper/layers/measured_crossing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "profiler/paper/layers/by_length.hpp"
#include "profiler/paper/layers/layer_times.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/statistics/statistics.hpp"

namespace triscope {
namespace {

using WindowsKey = std::pair<std::int64_t, std::int64_t>;
using Rows = std::vector<const ResultRow*>;

/// Of one device and pass: rows of each kernel of ours by windows, and those of dot-product attention.
struct DeviceRows {
  std::map<std::string, std::map<WindowsKey, Rows>> kernels;  // with the heads of the request
  Rows dot_product;
  Rows all;  // what a model can go by, of any heads
};

/// Of each kernel of a device, over all windows, the rows of its newest version only: a curve through two versions
/// would cross where neither does.
void keep_newest_versions(DeviceRows& device) {
  for (auto& [kernel, by_windows] : device.kernels) {
    Rows all;
    for (const auto& [windows, rows] : by_windows) all.insert(all.end(), rows.begin(), rows.end());
    const std::string hash = newest_version(all).front()->source_hash;
    for (auto& [windows, rows] : by_windows)
      std::erase_if(rows, [&](const ResultRow* row) { return row->source_hash != hash; });
    std::erase_if(by_windows, [](const auto& one) { return one.second.empty(); });
  }
  device.dot_product = newest_version(device.dot_product);
}

std::map<std::string, DeviceRows> rows_by_device(std::span<const ResultRow> rows, const LayerMixRequest& request,
                                                 Pass pass) {
  std::map<std::string, DeviceRows> devices;
  for (const ResultRow& row : rows) {
    if (!is_layer_row(row, request, pass)) continue;
    DeviceRows& device = devices[row.device];
    if (is_simplicial_layer(row, request)) device.all.push_back(&row);
    if (!is_row_of_heads(row, request, pass)) continue;
    if (is_global_layer(row, request)) device.dot_product.push_back(&row);
    if (is_simplicial_layer(row, request))
      device.kernels[row.kernel][{row.problem.window1, row.problem.window2}].push_back(&row);
  }
  for (auto& [name, device] : devices) keep_newest_versions(device);
  return devices;
}

/// Of one sweep; where none has two lengths of both, of all.
BesideByLength best_beside(const Rows& windows, const Rows& dot_product) {
  BesideByLength best = beside_in_one_sweep(windows, dot_product);
  return best.lengths > 1 ? best : beside_at_each_length(windows, dot_product);
}

std::vector<LengthPoint> points_of(const LengthCurve& curve) {
  std::vector<LengthPoint> points;
  for (const auto& [length, row] : curve) {
    LengthPoint& point = points.emplace_back(length, *row->median_ms, 0, 0, row->measurement);
    if (interval_known(*row)) point.low_ms = *row->ci_low_ms, point.high_ms = *row->ci_high_ms;
  }
  return points;
}

/// Windows beside dot-product attention, measured or not.
struct TwoCurves {
  std::vector<LengthPoint> windows, dot_product;
  std::string kernel, model, reason;  // as those of MeasuredCrossing
  std::size_t lengths = 0;
  std::string left_out;
};

/// At the longest length that both kernels have rows of these windows at; false where there is none.
bool is_faster(const Rows& a, const Rows& b) {
  const LengthCurve first = curve_of(a), second = curve_of(b);
  for (const auto& [length, row] : std::views::reverse(first)) {
    if (const auto other = second.find(length); other != second.end())
      return *row->median_ms < *other->second->median_ms;
  }
  return false;
}

/// The kernels that have a curve of these windows, the fastest first.
std::vector<TwoCurves> measured_curves(const DeviceRows& device, const WindowsKey& windows) {
  std::vector<TwoCurves> found;
  for (const auto& [kernel, by_windows] : device.kernels) {
    const auto own = by_windows.find(windows);
    if (own == by_windows.end()) continue;
    const BesideByLength curve = best_beside(own->second, device.dot_product);
    if (curve.lengths < 2) continue;
    TwoCurves one{points_of(curve.windows), points_of(curve.dot_product), kernel, "", "", curve.lengths, ""};
    const bool first = !found.empty() && is_faster(own->second, device.kernels.at(found.front().kernel).at(windows));
    found.insert(first ? found.begin() : found.end(), std::move(one));
  }
  return found;
}

/// What the layer calculator is asked where the windows, or a kernel that is faster at them, have no curve.
struct ModelQuestion {
  Rows rows;  // of one device
  LengthCurve dot_product;

  LayerTimes times(const LayerMixRequest& request, Pass pass, const WorkTable& table) const {
    return {rows, request, rows.front()->device, LayerTimes::Kind::simplicial, pass, table};
  }
};

std::optional<ModelQuestion> model_question(const DeviceRows& device, const WindowsKey& windows,
                                            const std::vector<TwoCurves>& measured) {
  ModelQuestion question{device.all, curve_of(device.dot_product)};
  if (device.all.empty() || question.dot_product.size() < 2) return std::nullopt;
  if (measured.empty()) return question;
  const Rows& best = device.kernels.at(measured.front().kernel).at(windows);
  std::set<std::string> faster;
  for (const auto& [kernel, by_windows] : device.kernels) {
    const auto own = by_windows.find(windows);
    if (own != by_windows.end() && is_faster(own->second, best)) faster.insert(kernel);
  }
  std::erase_if(question.rows, [&](const ResultRow* row) { return !faster.contains(row->kernel); });
  return question.rows.empty() ? std::nullopt : std::optional(question);
}

/// Why lengths have no time, those of one reason together, in the order of lengths.
struct Refusals {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;  // with their lengths

  void add(const LayerAnswer& answer, std::int64_t length) {
    // What is said of one length holds for all that lie outside the same ones.
    const std::string reason = answer.beyond ? length_text(*answer.beyond) : answer.reason;
    const auto found = std::ranges::find(reasons, reason, &decltype(reasons)::value_type::first);
    (found == reasons.end() ? reasons.emplace_back(reason, std::vector<std::string>{}) : *found)
        .second.push_back(count_text(length));
  }
  /// "without 65,536, 131,072 tokens: ..."
  std::string left_out() const { return listed("without ", ": "); }
  /// The reason; of several each with its lengths.
  std::string text() const { return reasons.size() == 1 ? reasons.front().first : listed("at ", ", "); }

 private:
  std::string listed(const char* before, const char* after) const {
    std::vector<std::string> texts;
    for (const auto& [reason, lengths] : reasons)
      texts.push_back(fmt::format("{}{} tokens{}{}", before, fmt::join(lengths, ", "), after, reason));
    return fmt::format("{}", fmt::join(texts, "; "));
  }
};

TwoCurves modelled(const ModelQuestion& question, const LayerMixRequest& request, Pass pass, const WorkTable& table) {
  LayerTimes times = question.times(request, pass, table);
  TwoCurves curves;
  curves.dot_product = points_of(question.dot_product);
  Refusals refused;
  for (const auto& [length, row] : question.dot_product) {
    const LayerAnswer answer = times.at(length, request.windows);
    if (!answer.time) {
      refused.add(answer, length);
      continue;
    }
    const LayerTime& time = *answer.time;
    curves.windows.push_back({length, time.ms, time.low_ms, time.high_ms, 0});
    curves.kernel = time.kernel;
    if (time.kind == LayerBasis::estimated || curves.model.empty()) curves.model = time.basis;
  }
  if (refused.reasons.empty()) return curves;
  (curves.windows.size() > 1 ? curves.left_out : curves.reason) =
      curves.windows.size() > 1 ? refused.left_out() : refused.text();
  return curves;
}

/// Of one device, the fastest kernel of these windows first; of others those that were measured.
std::vector<TwoCurves> curves_of(const DeviceRows& device, const LayerMixRequest& request, Pass pass,
                                 const WorkTable& table) {
  const WindowsKey windows{request.windows.window1, request.windows.window2};
  std::vector<TwoCurves> found = measured_curves(device, windows);
  const std::optional<ModelQuestion> question = model_question(device, windows, found);
  if (!question) {
    const LengthCurve dot_product = curve_of(device.dot_product);
    if (found.empty() && !device.all.empty() && dot_product.size() == 1) {
      found.emplace_back().reason =
          fmt::format("{} was measured at {} tokens only", request.dot_kernel, count_text(dot_product.begin()->first));
    }
    return found;
  }
  TwoCurves model = modelled(*question, request, pass, table);
  if (found.empty() || model.reason.empty()) found.insert(found.begin(), std::move(model));
  return found;
}

using CurvesByDevice = std::map<std::string, std::vector<TwoCurves>>;

CurvesByDevice curves_by_device(std::span<const ResultRow> rows, const LayerMixRequest& request, Pass pass,
                                const WorkTable& table) {
  CurvesByDevice all;
  for (const auto& [device, measured] : rows_by_device(rows, request, pass))
    all[device] = curves_of(measured, request, pass, table);
  return all;
}

/// Both at the lengths that they have in common, with the sums of the ends of their intervals.
std::vector<LengthPoint> sums(const std::vector<LengthPoint>& a, const std::vector<LengthPoint>& b) {
  std::vector<LengthPoint> both;
  for (const LengthPoint& one : a) {
    const auto other = std::ranges::find(b, one.seq_len, &LengthPoint::seq_len);
    if (other == b.end()) continue;
    const bool known = one.low_ms > 0 && other->low_ms > 0;
    both.push_back({one.seq_len, one.ms + other->ms, known ? one.low_ms + other->low_ms : 0,
                    known ? one.high_ms + other->high_ms : 0, 0});
  }
  return both;
}

/// Each text once.
std::string both_of(const std::string& a, const std::string& b, const char* between) {
  return a == b || b.empty() ? a : a.empty() ? b : a + between + b;
}

CurvesByDevice steps_by_device(const CurvesByDevice& forward, const CurvesByDevice& backward) {
  CurvesByDevice all;
  for (const auto& [device, curves] : forward) {
    const auto other = backward.find(device);
    if (curves.empty() || other == backward.end() || other->second.empty()) continue;
    const TwoCurves &a = curves.front(), &b = other->second.front();
    TwoCurves both{sums(a.windows, b.windows),
                   sums(a.dot_product, b.dot_product),
                   both_of(a.kernel, b.kernel, " and "),
                   both_of(a.model, b.model, "; "),
                   "",
                   std::min(a.lengths, b.lengths),
                   both_of(a.left_out, b.left_out, "; ")};
    if (!a.reason.empty() || !b.reason.empty()) {
      both.reason = "a pass is not known";
    } else if (both.windows.size() < 2 || both.dot_product.size() < 2) {
      both.reason = "the passes are known at other lengths";
    }
    all[device].push_back(std::move(both));
  }
  return all;
}

double half_of(const LatencyCrossing& crossing) { return (crossing.high - crossing.low) / (2 * crossing.seq_len); }

MeasuredCrossing crossing_of(const TwoCurves& curves, const std::string& device) {
  MeasuredCrossing one{find_crossing(curves.windows, curves.dot_product),
                       curves.kernel,
                       device,
                       curves.model,
                       curves.lengths,
                       curves.reason,
                       curves.left_out};
  const bool crosses = one.crossing.kind == LatencyCrossing::Kind::crosses;
  if (!one.reason.empty() || !(crosses || one.crossing.kind == LatencyCrossing::Kind::not_decided)) return one;
  if (!(one.crossing.low > 0)) {
    one.reason = fmt::format("by {}, a time that it stands on has no interval", one.kernel);
  } else if (crosses && half_of(one.crossing) > kWidestHalf) {
    one.reason = fmt::format("by {} the crossing is known to +-{:.0f} % only", one.kernel, 100 * half_of(one.crossing));
  }
  return one;
}

std::vector<MeasuredCrossing> crossings_of(const CurvesByDevice& all) {
  std::vector<MeasuredCrossing> found;
  for (const auto& [device, curves] : all) {
    for (const TwoCurves& one : curves) {
      MeasuredCrossing crossing = crossing_of(one, device);
      if (crossing.crossing.kind == LatencyCrossing::Kind::not_comparable && crossing.reason.empty()) continue;
      found.push_back(std::move(crossing));
    }
  }
  return found;
}

/// Three digits.
std::string tokens_text(double tokens) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(tokens)) - 2));
  return count_text(std::llround(std::round(tokens / unit) * unit));
}

/// Two lengths with `tokens` between them or at one of them: neighbours in `lengths`, else powers of two.
std::array<std::int64_t, 2> two_around(const std::set<std::int64_t>& lengths, std::int64_t tokens) {
  const auto high = lengths.lower_bound(tokens);
  if (high != lengths.end() && high != lengths.begin()) return {*std::prev(high), *high};
  const auto above =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(tokens, 2))));
  return {above / 2, above * 2};
}

std::string interval_text(const LatencyCrossing& crossing) {
  const std::string low = tokens_text(crossing.low), high = tokens_text(crossing.high);
  if (crossing.open_below() && crossing.open_above()) return "at any of the lengths";
  if (crossing.open_below()) return high + " or less";
  return crossing.open_above() ? low + " or more" : fmt::format("{} to {}", low, high);
}

}  // namespace

bool MeasuredCrossing::is_number() const {
  return half_of(crossing) <= kNumberHalf && !crossing.open_below() && !crossing.open_above();
}

Crossings measured_crossings(std::span<const ResultRow> rows, const LayerMixRequest& request, const WorkTable& table) {
  const CurvesByDevice forward = curves_by_device(rows, request, Pass::forward, table),
                       backward = curves_by_device(rows, request, Pass::backward, table);
  return {crossings_of(forward), crossings_of(backward), crossings_of(steps_by_device(forward, backward))};
}

std::vector<MeasuredCrossing> measured_crossings(std::span<const ResultRow> rows, const LayerMixRequest& request,
                                                 Pass pass, const WorkTable& table) {
  return crossings_of(curves_by_device(rows, request, pass, table));
}

std::vector<Problem> crossing_problems(std::span<const ResultRow> rows, const LayerMixRequest& request) {
  ProblemList problems;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    for (const auto& [device, measured] : rows_by_device(rows, request, pass)) {
      const WindowsKey windows{request.windows.window1, request.windows.window2};
      const std::optional<ModelQuestion> question =
          model_question(measured, windows, measured_curves(measured, windows));
      if (!question) continue;
      LayerTimes times = question->times(request, pass, {});
      for (const auto& [length, row] : question->dot_product) times.add_problems(length, request.windows, problems);
    }
  }
  return problems.list();
}

std::string crossing_text(const MeasuredCrossing& found) {
  if (!found.reason.empty()) return "not known: " + found.reason;
  const LatencyCrossing& crossing = found.crossing;
  std::string by = found.kernel;
  if (!found.model.empty()) by += ", " + found.model;
  if (!found.left_out.empty()) by += ", " + found.left_out;
  switch (crossing.kind) {
    case LatencyCrossing::Kind::crosses:
      return found.is_number() ? fmt::format("{} ({}; {})", tokens_text(crossing.seq_len), interval_text(crossing), by)
                               : fmt::format("{} ({})", interval_text(crossing), by);
    case LatencyCrossing::Kind::cheaper:
      return fmt::format("below {} ({})", count_text(crossing.shortest), by);
    case LatencyCrossing::Kind::dearer:
      return fmt::format("not up to {} ({})", count_text(crossing.longest), by);
    case LatencyCrossing::Kind::not_decided:
      return fmt::format("not decided: {} ({})", interval_text(crossing), by);
    case LatencyCrossing::Kind::not_comparable:
      break;
  }
  return "not measured";
}

std::string crossings_text(const std::vector<MeasuredCrossing>& found) {
  const bool several =
      std::ranges::any_of(found, [&](const MeasuredCrossing& one) { return one.device != found.front().device; });
  std::vector<std::string> texts;
  for (const MeasuredCrossing& one : found) texts.push_back(crossing_text(one) + (several ? " on " + one.device : ""));
  return texts.empty() ? "not measured" : fmt::format("{}", fmt::join(texts, "; "));
}

std::array<std::string, 2> comparable_text(std::span<const ResultRow> rows, const LayerMixRequest& request,
                                           const WorkTable& table) {
  const std::int64_t by_paper = crossing_by_paper_count(request.windows);
  const std::string in_thousands = by_paper % 1024 == 0 ? fmt::format(" ({}k)", by_paper / 1024) : "";
  const Crossings by_clock = measured_crossings(rows, request, table);
  return {fmt::format(
              "{}x{} is as much work as causal dot-product attention over {}{} tokens by the paper's count, 3 w1 w2; "
              "over {} by two products each; over {} by the exact number of triples.",
              request.windows.window1, request.windows.window2, count_text(by_paper), in_thousands,
              count_text(crossing_by_full_rows(request.windows)), count_text(crossing_by_exact_count(request.windows))),
          fmt::format("By the clock, forward: {}; backward: {}; both: {}.", crossings_text(by_clock.forward),
                      crossings_text(by_clock.backward), crossings_text(by_clock.step))};
}

std::string crossing_sweep(std::span<const ResultRow> rows, const LayerMixRequest& request, const Crossings& told) {
  std::vector<std::string_view> passes;
  std::set<std::int64_t> beside;
  for (const auto& [pass, found] : {std::pair{Pass::forward, &told.forward}, {Pass::backward, &told.backward}}) {
    if (std::ranges::any_of(*found, [](const MeasuredCrossing& one) { return one.reason.empty(); })) continue;
    passes.push_back(to_string(pass));
    for (const ResultRow& row : rows) {
      if (is_row_of_heads(row, request, pass) && is_global_layer(row, request)) beside.insert(row.problem.seq_len);
    }
  }
  if (passes.empty()) return "";
  const std::string form =
      request.form == LayerMixRequest{}.form ? "" : fmt::format(" --form {}", to_string(request.form));
  return fmt::format("triscope sweep --pass {}{} --windows {}x{} --seq {} --q-heads {} --kv-heads {} --head-dim {}",
                     fmt::join(passes, ","), form, request.windows.window1, request.windows.window2,
                     fmt::join(two_around(beside, crossing_by_exact_count(request.windows)), ","), request.q_heads,
                     request.kv_heads, request.head_dim);
}

std::vector<Windows> windows_with_lengths(std::span<const ResultRow> rows, const LayerMixRequest& request) {
  std::map<WindowsKey, std::set<std::int64_t>> lengths;
  for (const ResultRow& row : rows) {
    if (is_row_of_heads(row, request, Pass::forward) && is_simplicial_layer(row, request))
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
