#include "profiler/paper/layers/advice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text/nearest_name.hpp"
#include "profiler/paper/layers/layer_times.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/statistics/row_that_counts.hpp"

namespace triscope {
namespace {

bool within_reach(std::int64_t seq_len, std::int64_t wanted) {
  return seq_len <= kMostReach * wanted && wanted <= kMostReach * seq_len;
}

/// Over all passes; with a reason where one is not known.
struct TotalAnswer {
  std::optional<LayerTime> time;
  std::set<std::string> kernels;
  std::string reason;
  std::vector<const ResultRow*> rows;  ///< of each pass, where all were measured
};

template <typename TimeOf>
TotalAnswer total_time(const AdviceRequest& request, const TimeOf& time_of) {
  TotalAnswer total;
  LayerTime sum;
  std::string bases;
  bool one_basis = true;
  for (const Pass pass : request.passes) {
    const LayerAnswer answer = time_of(pass);
    if (!answer.time) {
      return {{},
              {},
              fmt::format("the {} is not known: {}", to_string(pass),
                          answer.reason.empty() ? "it was not measured" : answer.reason),
              {}};
    }
    const LayerTime& time = *answer.time;
    one_basis &= total.kernels.empty() || time.basis == sum.basis;
    total.kernels.insert(time.kernel);
    if (time.row != nullptr) total.rows.push_back(time.row);
    sum.ms += time.ms;
    sum.low_ms += time.low_ms;
    sum.high_ms += time.high_ms;
    sum.kind = std::max(sum.kind, time.kind);
    sum.basis = time.basis;
    bases += fmt::format("{}{}: {}", bases.empty() ? "" : "; ", to_string(pass), time.basis);
  }
  if (!one_basis) sum.basis = bases;
  sum.kernel = fmt::format("{}", fmt::join(total.kernels, ", "));
  total.time = sum;
  if (total.rows.size() != request.passes.size()) total.rows.clear();
  return total;
}

[[noreturn]] void refuse(const std::string& why, const std::string& fix) {
  throw Error("no windows can be proposed", why, fix, ExitCode::usage);
}

/// The command that measures what is missing.
std::string sweep_of(const AdviceRequest& request, const std::string& what) {
  std::string passes;
  for (const Pass pass : request.passes) passes += (passes.empty() ? "" : ",") + std::string(to_string(pass));
  const LayerMixRequest& layer = request.layer;
  return fmt::format("`triscope sweep --pass {} --seq {} --q-heads {} --kv-heads {} --head-dim {}{}`", passes,
                     layer.seq_len, layer.q_heads, layer.kv_heads, layer.head_dim, what);
}

/// There are no times of the match. A name that is near one that was measured, or of a kernel with two axes, is a
/// mistake; any other may be of a kernel that this database lacks.
[[noreturn]] void refuse_match(std::span<const ResultRow> rows, const AdviceRequest& request,
                               const std::string& reason) {
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
  // No sweep can be told to measure what is no kernel; which there are is not known here.
  const bool may_be_kernel = match.starts_with("baseline.") || dot_kernels(rows).contains(match);
  const std::string other =
      may_be_kernel ? "measure it first: " + sweep_of(request, fmt::format(" --form dot_product --kernel {}", match))
                    : "give another that `triscope kernels` lists";
  refuse(fmt::format("of {} at {} tokens and these heads {}", match, count_text(request.layer.seq_len), reason),
         !near.empty()    ? near + choice
         : choice.empty() ? other
                          : choice + ", or " + other);
}

/// The measured first windows of each second window, and between them whole tiles: from this many on, some of them.
constexpr std::int64_t kMostBetween = 32;

std::map<std::int64_t, std::set<std::int64_t>> candidates_of(std::span<const ResultRow> rows,
                                                             const LayerMixRequest& layer) {
  std::map<std::int64_t, std::set<std::int64_t>> by_second;
  for (const ResultRow& row : rows) {
    const Problem& p = row.problem;
    if (is_row_of_heads(row, layer, row.pass) && is_simplicial_layer(row, layer) && p.window1 <= layer.seq_len &&
        p.window2 <= layer.seq_len)
      by_second[p.window2].insert(p.window1);
  }
  for (auto& [window2, firsts] : by_second) {
    const std::vector<std::int64_t> measured(firsts.begin(), firsts.end());
    for (std::size_t n = 1; n < measured.size(); ++n) {
      const std::int64_t low = measured[n - 1], high = measured[n];
      const std::int64_t tiles = (high - low) / kAdviceTile;
      const std::int64_t step = kAdviceTile * std::max<std::int64_t>(1, (tiles + kMostBetween - 1) / kMostBetween);
      for (std::int64_t first = (low / kAdviceTile + 1) * kAdviceTile; first < high; first += step)
        firsts.insert(first);
    }
  }
  return by_second;
}

using Kind = LayerTimes::Kind;

/// Of each pass of the request.
class TimesOfPasses {
 public:
  TimesOfPasses(std::span<const ResultRow> rows, const AdviceRequest& request, Kind kind, const WorkTable& table)
      : seq_len_(request.layer.seq_len) {
    const std::vector<const ResultRow*> all = addresses_of(rows);
    const std::string device = usual_device(all, request.layer);
    for (const Pass pass : request.passes) {
      if (!times_.contains(pass))
        times_.emplace(pass, std::make_unique<LayerTimes>(all, request.layer, device, kind, pass, table));
    }
  }
  LayerAnswer at(const Windows& windows, Pass pass) const { return times_.at(pass)->at(seq_len_, windows); }
  void add_problems(const Windows& windows, Pass pass, ProblemList& problems) const {
    times_.at(pass)->add_problems(seq_len_, windows, problems);
  }

