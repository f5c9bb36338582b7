#include "profiler/paper/tile_question.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kLongest = std::int64_t{1} << 24, kWidest = 65'536;
constexpr std::int64_t kWholeTile = 128;  // keys of the widest tiles

std::string windows_text(const Problem& problem) { return fmt::format("{}x{}", problem.window1, problem.window2); }

/// 9088 -> "9,088".
std::string grouped(double count) {
  std::string text = fmt::format("{:.0f}", count);
  for (auto at = static_cast<std::int64_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

std::string who_shares(const QueryTiles& tiles) {
  const std::int64_t positions = tiles.last_query - tiles.first_query + 1;
  const std::string heads = tiles.heads == 1 ? "one head" : fmt::format("{} heads", tiles.heads);
  return positions == 1 ? fmt::format("{} of one query", heads) : fmt::format("{} queries of {}", positions, heads);
}

}  // namespace

void require_answerable(const TileQuestion& question) {
  const Problem& problem = question.problem;
  require_valid(problem);
  if (problem.seq_len > kLongest || std::max(problem.window1, problem.window2) > kWidest) {
    throw Error("the tiles cannot be counted",
                fmt::format("tiles are counted up to {} tokens and windows of {}", kLongest, kWidest),
                "ask for a smaller problem: the useful part changes little beyond", ExitCode::usage);
  }
  if (question.query && (*question.query < 0 || *question.query >= problem.seq_len)) {
    throw Error("there is no such query", fmt::format("query {} of {} tokens", *question.query, problem.seq_len),
                "queries are numbered from 0", ExitCode::usage);
  }
}

const TileUse* chosen_forward(const std::vector<TileUse>& uses) {
  const auto found =
      std::ranges::find_if(uses, [](const TileUse& use) { return use.chosen && use.pass == Pass::forward; });
  return found == uses.end() ? nullptr : &*found;
}

std::vector<Problem> whole_tile_neighbours(const Problem& problem) {
  std::vector<Problem> all;
  const bool first = problem.window1 >= problem.window2;
  const std::int64_t longer = first ? problem.window1 : problem.window2;
  for (const std::int64_t tiles : {longer / kWholeTile, (longer + kWholeTile - 1) / kWholeTile}) {
    const std::int64_t window = tiles * kWholeTile;
    if (window == 0 || window == longer) continue;
    all.push_back(problem);
    (first ? all.back().window1 : all.back().window2) = window;
  }
  return all;
}

std::string tiles_in_words(const TileUse& use, const Problem& problem, std::int64_t query) {
  const QueryTiles& tiles = use.query_tiles;
  if (tiles.blocks.empty()) return {};
  const double computed = computed_pairs(tiles), useful = useful_pairs(tiles, problem, query);
  std::string text =
      fmt::format("{} share a tile of {} rows. Query {} sees {} pairs of keys; {} are computed for it: {:.1f} % count.",
                  who_shares(tiles), tiles.rows, grouped(static_cast<double>(query)), grouped(useful),
                  grouped(computed), 100 * useful / computed);
  const std::int64_t taken = (tiles.last_query - tiles.first_query + 1) * tiles.heads;
  if (taken < tiles.rows) text += fmt::format(" {} of the rows stand for nobody.", tiles.rows - taken);
  return text + fmt::format(" Of the whole launch {:.1f} % count.", 100 * use.fraction());
}

std::string cost_in_words(const std::vector<ChosenTiles>& beside) {
  if (beside.empty() || beside.front().use.planned_us <= 0) return {};
  const ChosenTiles& asked = beside.front();
  const auto ms = [](const ChosenTiles& one) { return one.use.planned_us / 1000; };
  std::string text = fmt::format(
      "By the planner, for an H200 and without an interval, {} takes {:.4g} ms forward ({}, {:.1f} % of its "
      "tiles count).",
      windows_text(asked.problem), ms(asked), asked.use.instance, 100 * asked.use.fraction());
  if (beside.size() == 1) return text + " Its longer window is a whole number of tiles of 128 keys.";
  for (std::size_t n = 1; n < beside.size(); ++n) {
    const double per_triple = (ms(asked) / asked.use.useful) / (ms(beside[n]) / beside[n].use.useful) - 1;
    text += fmt::format(" {} takes {:.4g} ms: a pair of keys costs {:.0f} % {} at {}.", windows_text(beside[n].problem),
                        ms(beside[n]), 100 * std::max(per_triple, -per_triple), per_triple >= 0 ? "more" : "less",
                        windows_text(asked.problem));
  }
  return text;
}

}  // namespace triscope
