#include "app/window/database/stored_sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "app/window/database/other_database.hpp"
#include "app/window/database/read_sweep.hpp"
#include "profiler/plan/done_count.hpp"
#include "profiler/store/store.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

/// The kernel and pass of the selected row, else of the first of ours in the shown sweep.
std::optional<VersionChoice> looked_at(const WindowData& data) {
  const auto choice = [](const ResultRow& row) { return VersionChoice{row.kernel, row.pass, {}, {}}; };
  if (data.selected) return choice(data.selected->row);
  if (!data.shown) return std::nullopt;
  const auto ours = std::ranges::find_if(data.shown->rows, [](const ResultRow& row) { return !is_baseline(row); });
  return ours == data.shown->rows.end() ? std::nullopt : std::optional(choice(*ours));
}

}  // namespace

const SweepInfo* find_sweep(const DatabaseData& data, std::int64_t sweep) {
  const auto found =
      std::find_if(data.sweeps.begin(), data.sweeps.end(), [&](const SweepInfo& one) { return one.id == sweep; });
  return found == data.sweeps.end() ? nullptr : &*found;
}

void StoredSweeps::show(std::int64_t sweep) {
  ui_.selection.shown_sweep = sweep;
  ui_.selection.select(0);
  database_.read(true);
}

void StoredSweeps::set_baseline(std::int64_t sweep) {
  std::int64_t& baseline = ui_.selection.baseline_sweep;
  baseline = baseline == or_shown(sweep) ? 0 : or_shown(sweep);
  database_.read(true);
}

void StoredSweeps::clear_baseline() {
  ui_.selection.baseline_sweep = 0;
  database_.read(true);
}

void StoredSweeps::set_reference(const std::string& text) {
  ui_.selection.reference = text;
  database_.read(true);
}

void StoredSweeps::pin_reference(std::int64_t measurement) {
  const std::int64_t row = measurement != 0 ? measurement : ui_.selection.pinned();
  if (row <= 0) return;  // one in work is not stored yet
  const std::string text = row_reference(row);
  set_reference(ui_.selection.reference == text ? "auto" : text);
}

void StoredSweeps::compare(std::int64_t asked) {
  ui_.selection.versions.reset();
  const std::int64_t sweep = or_shown(asked);
  auto& compared = ui_.selection.compared;
  const std::int64_t shown = ui_.selection.shown_sweep, baseline = ui_.selection.baseline_sweep;
  const auto is_compared = [&](std::int64_t one) { return std::ranges::find(compared, one) != compared.end(); };
  // Who shows another sweep and compares that one begins anew, and so does who has set a baseline since.
  if (baseline == 0 ? !is_compared(shown) && !is_compared(sweep) : !compared.empty() && compared.front() != baseline)
    compared.clear();
  if (compared.empty()) {
    const std::int64_t first = baseline ? baseline : shown;
    if (first) compared.push_back(first);
  }
  const auto found = std::find(compared.begin(), compared.end(), sweep);
  if (found == compared.end()) {
    compared.push_back(sweep);
  } else {
    compared.erase(found);
    if (compared.size() < 2) compared.clear();
  }
  if (baseline == 0) {
    const auto began = [&](std::int64_t one) {
      const SweepInfo* info = find_sweep(data_, one);
      return std::pair(info ? info->started : std::string(), one);
    };
    std::ranges::sort(compared, {}, began);
  }
  if (compared.size() >= 2) ui_.show(Panel::compare);
  database_.read(true);
}

void StoredSweeps::compare_before() {
  const auto chosen = std::ranges::find(data_.sweeps, or_shown(0), &SweepInfo::id);  // the newest come first
  if (chosen == data_.sweeps.end() || chosen + 1 == data_.sweeps.end()) return;
  database_.find_before([this, next = chosen[1].id](const DatabaseReader::Before& before) {
    if (before.alone) return compare(next);
    if (before.sweep != 0) return compare(before.sweep);
    messages_.notify(Severity::info, NoticeId::compared,
                     "Nothing was compared: no sweep before this one measured, on its device, something that it did.");
  });
}

void StoredSweeps::compare_versions(VersionChoice choice) {
  if (choice.kernel.empty()) choice = looked_at(data_).value_or(choice);
  // Rows that stand beside each other are those of the pair that was chosen before.
  if (ui_.selection.versions && ui_.selection.versions != choice) ui_.selection.select(0);
  ui_.selection.versions = choice;
  ui_.show(Panel::compare);
  database_.read(true);
}

void StoredSweeps::leave_versions() {
  ui_.selection.versions.reset();
  if (ui_.selection.all().size() > 1)
    ui_.selection.select(ui_.selection.pinned());  // B is of the versions that are left
  database_.read(true);
}

void StoredSweeps::compare_with(const std::filesystem::path& file) {
  ui_.selection.versions.reset();
  ui_.selection.other_database = other_than_open(file, data_.database, "The database was not compared with",
                                                 "choose another file, or two sweeps in the history")
                                     .string();
  ui_.show(Panel::compare);
  database_.read(true);
}

void StoredSweeps::leave_other() {
  ui_.selection.other_database.clear();
  database_.read(true);
}

