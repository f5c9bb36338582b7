#include "views/model/tables/version_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "views/data/format.hpp"

namespace triscope {
namespace {

/// "512 × 32 at 65,536 tokens": the window, and its length where lines differ in it.
std::string place_text(const CompareLine& line) {
  if (!line.tokens) return line.window;
  return fmt::format("{} at {} tokens", line.window, format_count(*line.tokens));
}

std::string change_percent(double change) { return fmt::format("{:+.1f} %", std::round(1000 * change) / 10 + 0.0); }

}  // namespace

std::string versions_headline(const CompareModel& model) {
  if (!model.band) return {};
  const CompareLine* largest = nullptr;
  const auto change_of = [](const CompareLine& line) { return line.cells.back()->band->change; };
  const auto apart = [](double ratio) { return std::abs(std::log(ratio)); };
  for (const CompareLine& line : model.lines) {
    if (!line.cells.back() || !line.cells.back()->band) continue;
    if (largest == nullptr || apart(1 + change_of(line)) > apart(1 + change_of(*largest))) largest = &line;
  }
  if (largest == nullptr) return {};
  const BandTally& tally = model.band_tally;
  const std::string noise = fmt::format("{:.1f} %", 100 * (model.band->factor - 1));
  const bool inside = largest->cells.back()->band->is == BesideUnchanged::inside;
  std::string text = fmt::format("{} of {} slower, {} faster", tally.slower,
                                 tally.slower + tally.faster + tally.inside + tally.unclear, tally.faster);
  if (tally.unclear > 0) text += fmt::format(", {} unclear", tally.unclear);
  if (tally.inside > 0) text += fmt::format(", {} inside the noise", tally.inside);
  text += fmt::format(". Largest {}, {}, {} +-{}", change_percent(change_of(*largest)), place_text(*largest),
                      inside ? "inside" : "outside", noise);
  const CompareLine* moved = nullptr;
  // As every other change here it is beside the average of what did not change.
  const auto moved_by = [&model](const CompareLine& line) {
    return line.cells.back()->comparison->ratio / model.band->middle;
  };
  for (const CompareLine& line : model.unchanged_lines) {
    const std::optional<CompareCell>& cell = line.cells.back();
    if (!cell || !cell->comparison || !(cell->comparison->ratio > 0)) continue;
    if (moved == nullptr || apart(moved_by(line)) > apart(moved_by(*moved))) moved = &line;
  }
  if (moved != nullptr)
    text += fmt::format("; what did not change moved by at most {} ({})", change_percent(moved_by(*moved) - 1),
                        moved->kernel);
  text += ". ";
  if (!model.unjudged.reasons.empty()) text += fmt::format("{}: ", fmt::join(model.unjudged.reasons, "; "));
  return text + (model.unjudged.reasons.empty() ? "Less" : "less") + " than " + noise + " cannot be told.";
}

std::string versions_summary(const CompareModel& model, Pass pass) {
  const std::string of = fmt::format("{} {}: ", model.kernel, to_string(pass));
  if (const std::string headline = versions_headline(model); !headline.empty()) return of + headline;
  return fmt::format("{}{}: {}", of, counted(model.lines.size(), "shared measurement"), compare_summary(model));
}

std::optional<VersionVerdict> version_verdict(const CompareModel& model, std::int64_t a, std::int64_t b) {
  if (!model.band) return std::nullopt;
  for (const std::vector<CompareLine>* lines : {&model.lines, &model.unchanged_lines}) {
    for (const CompareLine& line : *lines) {
      const std::optional<CompareCell>&before = line.cells.front(), &after = line.cells.back();
      if (!before || !after) continue;
      const bool swapped = after->measurement == b && before->measurement == a;
      if (!swapped && (after->measurement != a || before->measurement != b)) continue;
      const std::string where = swapped ? "As versions, where A is what is B here" : "As versions";
      if (lines == &model.unchanged_lines || line.unchanged)
        return VersionVerdict{where + ": unchanged.", "Rows that changed are judged beside it.",
                              BesideUnchanged::inside};
      if (!after->band) return std::nullopt;
      return VersionVerdict{fmt::format("{}: {}.", where, beside_text(line, *after)),
                            band_sentence(*model.band, *after->band), after->band->is};
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
