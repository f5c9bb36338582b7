#include "views/model/paper/paper_ui.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/base/text/plus_minus.hpp"
#include "profiler/paper/errata.hpp"
#include "profiler/paper/part_names.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

constexpr std::array<std::string_view, 11> kPageIds{"table1", "lengths", "operator", "tiles",  "steps", "rotation",
                                                    "match3", "results", "laws",     "recipe", "errata"};
static_assert(kPageIds.size() == static_cast<std::size_t>(PaperPage::count));

}  // namespace

std::string page_numbers(PaperPage page) {
  const std::string numbers = paper_numbers(&PartName::page, paper_page_id(page));
  return numbers.empty() ? "" : numbers + " of the paper";
}

std::string_view paper_page_id(PaperPage page) { return kPageIds.at(static_cast<std::size_t>(page)); }

std::optional<PaperPage> find_paper_page(std::string_view id) {
  const auto found = std::ranges::find(kPageIds, page_called(id));
  if (found == kPageIds.end()) return std::nullopt;
  return static_cast<PaperPage>(found - kPageIds.begin());
}

LayerMixRequest layer_request(const TilesUi& ui) { return layer_of_fields(ui); }

WindowsCost windows_cost(const std::vector<ResultRow>& rows, const TilesUi& ui, const WorkTable& work) {
  WindowsCost cost;
  if (rows.empty() || !tiles_problem(ui).empty()) return cost;
  const LayerMixRequest layer = layer_request(ui);
  cost.to_count = still_to_count(problems_to_count(rows, layer), work);
  if (!cost.to_count.empty()) return cost;
  cost.text = with_kernel_labels(plus_minus(windows_cost_text(rows, layer, work)), rows);
  const std::string windows = fmt::format("{}x{}", ui.window1, ui.window2);
  for (std::size_t at = 0; (at = cost.text.find(windows, at)) != std::string::npos;)
    cost.text.replace(at, windows.size(), format_windows(ui.window1, ui.window2));
  return cost;
}

std::string tiles_problem(const TilesUi& ui) {
  const std::vector<std::string> reasons = validate(layer_problem(layer_request(ui)));
  if (!reasons.empty()) return reasons.front();
  return {};
}

std::optional<TileQuestion> tiles_question(const TilesUi& ui) {
  if (!tiles_problem(ui).empty()) return std::nullopt;
  return TileQuestion{layer_problem(layer_request(ui)), std::clamp<std::int64_t>(ui.query, 0, ui.seq_len - 1)};
}

std::string use_name(const TileUse& use) {
  if (use.instance.empty()) return use.kernel;
  return use.note.empty() ? use.instance : fmt::format("{}: {}", use.instance, use.note);
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

namespace {

std::string use_note(const TileUse& use) {
  if (!use.chosen) return use.note;
  return use.note.empty() ? "chosen" : "chosen; " + use.note;
}

}  // namespace

TextTable tiles_text(const TileAnswer& answer) {
  TextTable table{{"kernel", "instance", "pass", "tile", "useful", "computed / useful", "ms, estimated", "note"},
                  {false, false, false, false, true, true, true, false},
                  {}};
  for (const TileUse& use : answer.uses) {
    table.rows.push_back({use.kernel, use.instance, std::string(to_string(use.pass)), use.tile,
                          fmt::format("{:.4f}", use.fraction()),
                          use.fraction() > 0 ? fmt::format("{:.3f}", 1 / use.fraction()) : "",
                          use.planned_us > 0 ? fmt::format("{:.4g}", use.planned_us / 1000) : "", use_note(use)});
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
