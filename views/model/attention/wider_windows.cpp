#include "views/model/attention/wider_windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/mean_words.hpp"

namespace triscope {
namespace {

/// Which peak of its head this one is there, from 0 on; -1: none of those that are kept.
std::ptrdiff_t rank_of(const MeanMaps& wider, const MeanPeak& peak) {
  const std::vector<MeanPeak>& peaks = wider.peaks.at(static_cast<std::size_t>(peak.head));
  const auto same = [&](const MeanPeak& one) {
    return std::abs(one.back1 - peak.back1) <= 1 && std::abs(one.back2 - peak.back2) <= 1;
  };
  const auto found = std::ranges::find_if(peaks, same);
  return found == peaks.end() ? -1 : found - peaks.begin();
}

/// Beside means that were asked for.
WiderCheck check_beside(const OverviewRequest& means, const AttentionUi& ui, const SourceReply& source) {
  const Problem& problem = means.query.problem;
  const std::int64_t tokens = source.seq_len;
  const auto twice = [&](std::int64_t window) { return std::min(2 * std::min(window, tokens), tokens); };
  const bool pairs = problem.form == Form::dot_product;  // of which the second window says nothing
  const std::int64_t window1 = std::min(problem.window1, tokens), window2 = std::min(problem.window2, tokens);
  for (const auto& [wide1, wide2] : {std::pair{twice(window1), twice(window2)}, std::pair{window1, twice(window2)},
                                     std::pair{twice(window1), window2}}) {
    if (wide1 == window1 && (pairs || wide2 == window2)) continue;
    const std::int64_t height = pairs ? 1 : wide2;
    if (wide1 > kMostMeanCells / height / source.q_heads) continue;
    WiderCheck check{means, {}};
    check.request->query.problem.window1 = wide1;
    check.request->query.problem.window2 = wide2;
    check.request->step = averaging_step(ui, check.request->query.problem, source);
    return check;
  }
  if (window1 == tokens && (pairs || window2 == tokens))
    return {{}, "These windows hold all tokens: there are no wider ones."};
  return {{}, "Wider windows have too many pairs for a mean."};
}

}  // namespace

WiderCheck wider_check(const AttentionUi& ui, const AttentionData& data) {
  const std::optional<OverviewRequest> means = wanted_means(ui, data);
  return means ? check_beside(*means, ui, *data.sides[0].source) : WiderCheck{};
}

std::optional<OverviewRequest> wanted_wider(const AttentionUi& ui, const AttentionData& data) {
  if (!ui.check_wider || !shown_means(ui, data)) return std::nullopt;
  return wider_check(ui, data).request;
}

const MeanMaps* shown_wider(const AttentionUi& ui, const AttentionData& data) {
  if (!ui.check_wider || !data.wider.answer || !shown_means(ui, data)) return nullptr;
  // Beside the means that are there: they stay while queries go by.
  const std::optional<OverviewRequest> check = check_beside(data.means.of, ui, *data.sides[0].source).request;
  return check && data.wider.of == *check ? data.wider.answer.get() : nullptr;
}

std::string wider_rank(const MeanMaps& wider, const MeanPeak& peak) {
  const std::ptrdiff_t rank = rank_of(wider, peak);
  return rank < 0 ? "–" : ordinal(rank + 1);
}

std::string wider_sentence(const MeanMaps& maps, const MeanMaps& wider) {
  constexpr int kNamed = 3;
  std::int64_t heads = 0, stay = 0;
  int named = 0;
  std::string others;
  for (const MeanPeak& peak : largest_peaks(maps)) {
    if (peak_doubt(maps, peak) != PeakDoubt::none) continue;
    ++heads;
    if (rank_of(wider, peak) == 0) {
      ++stay;
      continue;
    }
    const std::vector<MeanPeak>& now = wider.peaks[static_cast<std::size_t>(peak.head)];
    if (++named > kNamed || now.empty()) continue;
    others += fmt::format("{}head {}: {} instead of {}", others.empty() ? "" : "; ", peak.head,
                          distances_text(maps.problem, now.front().back1, now.front().back2),
                          distances_text(maps.problem, peak.back1, peak.back2));
  }
  const std::string windows = format_windows(wider.width, wider.height);
  if (heads == 0) return fmt::format("At {} too there is nothing to compare: no peak is more than chance.", windows);
  std::string text = fmt::format("At {} the largest mean p {} in {} of {}", windows,
                                 stay == heads ? "stays where it is" : "stays", stay, counted(heads, "head"));
  if (!others.empty()) text += fmt::format(" ({}{})", others, named > kNamed ? "; ..." : "");
  return fmt::format("{}: {}.", text, averaged_text(wider, 0));
}

std::string wider_text(const MeanMaps& wider, const MeanPeak& peak) {
  const std::string windows = format_windows(wider.width, wider.height);
  const std::ptrdiff_t rank = rank_of(wider, peak);
  if (rank < 0) return fmt::format("At {} it is none of the largest peaks of its head.", windows);
  const MeanPeak& there = wider.peaks[static_cast<std::size_t>(peak.head)][static_cast<std::size_t>(rank)];
  return fmt::format("At {} it is the {} of its head: mean p {}.", windows,
                     rank == 0 ? "largest" : ordinal(rank + 1) + " largest", significant_text(there.p, 2));
}

void show_wider(AttentionUi& ui, const OverviewRequest& check) {
  if (!ui.before_wider) ui.before_wider = {ui.window1, ui.window2};
  ui.window1 = check.query.problem.window1;
  ui.window2 = check.query.problem.window2;
  ui.check_wider = false;
  ui.part.reset();
}

void back_from_wider(AttentionUi& ui) {
  if (!ui.before_wider) return;
  ui.window1 = ui.before_wider->window1;
  ui.window2 = ui.before_wider->window2;
  ui.before_wider.reset();
  ui.part.reset();
}

}  // namespace triscope
