#include "views/model/tables/compare_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "profiler/record/same_device.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "views/data/brief_label.hpp"
#include "views/data/format.hpp"
#include "views/model/tables/row_settings.hpp"

namespace triscope {
namespace {

/// The line on which `row` stands in one of `sweeps` sweeps.
CompareLine empty_line(const ResultRow& row, bool instances, const RowSetting& setting, std::size_t sweeps) {
  const std::string instance = instances ? " " + row.instance : "";
  std::string kernel = row.card.label + instance, pass(to_string(row.pass));
  if (row.regime == Regime::burst) pass += ", burst";
  return {line_label(row),
          std::move(kernel),
          std::move(pass),
          setting.text,
          setting.unusual,
          setting.tokens,
          std::vector<std::optional<CompareCell>>(sweeps),
          1,
          1,
          false,
          brief_label(row.card) + instance};
}

/// The largest of its ratios; nothing was compared: none.
std::optional<double> slowest(const CompareLine& line) {
  std::optional<double> ratio;
  for (const auto& cell : line.cells) {
    if (cell && cell->comparison) ratio = std::max(ratio.value_or(0), cell->comparison->ratio);
  }
  return ratio;
}

bool on_several_devices(const std::vector<const ResultRow*>& rows) {
  return std::ranges::any_of(rows, [&](const ResultRow* row) { return row->device != rows.front()->device; });
}

void order_lines(CompareModel& model) {
  // What stands in every sweep comes first; what was measured in none goes.
  std::erase_if(model.lines, [](const CompareLine& line) {
    return std::none_of(line.cells.begin(), line.cells.end(),
                        [](const auto& cell) { return cell && (cell->ms || cell->status == Status::failed); });
  });
  std::stable_partition(model.lines.begin(), model.lines.end(), [](const CompareLine& line) {
    return std::all_of(line.cells.begin(), line.cells.end(), [](const auto& cell) { return cell.has_value(); });
  });
  const auto whole = std::ranges::find_if(model.lines, [](const CompareLine& line) {
    return std::ranges::any_of(line.cells, [](const auto& cell) { return !cell; });
  });
  const auto slower_first = [](const CompareLine& a, const CompareLine& b) { return slowest(a) > slowest(b); };
  std::stable_sort(model.lines.begin(), whole, slower_first);
  std::stable_sort(whole, model.lines.end(), slower_first);
  for (const CompareLine& line : model.lines) {
    const bool missing = std::ranges::any_of(line.cells, [](const auto& cell) { return !cell; });
    model.missing += missing;
    model.failed +=
        !missing && std::ranges::any_of(line.cells, [](const auto& cell) { return cell->status == Status::failed; });
  }
}

/// "sweep 27, 25 Nov 02:09".
std::string from_text(const ResultRow& row, std::int64_t now) {
  return fmt::format("sweep {}, {}", row.sweep, format_started(row.started, now));
}

/// What did not change between two sides: of whole sweeps those of their rows that stand beside each other.
UnchangedKernels unchanged_of(const std::vector<ComparedSweep>& compared) {
  if (compared.size() != 2) return {};
  const ComparedSweep &first = compared[0], &second = compared[1];
  if (second.aligned) return second.unchanged;
  std::map<std::int64_t, const ResultRow*> in_first;
  for (const ResultRow& row : first.results->rows) in_first.emplace(row.measurement, &row);
  UnchangedKernels unchanged;
  bool changed = false;
  for (const ResultRow& row : second.results->rows) {
    const auto against = second.against_first.find(row.measurement);
    if (against == second.against_first.end()) continue;
    const auto other = in_first.find(against->second.other);
    if (other != in_first.end() && is_unchanged(row, *other->second)) {
      unchanged.add(row, against->second.comparison);
    } else {
      changed = true;
    }
  }
  return changed ? unchanged : UnchangedKernels{};
}

void count(CompareModel& model, const Comparison& comparison) {
  model.has_cycles |= comparison.cycle_ratio.has_value();
  model.has_intervals |= interval_known(comparison);
  if (interval_known(comparison)) model.highest_ratio = std::max(model.highest_ratio, comparison.interval.high);
  model.unjudged.add(comparison);
  switch (comparison.verdict) {
    case Verdict::faster:
      ++model.faster;
      break;
    case Verdict::slower:
      ++model.slower;
      break;
    case Verdict::same:
      ++model.same;
      break;
    case Verdict::unclear:
      ++model.unclear;
      break;
    case Verdict::not_comparable:
      ++model.not_comparable;
      break;
  }
}

/// Of the lines: their kernel, and whether their passes differ.
void tell_what_is_shared(CompareModel& model) {
  const auto differs = [&model](std::string CompareLine::*of) {
    return std::ranges::any_of(model.lines,
                               [&](const CompareLine& line) { return line.*of != model.lines.front().*of; });
  };
  model.has_passes = differs(&CompareLine::pass);
  if (!model.lines.empty() && !differs(&CompareLine::kernel)) model.kernel = model.lines.front().kernel;
}

/// What stands of a row in its line. `selectable` is its measurement, or 0.
CompareCell cell_of(const ResultRow& row, std::int64_t selectable, std::int64_t now) {
  return {.measurement = selectable,
          .sweep = row.sweep,
          .ms = row.status == Status::ok ? row.median_ms : std::nullopt,
          .decimals = ms_decimals(row),
          .status = row.status,
          .comparison = std::nullopt,
          .from = from_text(row, now),
          .row = row.measurement,
          .restarts = row.restarts,
          .reason = row.status == Status::ok ? std::string() : row.reason};
}

/// Of two sides: each line beside what unchanged kernels do, and what makes its times doubtful.
void judge_lines(CompareModel& model, const std::vector<ComparedSweep>& compared) {
  model.band = unchanged_band(model.unchanged);
  std::map<std::int64_t, const ResultRow*> of_first, of_second;
  for (const ResultRow& row : compared[0].results->rows) of_first.emplace(row.measurement, &row);
  for (const ResultRow& row : compared[1].results->rows) of_second.emplace(row.measurement, &row);
  for (CompareLine& line : model.lines) {
    std::optional<CompareCell>&first = line.cells[0], &second = line.cells[1];
    if (!first || !second || !second->comparison) continue;
    const auto b = of_first.find(first->row), a = of_second.find(second->row);
    if (b == of_first.end() || a == of_second.end()) continue;
    second->doubts = doubts_text(*a->second, *b->second);
    model.has_doubts |= !second->doubts.empty();
    model.has_choices |= line.of_before * line.of_after > 1;
    line.unchanged = is_unchanged(*a->second, *b->second);
    if (!model.band || line.unchanged) continue;
    second->band = judge(*model.band, *second->comparison, *a->second, *b->second);
    if (!second->band) continue;
    model.band_tally.add(*second->band);
    if (second->band->is != BesideUnchanged::unclear) continue;
    const std::string others = doubts_text(*a->second, *b->second, second->band->modes_of);
    second->doubts = second->band->why + (others.empty() ? "" : "; ") + others;  // why it is unclear, first
    model.has_doubts = true;
  }
}

/// Of two versions: those of the rows that stand beside each other that changed, or the others.
std::vector<ComparedSweep> part_of(const std::vector<ComparedSweep>& versions, bool unchanged) {
  std::vector<ComparedSweep> part = versions;
  const std::vector<ResultRow>&before = versions[0].results->rows, &after = versions[1].results->rows;
  for (std::size_t side = 0; side < 2; ++side) {
    SweepResults results{versions[side].results->info, {}};
    for (std::size_t n = 0; n < before.size(); ++n) {
      if (is_unchanged(after[n], before[n]) == unchanged) results.rows.push_back(side == 0 ? before[n] : after[n]);
    }
    part[side].results = std::make_shared<const SweepResults>(std::move(results));
  }
  return part;
}

void add_line(CompareModel& model, CompareLine line) {
  model.has_settings |= !line.setting.empty();
  const auto keep_longer = [](std::string& longest, const std::string& text) {
    if (text.size() > longest.size()) longest = text;
  };
  keep_longer(model.longest_kernel, line.kernel);
  keep_longer(model.longest_brief_kernel, line.brief_kernel);
  keep_longer(model.longest_pass, line.pass);
  keep_longer(model.longest_setting, line.setting);
  keep_longer(model.longest_brief_setting, brief_setting(line));
  model.lines.push_back(std::move(line));
}

std::vector<const ResultRow*> rows_of(const std::vector<ComparedSweep>& compared) {
  std::vector<const ResultRow*> all;
  for (const ComparedSweep& side : compared) {
    for (const ResultRow& row : side.results->rows) all.push_back(&row);
  }
  return all;
}

/// What the rows of both sides differ in, by measurement: of parts of them, what the whole differs in.
struct WholeSettings {
  std::map<std::int64_t, RowSetting> by_row;
  std::string usual;
};
WholeSettings settings_of(const std::vector<ComparedSweep>& compared) {
  const std::vector<const ResultRow*> all = rows_of(compared);
  RowSettings settings = row_settings(all);
  WholeSettings whole{{}, std::move(settings.usual)};
  for (std::size_t n = 0; n < all.size(); ++n) whole.by_row[all[n]->measurement] = std::move(settings.by_row[n]);
  return whole;
}

/// As History has it; the number first, since a narrow column cuts the end.
std::string name_of(const ComparedSweep& sweep, bool several_devices, std::int64_t now) {
  if (!sweep.database.empty()) return sweep.database;  // which of its sweeps stands among the differences
  if (!sweep.name.empty()) return sweep.name;
  const SweepInfo& info = sweep.results->info;
  return fmt::format("#{}, {}{}", info.id, info.note.empty() ? format_started(info.started, now) : info.note,
                     several_devices ? ", " + device_text(*sweep.results) : "");
}

CompareModel model_of(const std::vector<ComparedSweep>& compared, std::int64_t now,
                      const WholeSettings& of_whole = {}) {
  CompareModel model;
  const std::size_t n = compared.size();
  bool instances = false;
  const bool several_devices = on_several_devices(compared);
  for (const ComparedSweep& sweep : compared) {
    model.sweeps.push_back(name_of(sweep, several_devices, now));
    instances |= has_several_instances(sweep.results->rows);
  }
  const std::vector<const ResultRow*> all = rows_of(compared);
  auto [settings, usual] = row_settings(all);
  if (!of_whole.by_row.empty()) {
    for (std::size_t i = 0; i < all.size(); ++i) settings[i] = of_whole.by_row.at(all[i]->measurement);
    usual = of_whole.usual;
  }
  model.usual = std::move(usual);
  const bool aligned = !compared.empty() && compared.front().aligned;
  for (std::size_t i = 0; aligned && on_several_devices(all) && i < all.size(); ++i)
    settings[i].add(all[i]->device, all[i]->device);
  model.conditions = shared_conditions(all);
  std::map<std::string, std::size_t> line_of;
  std::set<double> confidences;
  for (std::size_t s = 0, at = 0; s < n; ++s) {
    std::size_t place = 0;
    for (const ResultRow& row : compared[s].results->rows) {
      const std::string key = aligned ? fmt::format("{}", place++) : match_key(row, instances);
      const auto [found, inserted] = line_of.emplace(key, model.lines.size());
      if (inserted) add_line(model, empty_line(row, instances, settings[at], n));
      ++at;
      CompareCell cell = cell_of(row, compared[s].database.empty() ? row.measurement : 0, now);
      if (const auto chosen = compared[s].newest_of.find(row.measurement); chosen != compared[s].newest_of.end())
        (s == 0 ? model.lines[found->second].of_before : model.lines[found->second].of_after) = chosen->second;
      const auto comparison = compared[s].against_first.find(row.measurement);
      if (comparison != compared[s].against_first.end()) {
        cell.comparison = comparison->second.comparison;
        count(model, *cell.comparison);
        const std::optional<CompareCell>& first = model.lines[found->second].cells.front();
        if (interval_known(*cell.comparison))
          confidences.insert(confidence_of(cell.comparison->paired, cell.restarts, first ? first->restarts : 0));
      }
      if (cell.ms) model.decimals = std::max(model.decimals, cell.decimals);
      if (cell.ms) model.highest_ms = std::max(model.highest_ms, *cell.ms);
      model.lines[found->second].cells[s] = std::move(cell);
    }
  }
  if (confidences.size() == 1) model.interval_title = fmt::format("{:.0f} % interval", 100 * *confidences.begin());
  model.unchanged = unchanged_of(compared);
  if (n == 2) judge_lines(model, compared);
  order_lines(model);
  tell_what_is_shared(model);
  model.differences = differences_of(compared, now);
  return model;
}

}  // namespace

CompareModel make_compare_model(const std::vector<ComparedSweep>& compared, std::int64_t now) {
  const bool versions = compared.size() == 2 && compared[0].aligned && compared[1].aligned;
  if (!versions) return model_of(compared, now);
  const WholeSettings settings = settings_of(compared);
  CompareModel model = model_of(part_of(compared, false), now, settings);
  model.unchanged_lines = model_of(part_of(compared, true), now, settings).lines;
  return model;
}

}  // namespace triscope
