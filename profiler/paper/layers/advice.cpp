#include "profiler/paper/layers/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/nearest_name.hpp"
#include "profiler/paper/layers/layer_estimate.hpp"
#include "profiler/record/words/count_text.hpp"

namespace triscope {
namespace {

struct Cost {
  double ms = 0;
  std::int64_t from = 0;  // the length that was measured; 0: several
  std::set<std::string> kernels;
};

double farness(std::int64_t seq_len, std::int64_t wanted) {
  return std::abs(std::log(static_cast<double>(seq_len) / static_cast<double>(wanted)));
}

bool within_reach(std::int64_t seq_len, std::int64_t wanted) {
  return seq_len <= kMostReach * wanted && wanted <= kMostReach * seq_len;
}

// The time of `rows` (one pair of windows, one pass) at the wanted length: of the nearest length the fastest kernel.
std::optional<Cost> cost_of(const std::vector<const ResultRow*>& rows, std::int64_t seq_len) {
  std::optional<Cost> best;
  for (const ResultRow* row : rows) {
    if (!within_reach(row->problem.seq_len, seq_len)) continue;
    Problem wanted = row->problem;
    wanted.seq_len = seq_len;
    if (wanted.form == Form::dot_product) wanted.window1 = seq_len;
    const double scale = static_cast<double>(triple_count(wanted)) / static_cast<double>(triple_count(row->problem));
    const Cost cost{*row->median_ms * scale, row->problem.seq_len, {row->kernel}};
    const double nearer = best ? farness(cost.from, seq_len) - farness(best->from, seq_len) : -1;
    if (!best || nearer < 0 || (nearer == 0 && cost.ms < best->ms)) best = cost;
  }
  return best;
}

// Over all passes; nullopt when one is missing.
std::optional<Cost> total_cost(const std::map<Pass, std::vector<const ResultRow*>>& by_pass,
                               const AdviceRequest& request) {
  Cost total;
  for (const Pass pass : request.passes) {
    const auto rows = by_pass.find(pass);
    const std::optional<Cost> one = rows == by_pass.end() ? std::nullopt : cost_of(rows->second, request.layer.seq_len);
    if (!one) return std::nullopt;
    total.from = total.kernels.empty() || total.from == one->from ? one->from : 0;
    total.ms += one->ms;
    total.kernels.insert(one->kernels.begin(), one->kernels.end());
  }
  return total;
}

std::string basis_of(const Cost& cost, std::int64_t seq_len) {
  if (cost.from == seq_len) return "measured";
  return cost.from == 0 ? "scaled from several lengths" : fmt::format("scaled from seq {}", cost.from);
}

[[noreturn]] void refuse(const std::string& why, const std::string& fix) {
  throw Error("no windows can be proposed", why, fix, ExitCode::usage);
}

/// The lengths that answer.
std::string lengths_text(const AdviceRequest& request) {
  return fmt::format("at {} tokens or within {} times of it", count_text(request.layer.seq_len), kMostReach);
}

/// The command that measures what is missing.
std::string sweep_of(const AdviceRequest& request, const std::string& what) {
  std::string passes;
  for (const Pass pass : request.passes) passes += (passes.empty() ? "" : ",") + std::string(to_string(pass));
  const LayerMixRequest& layer = request.layer;
  return fmt::format("triscope sweep --pass {} --seq {} --q-heads {} --kv-heads {} --head-dim {}{}", passes,
                     layer.seq_len, layer.q_heads, layer.kv_heads, layer.head_dim, what);
}

/// There are no times of the match. A name that is near one that was measured, or of a kernel with two axes, is a
/// mistake; any other may be of a kernel that this database lacks.
[[noreturn]] void refuse_match(std::span<const ResultRow> rows, const AdviceRequest& request) {
  const std::string& match = request.layer.dot_kernel;
  std::set<std::string> there;
  bool has_two_axes = false;
  for (const ResultRow& row : rows) {
    has_two_axes |= row.kernel == match && row.problem.form != Form::dot_product;
    LayerMixRequest beside = request.layer;
    beside.dot_kernel = row.kernel;
    if (is_row_of_heads(row, beside, row.pass) && is_global_layer(row, beside) &&
        within_reach(row.problem.seq_len, beside.seq_len))
      there.insert(row.kernel);
  }
  const bool measured = there.erase(match) > 0;
  const std::vector<std::string> known(there.begin(), there.end());
  const std::string choice = known.empty() ? "" : fmt::format("choose from {}", fmt::join(known, ", "));
  if (has_two_axes) {
    refuse(fmt::format("{} does not compute dot-product attention", match),
           choice.empty() ? "measure a kernel that does: " + sweep_of(request, " --form dot_product") : choice);
  }
  const std::string near = measured ? "" : nearest_name_hint(match, known);
  const std::string measure =
      "measure it first: " + sweep_of(request, fmt::format(" --form dot_product --kernel {}", match));
  refuse(fmt::format("{} was not measured in every pass at these heads, {}", match, lengths_text(request)),
         !near.empty()    ? near + choice
         : choice.empty() ? measure
                          : choice + ", or " + measure);
}

using ByFirstWindow = std::map<std::int64_t, Cost>;

// The measured windows of one second window, and between them whole tiles.
std::vector<WindowAdvice> candidates_of(const ByFirstWindow& measured, std::int64_t window2, double match_ms,
                                        std::int64_t seq_len) {
  std::vector<WindowAdvice> all;
  for (auto low = measured.begin(); low != measured.end(); ++low) {
    all.push_back(
        {{low->first, window2}, low->second.ms, 0, low->second.from == seq_len, basis_of(low->second, seq_len)});
    const auto high = std::next(low);
    if (high == measured.end()) break;
    for (std::int64_t window1 = (low->first / kAdviceTile + 1) * kAdviceTile; window1 < high->first;
         window1 += kAdviceTile) {
      const double way = static_cast<double>(window1 - low->first) / static_cast<double>(high->first - low->first);
      all.push_back({{window1, window2},
                     std::lerp(low->second.ms, high->second.ms, way),
                     0,
                     false,
                     fmt::format("between {}x{} and {}x{}", low->first, window2, high->first, window2)});
    }
  }
  for (WindowAdvice& one : all) one.ratio = one.ms / match_ms;
  return all;
}

bool nearer(const WindowAdvice& a, const WindowAdvice& b) {
  return std::abs(std::log(a.ratio)) < std::abs(std::log(b.ratio));
}

}  // namespace

std::size_t how_many_fit(const Advice& advice) {
  return static_cast<std::size_t>(
      std::count_if(advice.windows.begin(), advice.windows.end(),
                    [](const WindowAdvice& one) { return std::abs(std::log(one.ratio)) <= std::log(kAdviceFit); }));
}

Advice advise_windows(std::span<const ResultRow> rows, const AdviceRequest& request) {
  std::map<Pass, std::vector<const ResultRow*>> match;
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<Pass, std::vector<const ResultRow*>>> windows;  // w2, w1
  const LayerMixRequest& layer = request.layer;
  for (const ResultRow& row : rows) {
    if (!is_row_of_heads(row, layer, row.pass)) continue;
    const Problem& problem = row.problem;
    if (is_global_layer(row, layer)) {
      match[row.pass].push_back(&row);
    } else if (is_simplicial_layer(row, layer) && problem.window1 <= layer.seq_len &&
               problem.window2 <= layer.seq_len) {
      windows[{problem.window2, problem.window1}][row.pass].push_back(&row);
    }
  }
  const std::optional<Cost> target = total_cost(match, request);
  if (!target) refuse_match(rows, request);
  Advice advice{target->ms, basis_of(*target, layer.seq_len), {}, target->kernels};
  std::map<std::int64_t, ByFirstWindow> by_second;
  for (const auto& [pair, by_pass] : windows) {
    const std::optional<Cost> cost = total_cost(by_pass, request);
    if (!cost) continue;
    by_second[pair.first][pair.second] = *cost;
    advice.kernels.insert(cost->kernels.begin(), cost->kernels.end());
  }
  if (by_second.empty())
    refuse("no windows were measured in every pass at these heads, " + lengths_text(request),
           "measure some first: " + sweep_of(request, ""));
  for (const auto& [window2, measured] : by_second) {
    const std::vector<WindowAdvice> all = candidates_of(measured, window2, target->ms, layer.seq_len);
    advice.windows.push_back(*std::min_element(all.begin(), all.end(), nearer));
  }
  std::stable_sort(advice.windows.begin(), advice.windows.end(), nearer);
  return advice;
}

}  // namespace triscope