void StoredSweeps::select(std::int64_t measurement, std::int64_t in) {
  Selection& selection = ui_.selection;
  const bool again = selection.all().size() == 1 && selection.pinned() == measurement;
  select_all(again ? std::vector<std::int64_t>() : std::vector{measurement}, in);
}

void StoredSweeps::select_all(const std::vector<std::int64_t>& measurements, std::int64_t in) {
  ui_.selection.select_all(measurements);
  const std::int64_t first = ui_.selection.pinned();
  if (in != 0 && first != 0) ui_.selection.shown_sweep = in;
  database_.read(in != 0);
}

void StoredSweeps::select_beside(std::int64_t measurement, std::int64_t in) {
  Selection& selection = ui_.selection;
  if (selection.pinned() <= 0 || measurement <= 0 || !data_.shown) return select(measurement, in);
  selection.toggle(measurement);
  database_.read(false);
}

void StoredSweeps::select_first() {
  if (!data_.shown) return;
  const ResultRow* chosen = nullptr;
  const auto better = [&](const ResultRow& row) {
    if (!chosen || row.problem.seq_len > chosen->problem.seq_len) return true;
    const bool beside = row.problem == chosen->problem && row.pass == chosen->pass && row.regime == chosen->regime;
    return beside && row.median_ms && chosen->median_ms && *row.median_ms < *chosen->median_ms;
  };
  for (const bool baselines : {false, true}) {
    for (const ResultRow& row : data_.shown->rows) {
      if (row.status != Status::ok || row.problem.form == Form::gemm || is_baseline(row) != baselines) continue;
      if (better(row)) chosen = &row;
    }
    if (chosen) break;
  }
  if (chosen && ui_.selection.pinned() != chosen->measurement) select(chosen->measurement);
}

void StoredSweeps::clear_selection() {
  const Selection& now = ui_.selection;
  const bool anything = now.pinned() != 0 || !now.compared.empty() || !now.other_database.empty() || now.versions;
  if (!anything && now.reference.starts_with("row:")) ui_.selection.reference = "auto";
  ui_.selection.select(0);
  ui_.selection.compared.clear();
  ui_.selection.other_database.clear();
  ui_.selection.versions.reset();
  database_.read(true);
}

void StoredSweeps::star(std::int64_t asked) {
  const std::int64_t sweep = or_shown(asked);
  const SweepInfo* info = find_sweep(data_, sweep);
  if (!database_.still_there() || !info) return;
  database_.write([sweep, starred = !info->starred](Store& store) { store.set_starred(sweep, starred); });
}

void StoredSweeps::note(std::int64_t asked, std::string text) {
  const std::int64_t sweep = or_shown(asked);
  const auto done = told(ui_.sweep_note, sweep, text);
  if (!database_.still_there()) return done("The database is gone.");
  database_.write([sweep, text = std::move(text)](Store& store) { store.set_note(sweep, text); }, done);
}

void StoredSweeps::note_measurement(std::int64_t measurement, std::string text) {
  const auto done = told(ui_.row_note, measurement, text);
  if (!database_.still_there()) return done("The database is gone.");
  database_.write(
      [measurement, text = std::move(text)](Store& store) { store.set_measurement_note(measurement, text); }, done);
}

std::function<void(const std::string& problem)> StoredSweeps::told(TypedNote& note, std::int64_t of, std::string text) {
  return [&note, of, text = std::move(text)](const std::string& problem) {
    if (note.of != of || note.text != text) return;  // another one is typed meanwhile
    note.problem = problem;
    note.state = problem.empty() ? TypedNote::State::written : TypedNote::State::typed;
  };
}

void StoredSweeps::ask_to_delete(std::int64_t sweep) {
  if (database_.still_there()) ui_.delete_asked = or_shown(sweep);
}

void StoredSweeps::remove(std::int64_t sweep) {
  if (!database_.still_there()) return;
  const SweepInfo* info = find_sweep(data_, sweep);
  if (!info) return;
  if (info->running || (measures_here(data_.run, data_) && data_.run.sweep == sweep))
    return messages_.notify(Severity::warning, NoticeId::delete_sweep,
                            "This sweep is being measured: stop it before deleting it.");
  const std::string text =
      fmt::format("Deleted the sweep of {} with {}.", format_started(info->started, std::time(nullptr)),
                  counted(done_count(*info), "measurement"));
  const auto back = [this] {
    database_.hide(0);
    database_.read(true);
  };
  const auto keep = [this, sweep] { database_.write([sweep](Store& store) { store.delete_sweep(sweep); }); };
  undo_.offer(text, back, keep);
  hide(sweep);
}

void StoredSweeps::hide(std::int64_t sweep) {
  database_.hide(sweep);
  Selection& selection = ui_.selection;
  std::erase(selection.compared, sweep);
  if (selection.compared.size() < 2) selection.compared.clear();
  if (selection.baseline_sweep == sweep) selection.baseline_sweep = 0;
  if (selection.shown_sweep == sweep) {
    selection.shown_sweep = 0;
    selection.select(0);
  }
  database_.read(true);
}

}  // namespace triscope