 private:
  std::int64_t seq_len_;
  std::map<Pass, std::unique_ptr<LayerTimes>> times_;
};

TotalAnswer match_of(std::span<const ResultRow> rows, const AdviceRequest& request) {
  const TimesOfPasses global(rows, request, Kind::global, {});
  return total_time(request, [&](Pass pass) { return global.at(request.layer.windows, pass); });
}

/// Throws `Error` where the time of the match is not known.
void require_match(std::span<const ResultRow> rows, const AdviceRequest& request, const TotalAnswer& match) {
  if (!match.time) refuse_match(rows, request, match.reason);
}

bool nearer(const WindowAdvice& a, const WindowAdvice& b) {
  return std::abs(std::log(a.ratio)) < std::abs(std::log(b.ratio));
}

WindowAdvice beside_match(const Windows& windows, const TotalAnswer& total, const LayerTime& match,
                          const RatioInTurns& in_turns) {
  WindowAdvice one{windows, *total.time, total.time->ms / match.ms,
                   ratio_range(total.time->interval(), match.interval())};
  const auto turns = in_turns && !total.rows.empty() ? in_turns(total.rows) : std::nullopt;
  if (!turns) return one;
  one.ratio = turns->time.value;
  one.ratios = {*turns->time.low, *turns->time.high};
  one.in_turns_ms = turns->own_ms;
  one.match_in_turns_ms = turns->other_ms;
  return one;
}

/// The nearest proposal of one second window, or why there is none.
void advise_second(const AdviceRequest& request, std::int64_t window2, const std::set<std::int64_t>& firsts,
                   const TimesOfPasses& times, const RatioInTurns& in_turns, Advice& advice) {
  std::optional<WindowAdvice> best;
  std::optional<UnknownWindows> unknown;
  std::set<std::string> kernels;
  for (const std::int64_t window1 : firsts) {
    const Windows windows{window1, window2};
    TotalAnswer total = total_time(request, [&](Pass pass) { return times.at(windows, pass); });
    if (!total.time) {
      if (!unknown ||
          windows_distance(windows, request.layer.windows) < windows_distance(unknown->windows, request.layer.windows))
        unknown = {windows, std::move(total.reason)};
      continue;
    }
    const WindowAdvice one = beside_match(windows, total, advice.match, in_turns);
    if (best && !nearer(one, *best)) continue;
    best = one;
    kernels = std::move(total.kernels);
  }
  if (best) {
    advice.windows.push_back(*std::move(best));
    advice.kernels.merge(kernels);
  } else if (unknown) {
    advice.unknown.push_back(*std::move(unknown));
  }
}

}  // namespace

bool WindowAdvice::has_number() const { return (ratios.high - ratios.low) / (2 * ratio) <= kNumberHalf; }

std::size_t how_many_fit(const Advice& advice) {
  return static_cast<std::size_t>(std::ranges::count_if(advice.windows, [](const WindowAdvice& one) {
    return one.ratios.low >= 1 / kAdviceFit && one.ratios.high <= kAdviceFit;
  }));
}

std::vector<Problem> advice_problems(std::span<const ResultRow> rows, const AdviceRequest& request) {
  require_match(rows, request, match_of(rows, request));  // before tiles are counted, which takes long at great lengths
  const TimesOfPasses times(rows, request, Kind::simplicial, {});
  ProblemList problems;
  for (const auto& [window2, firsts] : candidates_of(rows, request.layer)) {
    for (const std::int64_t window1 : firsts) {
      for (const Pass pass : request.passes) times.add_problems({window1, window2}, pass, problems);
    }
  }
  return problems.list();
}

Advice advise_windows(std::span<const ResultRow> rows, const AdviceRequest& request, const WorkTable& table,
                      const RatioInTurns& in_turns) {
  const LayerMixRequest& layer = request.layer;
  const TimesOfPasses simplicial(rows, request, Kind::simplicial, table);
  const TotalAnswer match = match_of(rows, request);
  require_match(rows, request, match);
  Advice advice{*match.time, {}, {}, match.kernels};
  const auto candidates = candidates_of(rows, layer);
  for (const auto& [window2, firsts] : candidates)
    advise_second(request, window2, firsts, simplicial, in_turns, advice);
  if (advice.windows.empty()) {
    refuse(advice.unknown.empty()
               ? "no windows were measured at these heads"
               : fmt::format("at {} tokens and these heads no windows are known well enough: of {}x{} {}",
                             count_text(layer.seq_len), advice.unknown.front().windows.window1,
                             advice.unknown.front().windows.window2, advice.unknown.front().reason),
           "measure some first: " + sweep_of(request, ""));
  }
  std::stable_sort(advice.windows.begin(), advice.windows.end(), nearer);
  return advice;
}

}  // namespace triscope
