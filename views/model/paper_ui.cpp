#include "views/model/paper_ui.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/paper/errata.hpp"

namespace triscope {
namespace {

constexpr int kLongest = 1 << 20, kWidest = 4096;  // more would not be seen

Problem problem_of(const TilesUi& ui) {
  Problem problem;
  problem.window1 = ui.window1;
  problem.window2 = ui.window2;
  problem.seq_len = ui.seq_len;
  problem.q_heads = ui.q_heads;
  problem.kv_heads = ui.kv_heads;
  problem.head_dim = ui.head_dim;
  return problem;
}

}  // namespace

std::string tiles_problem(const TilesUi& ui) {
  const std::vector<std::string> reasons = validate(problem_of(ui));
  if (!reasons.empty()) return reasons.front();
  if (ui.seq_len > kLongest) return fmt::format("at most {} tokens are drawn", kLongest);
  if (std::max(ui.window1, ui.window2) > kWidest) return fmt::format("windows of at most {} are drawn", kWidest);
  return {};
}

std::optional<TileQuestion> tiles_question(const TilesUi& ui) {
  if (!tiles_problem(ui).empty()) return std::nullopt;
  return TileQuestion{problem_of(ui), std::clamp<std::int64_t>(ui.query, 0, ui.seq_len - 1)};
}

std::string use_key(const TileUse& use) {
  if (use.instance.empty()) return use.kernel;
  return fmt::format("{} {} {} {}", use.kernel, use.instance, to_string(use.pass), use.tile);
}

const TileUse* shown_use(const TilesUi& ui, const std::vector<TileUse>& uses) {
  const auto chosen = std::ranges::find(uses, ui.use, use_key);
  if (chosen != uses.end()) return &*chosen;
  const auto any = std::ranges::find_if(uses, [](const TileUse& use) { return !use.query_tiles.blocks.empty(); });
  return any == uses.end() ? nullptr : &*any;
}

TextTable tiles_text(const TileAnswer& answer) {
  TextTable table{{"kernel", "instance", "pass", "tile", "useful", "computed / useful", "ms, estimated", "note"},
                  {false, false, false, false, true, true, true, false},
                  {}};
  for (const TileUse& use : answer.uses) {
    table.rows.push_back(
        {use.kernel, use.instance, std::string(to_string(use.pass)), use.tile, fmt::format("{:.4f}", use.fraction()),
         use.fraction() > 0 ? fmt::format("{:.3f}", 1 / use.fraction()) : "",
         use.planned_us > 0 ? fmt::format("{:.4g}", use.planned_us / 1000) : "", use.chosen ? "chosen" : use.note});
  }
  return table;
}

TextTable errata_text(const std::string& kind) {
  TextTable table{{"id", "where", "kind", "stands there", "is meant", "reason", "as printed", "shown by"},
                  std::vector<bool>(8, false),
                  {}};
  for (const Erratum& one : errata()) {
    if (kind.empty() || one.kind == kind)
      table.rows.push_back({one.id, one.where, one.kind, one.printed, one.meant, one.reason, one.effect, one.shown_by});
  }
  return table;
}

void toggle_play(StepsUi& ui, std::int64_t count, double now) {
  ui.playing = !ui.playing;
  if (ui.playing && ui.step + 1 >= count) ui.step = 0;
  ui.next_at = now + 1.0 / std::max(1, ui.speed);
}

bool play_on(StepsUi& ui, std::int64_t count, double now) {
  if (ui.playing && ui.step + 1 >= count) ui.playing = false;
  if (!ui.playing || now < ui.next_at) return false;
  ++ui.step;
  // From now on, not from when it was due: after a pause, as of a hidden window, it does not run to catch up.
  ui.next_at = now + 1.0 / std::max(1, ui.speed);
  ui.playing = ui.step + 1 < count;
  return true;
}

std::int64_t next_program(const AlgorithmSteps& run, std::int64_t step, bool forwards) {
  const auto count = static_cast<std::int64_t>(run.steps.size());
  if (count == 0) return 0;
  const auto program = [&](std::int64_t at) { return run.steps[static_cast<std::size_t>(at)].program; };
  std::int64_t at = std::clamp<std::int64_t>(step, 0, count - 1);
  if (forwards) {
    const std::int64_t now = program(at);
    while (at + 1 < count && program(at) == now) ++at;
    return at;
  }
  const std::int64_t before = std::max<std::int64_t>(0, at - 1);
  at = before;
  while (at > 0 && program(at - 1) == program(before)) --at;
  return at;
}

}  // namespace triscope
