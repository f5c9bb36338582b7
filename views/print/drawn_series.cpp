#include "views/print/drawn_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "profiler/record/words/problem_facts.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

/// Measurements of some sweeps by their number.
class RowsByNumber {
 public:
  void add(const SweepResults& sweep) { add(sweep.rows, {&sweep.info, 1}); }
  void add(const SweepResults& shown, const OtherSweeps& others) {
    add(shown);
    for (const auto& other : others) add(*other);
  }
  /// `infos`: what is known of the sweeps that they are of.
  void add(const std::vector<ResultRow>& rows, std::span<const SweepInfo> infos) {
    for (const SweepInfo& info : infos) precisions_.try_emplace(info.id, precision_asked(info));
    for (const ResultRow& row : rows) {
      if (row.status == Status::ok) rows_.try_emplace(row.measurement, &row);
    }
  }
  void draw(DrawnSeries& series, std::int64_t measurement, std::string where) const {
    const auto found = rows_.find(measurement);
    if (found == rows_.end()) return;
    const auto precision = precisions_.find(found->second->sweep);
    series.rows.push_back(
        {found->second, std::move(where), precision == precisions_.end() ? std::nullopt : precision->second});
  }
  /// What is drawn at one place; `backward` is 0 where that is no training step.
  void draw(DrawnSeries& series, std::int64_t measurement, std::int64_t backward, const std::string& where) const {
    draw(series, measurement, where);
    if (backward != 0) draw(series, backward, where);
  }
  const ResultRow* find(std::int64_t measurement) const {
    const auto found = rows_.find(measurement);
    return found == rows_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::int64_t, const ResultRow*> rows_;
  std::map<std::int64_t, std::optional<double>> precisions_;
};

}  // namespace

std::vector<DrawnSeries> drawn_series(const std::vector<SeriesPoints>& series, const std::vector<SeriesPoints>& levels,
                                      const SweepResults& shown, const OtherSweeps& others) {
  RowsByNumber rows;
  rows.add(shown, others);
  std::vector<DrawnSeries> drawn;
  for (const auto* group : {&series, &levels}) {
    for (const SeriesPoints& one : *group) {
      DrawnSeries& made = drawn.emplace_back(DrawnSeries{one.series.label, {}});
      for (const ChartPoint& point : one.points) {
        const ResultRow* row = rows.find(point.measurement);
        if (row != nullptr) rows.draw(made, point.measurement, point.backward, windows_text(row->problem));
      }
    }
  }
  return drawn;
}

std::vector<DrawnSeries> drawn_series(const WindowMap& map, const Series& series, const SweepResults& shown,
                                      const OtherSweeps& others) {
  RowsByNumber rows;
  rows.add(shown, others);
  DrawnSeries drawn{series.label, {}};
  for (std::size_t i2 = 0; i2 < map.window2.size(); ++i2) {
    for (std::size_t i1 = 0; i1 < map.window1.size(); ++i1) {
      const MapCell& cell = map.at(i1, i2);
      rows.draw(drawn, cell.measurement, cell.backward, format_windows(map.window1[i1], map.window2[i2]));
    }
  }
  return {drawn};
}

std::vector<DrawnSeries> drawn_series(const LengthPass& pass, const SweepResults& shown, const OtherSweeps& others) {
  RowsByNumber rows;
  rows.add(shown, others);
  std::vector<DrawnSeries> drawn;
  for (const LengthCurve& curve : pass.curves) {
    DrawnSeries& made = drawn.emplace_back(DrawnSeries{curve.label, {}});
    for (const LengthPoint& point : curve.points)
      rows.draw(made, point.measurement, point.backward, format_tokens(point.seq_len));
  }
  return drawn;
}

std::vector<DrawnSeries> drawn_series(const std::vector<std::int64_t>& measurements, const SweepResults& shown,
                                      const OtherSweeps& others) {
  RowsByNumber rows;
  rows.add(shown, others);
  std::map<std::string, DrawnSeries> drawn;  // by kernel
  for (const std::int64_t measurement : std::set(measurements.begin(), measurements.end())) {
    const ResultRow* row = rows.find(measurement);
    if (row == nullptr) continue;
    DrawnSeries& made = drawn.try_emplace(row->card.label, DrawnSeries{row->card.label, {}}).first->second;
    rows.draw(made, measurement,
              fmt::format("{}, {}", windows_text(row->problem), format_tokens(row->problem.seq_len)));
  }
  std::vector<DrawnSeries> series;
  for (auto& [name, one] : drawn) series.push_back(std::move(one));
  return series;
}

std::vector<DrawnSeries> drawn_series(const CompareModel& model, const ComparedSweep& side) {
  RowsByNumber rows;
  rows.add(side.results->rows, side.sweeps.empty() ? std::span(&side.results->info, 1) : std::span(side.sweeps));
  std::vector<std::int64_t> numbers;
  for (const CompareLine& line : model.lines) {
    if (std::ranges::none_of(line.cells, [](const auto& cell) { return cell && cell->comparison; })) continue;
    for (const auto& cell : line.cells) {
      if (cell && cell->measurement != 0) numbers.push_back(cell->measurement);
    }
  }
  std::vector<DrawnSeries> drawn;
  for (const ResultRow& row : side.results->rows) {
    // Another database's measurements have no number here: all of them stand for those that are drawn.
    if (side.database.empty() && std::ranges::find(numbers, row.measurement) == numbers.end()) continue;
    const std::string name = fmt::format("{} {}", row.card.label, to_string(row.pass));
    const auto known = std::ranges::find(drawn, name, &DrawnSeries::name);
    DrawnSeries& made = known == drawn.end() ? drawn.emplace_back(DrawnSeries{name, {}}) : *known;
    rows.draw(made, row.measurement,
              fmt::format("{}, {}", windows_text(row.problem), format_tokens(row.problem.seq_len)));
  }
  return drawn;
}

}  // namespace triscope
