// What is selected: its measurements with all they carry, and what the others are beside the first.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "app/window/database/database_reader.hpp"
#include "app/window/database/read_sweep.hpp"
#include "kernels/base/error.hpp"
#include "profiler/statistics/training_step.hpp"
#include "profiler/verdict/row_verdicts.hpp"
#include "views/model/tables/beside_model.hpp"

namespace triscope {
namespace {

/// The row of a measurement that is not of the shown sweep; none where it is gone.
std::optional<ResultRow> row_elsewhere(const Snapshot& snapshot, std::int64_t measurement) {
  std::optional<ResultRow> row = snapshot.result(measurement);
  if (row) cut_texts(*row);
  return row;
}

/// Where it was taken, which the rest of its sweep need not have been; nothing where nobody can say.
Environment environment_of(const Snapshot& snapshot, std::int64_t measurement) {
  Environment environment = snapshot.environment(measurement).value_or(Environment{});
  cut_texts(environment);
  return environment;
}

/// The selected row that makes a step with the first; null: there is none.
const ResultRow* other_pass_of(const ResultRow& first, const SelectionFigures& figures) {
  for (const SelectedRow& one : figures.rows) {
    if (one.row.status == Status::ok && one.row.pass != first.pass && step_question(one.row) == step_question(first) &&
        (one.row.kernel == first.kernel || first.problem.form != Form::dot_product))
      return &one.row;
  }
  return nullptr;
}

/// Of two passes no time says anything of the other.
Comparison compare_selected(StoredSamples& samples, const ResultRow& a, const ResultRow& b, double tolerance) {
  if (a.pass == b.pass) return compare_rows(samples, a, samples, b, tolerance);
  Comparison none;
  none.verdict = Verdict::not_comparable;
  none.explanation =
      fmt::format("A is a {} and B a {}: two passes do different work.", to_string(a.pass), to_string(b.pass));
  return none;
}

}  // namespace

std::shared_ptr<const SelectedMeasurement> DatabaseReader::select(const SweepResults& sweep, std::int64_t id,
                                                                  std::string& problem) {
  const auto found =
      std::find_if(sweep.rows.begin(), sweep.rows.end(), [&](const ResultRow& one) { return one.measurement == id; });
  std::optional<ResultRow> row;
  std::optional<Measurement> measurement;
  try {
    row = found != sweep.rows.end() ? *found : row_elsewhere(*snapshot_, id);
    measurement = snapshot_->measurement(id);
  } catch (const Error& error) {
    // A row in which something is wrong says so in the table; what belongs to it does not.
    if (row && row->status == Status::ok) problem = error.what();
    return nullptr;
  }
  if (!measurement || !row) return nullptr;
  cut_texts(*measurement);
  row->reason = measurement->reason;  // which tells of stored times that the samples do not have
  Environment environment = environment_of(*snapshot_, id);
  return std::make_shared<const SelectedMeasurement>(SelectedMeasurement{
      std::move(*row), std::move(*measurement), std::move(environment), shown_note(snapshot_->note(id))});
}

std::shared_ptr<const MeasurementBeside> DatabaseReader::beside_selected(const ReadRequest& request,
                                                                         ReadResult& result) {
  std::shared_ptr<const SelectedMeasurement> other =
      select(*result.shown, request.selected.back(), result.selected_problem);
  if (!other) return nullptr;
  StoredSamples samples(*snapshot_);
  Comparison time = compare_selected(samples, result.selected->row, other->row, request.tolerance);
  return std::make_shared<const MeasurementBeside>(std::move(other), std::move(time));
}

SelectionFigures DatabaseReader::figures_of(const ReadRequest& request, const SweepResults& shown) {
  std::unordered_map<std::int64_t, const ResultRow*> here;
  for (const ResultRow& row : shown.rows) here.emplace(row.measurement, &row);
  SelectionFigures figures;
  for (const std::int64_t id : request.selected) {
    if (figures.rows.size() == kMostSelectedRows || cancel_.stop_requested()) break;
    if (const auto found = here.find(id); found != here.end()) {
      figures.rows.push_back({*found->second, {}});
    } else if (std::optional<ResultRow> row = row_elsewhere(*snapshot_, id)) {
      figures.rows.push_back({std::move(*row), {}});
    }
  }
  return figures;
}

void DatabaseReader::compare_figures(const ReadRequest& request, const ResultRow& first, SelectionFigures& figures) {
  constexpr std::size_t kMost = 64;  // a comparison reads the samples of both
  const ResultRow* other_pass = other_pass_of(first, figures);
  std::string of = fmt::format("{}/{}/{}/{}/{}", file_.string(), version_, first.measurement,
                               other_pass ? other_pass->measurement : 0, request.tolerance);
  if (of != figures_of_) figures_known_.clear();
  figures_of_ = std::move(of);
  StoredSamples samples(*snapshot_);
  std::size_t compared = 0;
  for (SelectedRow& one : figures.rows) {
    if (one.row.measurement == first.measurement || one.row.status != Status::ok || first.status != Status::ok)
      continue;
    if (compared++ == kMost || cancel_.stop_requested()) {
      figures.all_compared = false;
      return;
    }
    const bool of_step = other_pass && one.row.pass == other_pass->pass && &one.row != other_pass;
    auto found = figures_known_.find(one.row.measurement);
    if (found == figures_known_.end()) {
      Comparison time = compare_selected(samples, one.row, of_step ? *other_pass : first, request.tolerance);
      found = figures_known_.emplace(one.row.measurement, std::move(time)).first;
    }
    one.time = found->second;
  }
}

// The rows that are selected are told first, their comparisons then.
void DatabaseReader::read_selected(const ReadRequest& request, ReadResult& result,
                                   const std::function<void(const ReadResult&)>& rows_ready) {
  if (request.first() != 0 && result.shown)
    result.selected = select(*result.shown, request.first(), result.selected_problem);
  if (request.selected.size() < 2 || !result.selected) return rows_ready(result);
  result.beside = beside_selected(request, result);
  SelectionFigures figures = figures_of(request, *result.shown);
  result.figures = std::make_shared<const SelectionFigures>(figures);
  rows_ready(result);
  compare_figures(request, result.selected->row, figures);
  result.figures = std::make_shared<const SelectionFigures>(std::move(figures));
}

}  // namespace triscope
