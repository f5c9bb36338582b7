#include "views/model/tables/version_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "views/data/format.hpp"

namespace triscope {
namespace {

/// "512 × 32 at 65,536 tokens": the window, and its length where lines differ in it.
std::string place_text(const CompareLine& line) {
  constexpr std::string_view kTokens = " tokens";
  const std::size_t end = line.setting.find(kTokens);
  if (end == std::string::npos) return line.window;
  const std::size_t comma = line.setting.rfind(", ", end);
  const std::size_t begin = comma == std::string::npos ? 0 : comma + 2;
  return fmt::format("{} at {}", line.window, line.setting.substr(begin, end + kTokens.size() - begin));
}

std::string change_percent(double change) { return fmt::format("{:+.1f} %", std::round(1000 * change) / 10 + 0.0); }

}  // namespace

std::string versions_headline(const CompareModel& model) {
  const CompareLine* largest = nullptr;
  const auto change_of = [](const CompareLine& line) { return line.cells.back()->band->change; };
  for (const CompareLine& line : model.lines) {
    if (!line.cells.back() || !line.cells.back()->band) continue;
    if (largest == nullptr || change_of(line) > change_of(*largest)) largest = &line;
  }
  if (largest == nullptr || !model.band) return {};
  const BandTally& tally = model.band_tally;
  const std::string noise = fmt::format("{:.1f} %", 100 * (model.band->factor - 1));
  const bool inside = largest->cells.back()->band->is == BesideUnchanged::inside;
  std::string text = fmt::format("{} of {} slower, {} faster", tally.slower,
                                 tally.slower + tally.faster + tally.inside + tally.unclear, tally.faster);
  if (tally.unclear > 0) text += fmt::format(", {} unclear", tally.unclear);
  text += fmt::format(". Largest {}, {}, {} +-{}", change_percent(change_of(*largest)), place_text(*largest),
                      inside ? "inside" : "outside", noise);
  const CompareLine* moved = nullptr;
  const auto ratio_apart = [](const CompareLine& line) {
    return std::abs(std::log(line.cells.back()->comparison->ratio));
  };
  for (const CompareLine& line : model.unchanged_lines) {
    const std::optional<CompareCell>& cell = line.cells.back();
    if (!cell || !cell->comparison || !(cell->comparison->ratio > 0)) continue;
    if (moved == nullptr || ratio_apart(line) > ratio_apart(*moved)) moved = &line;
  }
  if (moved != nullptr)
    text += fmt::format("; {}, unchanged, moved by {}", moved->kernel,
                        change_percent(moved->cells.back()->comparison->ratio - 1));
  text += ". ";
  if (!model.unjudged.reasons.empty()) text += fmt::format("{}: ", fmt::join(model.unjudged.reasons, "; "));
  return text + (model.unjudged.reasons.empty() ? "Less" : "less") + " than " + noise + " cannot be told.";
}

std::string brief_setting(std::string setting) {
  const auto replace = [&setting](std::string_view words, std::string_view by) {
    if (const std::size_t at = setting.find(words); at != std::string::npos) setting.replace(at, words.size(), by);
  };
  replace("trilinear, ", "");
  replace("determinant", "det.");
  replace(" heads", "");
  replace("head size ", "D");
  constexpr std::string_view kTokens = " tokens";
  const std::size_t end = setting.find(kTokens);
  if (end == std::string::npos) return setting;
  const std::size_t last = setting.find_last_not_of("0123456789,", end - 1);
  const std::size_t begin = last == std::string::npos ? 0 : last + 1;
  std::string digits = setting.substr(begin, end - begin);
  std::erase(digits, ',');
  std::int64_t tokens = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), tokens);
  return tokens > 0 ? setting.replace(begin, end + kTokens.size() - begin, format_tokens(tokens)) : setting;
}

}  // namespace triscope
