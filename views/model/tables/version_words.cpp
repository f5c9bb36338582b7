#include "views/model/tables/version_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "views/data/format.hpp"

namespace triscope {
namespace {

/// "512 × 32, deterministic, at 65,536 tokens": what tells the line from the others.
std::string place_text(const CompareLine& line) {
  const std::string name = line.unusual.empty() ? line.window : line.window + ", " + line.unusual;
  if (!line.tokens) return name;
  return fmt::format("{}{} at {} tokens", name, line.unusual.empty() ? "" : ",", format_count(*line.tokens));
}

std::string change_percent(double change) { return fmt::format("{:+.1f} %", std::round(1000 * change) / 10 + 0.0); }

double apart(double ratio) { return std::abs(std::log(ratio)); }
double change_of(const CompareLine& line) { return line.cells.back()->band->change; }
bool is_judged(const CompareLine& line) { return line.cells.back() && line.cells.back()->band; }

/// The line that is farthest from what did not change, of all or of those with no doubts; null: there is none.
const CompareLine* largest_change(const CompareModel& model, bool with_doubts) {
  const CompareLine* largest = nullptr;
  for (const CompareLine& line : model.lines) {
    if (!is_judged(line) || (!with_doubts && !line.cells.back()->doubts.empty())) continue;
    if (largest == nullptr || apart(1 + change_of(line)) > apart(1 + change_of(*largest))) largest = &line;
  }
  return largest;
}

std::string_view where_text(const CompareLine& line) {
  const BesideUnchanged is = line.cells.back()->band->is;
  if (is == BesideUnchanged::unclear) return "unclear beside";
  return is == BesideUnchanged::inside ? "inside" : "outside";
}

/// "+24.0 %, 128 × 128, deterministic, at 8,192 tokens, outside +-2.9 % (A not converged); of rows with no "doubts"
/// ...".
std::string largest_text(const CompareModel& model, const CompareLine& largest, const std::string& noise) {
  std::string text = fmt::format("{}, {}, {} +-{}", change_percent(change_of(largest)), place_text(largest),
                                 where_text(largest), noise);
  const std::string& doubts = largest.cells.back()->doubts;
  if (doubts.empty()) return text;
  text += fmt::format(" ({})", doubts);
  if (const CompareLine* sure = largest_change(model, false))
    text += fmt::format("; of rows with no \"doubts\" {}, {}, {} it", change_percent(change_of(*sure)),
                        place_text(*sure), where_text(*sure));
  return text;
}

/// What became of the rows of one pair of windows.
struct WindowChange {
  std::string window;
  double low = 0, high = 0;
  std::size_t rows = 0;
  BandTally tally{};
};
std::vector<WindowChange> window_changes(const CompareModel& model) {
  std::vector<WindowChange> changes;
  for (const CompareLine& line : model.lines) {
    if (!is_judged(line)) continue;
    auto found = std::ranges::find(changes, line.window, &WindowChange::window);
    const double change = change_of(line);
    if (found == changes.end()) found = changes.insert(found, WindowChange{line.window, change, change});
    found->low = std::min(found->low, change), found->high = std::max(found->high, change);
    ++found->rows;
    found->tally.add(*line.cells.back()->band);
  }
  const auto largest = [](const WindowChange& one) { return std::max(apart(1 + one.low), apart(1 + one.high)); };
  std::ranges::stable_sort(changes, std::greater(), largest);
  return changes;
}

/// "16 rows: 8 longer, 5 unclear, 3 inside the noise"; of rows that are all the same "2 longer".
std::string tally_words(const WindowChange& change, bool first) {
  std::string text;
  std::size_t kinds = 0;
  for (const auto& [count, word] :
       {std::pair(change.tally.slower, "longer"), std::pair(change.tally.faster, "shorter"),
        std::pair(change.tally.unclear, "unclear"), std::pair(change.tally.inside, "inside the noise")}) {
    if (count == 0) continue;
    ++kinds;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
  }
  if (kinds == 1) return text;
  return fmt::format("{}{}: {}", change.rows, first ? " rows" : "", text);
}

/// "+20 to +24 %", "-3 %".
std::string percent_range(double low, double high) {
  const int from = static_cast<int>(std::lround(100 * low)), to = static_cast<int>(std::lround(100 * high));
  return from == to ? fmt::format("{:+} %", from) : fmt::format("{:+} to {:+} %", from, to);
}

}  // namespace

std::string by_window_text(const CompareModel& model) {
  constexpr std::size_t kMost = 6;  // of more pairs the table says it
  if (!model.band) return {};
  const std::vector<WindowChange> changes = window_changes(model);
  if (changes.size() < 2) return {};
  std::vector<std::string> parts;
  std::vector<std::string> inside;
  std::size_t left_out = 0;
  for (const WindowChange& one : changes) {
    if (one.tally.inside == one.rows) {
      inside.push_back(one.window);
    } else if (parts.size() == kMost) {
      ++left_out;
    } else {
      parts.push_back(
          fmt::format("{} {} ({})", one.window, percent_range(one.low, one.high), tally_words(one, parts.empty())));
    }
  }
  if (left_out > 0) parts.push_back(fmt::format("{} other{}", left_out, left_out == 1 ? "" : "s"));
  if (inside.size() > 3) {
    parts.push_back(fmt::format("{} windows inside the noise", inside.size()));
  } else if (!inside.empty()) {
    parts.push_back(fmt::format("{} inside the noise", fmt::join(inside, " and ")));
  }
  return fmt::format("{}.", fmt::join(parts, ", "));
}

std::string unchanged_words(const CompareModel& model) {
  if (!model.band) return unchanged_text(model.unchanged) + " " + band_text(model.unchanged);
  const UnchangedKernels& kernels = model.unchanged;
  const auto [low, high] = std::ranges::minmax(kernels.times);
  std::string text =
      fmt::format("{} unchanged measurements ({}): {} to {} beside their average, time A / B {:.3f}",
                  kernels.times.size(), fmt::join(kernels.labels, ", "), change_percent(low / model.band->middle - 1),
                  change_percent(high / model.band->middle - 1), model.band->middle);
  if (!kernels.cycles.empty()) {
    const auto [least, most] = std::ranges::minmax(kernels.cycles);
    text += fmt::format(", in cycles {:.3f} to {:.3f}", least, most);
  }
  return fmt::format("{}. One more would lie within {:.1f} % of that average in 99 of 100 cases.", text,
                     100 * (model.band->factor - 1));
}

std::string versions_headline(const CompareModel& model) {
  if (!model.band) return {};
  const CompareLine* largest = largest_change(model, true);
  if (largest == nullptr) return {};
  const BandTally& tally = model.band_tally;
  const std::string noise = fmt::format("{:.1f} %", 100 * (model.band->factor - 1));
  std::string text = fmt::format("{} of {} longer, {} shorter", tally.slower,
                                 tally.slower + tally.faster + tally.inside + tally.unclear, tally.faster);
  if (tally.unclear > 0) text += fmt::format(", {} unclear", tally.unclear);
  if (tally.inside > 0) text += fmt::format(", {} inside the noise", tally.inside);
  text += ". Largest " + largest_text(model, *largest, noise);
  text += ". ";
  if (!model.unjudged.reasons.empty()) text += fmt::format("{}: ", fmt::join(model.unjudged.reasons, "; "));
  return text + (model.unjudged.reasons.empty() ? "Less" : "less") + " than " + noise + " cannot be told.";
}

std::string versions_summary(const CompareModel& model, Pass pass) {
  const std::string of = fmt::format("{} {}: ", model.kernel, to_string(pass));
  if (const std::string headline = versions_headline(model); !headline.empty()) return of + headline;
  return fmt::format("{}{}: {}", of, counted(model.lines.size(), "shared measurement"), compare_summary(model));
}

namespace {

/// "adb6e9 takes 23.2 % longer than 85a1a0.", "adb6e9 beside 85a1a0: inside, +1.9 %.": it holds whichever is called A.
std::string named_verdict(const CompareModel& model, const BandVerdict& verdict) {
  const std::string &newer = model.sweeps.back(), &older = model.sweeps.front();
  if (verdict.is != BesideUnchanged::slower && verdict.is != BesideUnchanged::faster)
    return fmt::format("{} beside {}: {}.", newer, older, band_brief(verdict));
  return fmt::format("{} takes {:.1f} % {} than {}.", newer, 100 * std::abs(verdict.change), to_string(verdict.is),
                     older);
}

}  // namespace

std::optional<VersionVerdict> version_verdict(const CompareModel& model, std::int64_t a, std::int64_t b) {
  if (!model.band) return std::nullopt;
  for (const std::vector<CompareLine>* lines : {&model.lines, &model.unchanged_lines}) {
    for (const CompareLine& line : *lines) {
      const std::optional<CompareCell>&before = line.cells.front(), &after = line.cells.back();
      if (!before || !after) continue;
      const bool swapped = after->measurement == b && before->measurement == a;
      if (!swapped && (after->measurement != a || before->measurement != b)) continue;
      if (lines == &model.unchanged_lines || line.unchanged)
        return VersionVerdict{"As versions: unchanged.", "Rows that changed are judged beside it.",
                              BesideUnchanged::inside};
      if (!after->band) return std::nullopt;
      return VersionVerdict{named_verdict(model, *after->band), band_sentence(*model.band, *after->band),
                            after->band->is};
    }
  }
  return std::nullopt;
}

std::string not_comparable_words(const Comparison& time, const std::string& other, bool versions) {
  const std::string reason = time.explanation.substr(0, time.explanation.find(':'));
  return versions ? fmt::format("Their times alone are not comparable: {}.", reason)
                  : fmt::format("Not comparable with {}: {}.", other, reason);
}

}  // namespace triscope
