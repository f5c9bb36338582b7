#include "profiler/export/head_means.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "profiler/record/words/count_text.hpp"

namespace triscope {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::optional<double> even_value(const EvenFigures& even, OverviewFigure figure) {
  switch (figure) {
    case OverviewFigure::entropy:
      return even.entropy;
    case OverviewFigure::largest_p:
      return even.largest_p;
    case OverviewFigure::sink_p:
      return std::nullopt;
    case OverviewFigure::distance1:
      return even.distance1;
    case OverviewFigure::distance2:
      return even.distance2;
  }
  return std::nullopt;
}

class Mean {
 public:
  void add(double value) {
    sum_ += value;
    ++count_;
  }
  double value() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : kNone; }

 private:
  double sum_ = 0;
  std::int64_t count_ = 0;
};

/// Of every column of the overview that counts, with its first one.
struct EvenColumns {
  std::int64_t first = 0;
  std::vector<EvenFigures> figures;  ///< of column `first` + n
};

EvenColumns even_columns(const Overview& overview, const Problem& problem, std::int64_t tokens) {
  const std::int64_t query = counted_queries(problem, tokens).first;
  EvenColumns even{(query + overview.step - 1) / overview.step, {}};
  for (std::int64_t column = even.first; column < overview.columns; ++column)
    even.figures.push_back(even_figures(problem, tokens, column * overview.step));
  return even;
}

void take_means(HeadMeans& head, const Overview& overview, const EvenColumns& even, OverviewFigure figure) {
  const std::vector<float>& values = values_of(overview, figure);
  Mean mean, of_even;
  for (std::int64_t column = even.first; column < overview.columns; ++column) {
    const auto place = static_cast<std::size_t>(head.head * overview.columns + column);
    if (place >= values.size() || std::isnan(values[place])) continue;
    mean.add(static_cast<double>(values[place]));
    const auto own = even_value(even.figures[static_cast<std::size_t>(column - even.first)], figure);
    if (own) of_even.add(*own);
  }
  head.means.at(static_cast<std::size_t>(figure)) = mean.value();
  head.even.at(static_cast<std::size_t>(figure)) = of_even.value();
}

}  // namespace

const std::vector<float>& values_of(const Overview& overview, OverviewFigure figure) {
  switch (figure) {
    case OverviewFigure::entropy:
      return overview.entropy;
    case OverviewFigure::largest_p:
      return overview.largest_p;
    case OverviewFigure::sink_p:
      return overview.sink_p;
    case OverviewFigure::distance1:
      return overview.distance1;
    case OverviewFigure::distance2:
      return overview.distance2;
  }
  return overview.entropy;
}

float sign_of(OverviewFigure figure) { return figure == OverviewFigure::entropy ? -1 : 1; }

std::vector<HeadMeans> head_means(const Overview& overview, const Problem& problem, std::int64_t tokens) {
  const EvenColumns even = even_columns(overview, problem, tokens);
  std::vector<HeadMeans> heads;
  for (std::int64_t head = 0; head < overview.heads; ++head) {
    HeadMeans& one = heads.emplace_back(HeadMeans{head, {}, {}});
    for (const OverviewFigure figure : kOverviewFigures) take_means(one, overview, even, figure);
  }
  return heads;
}

FigureMeans even_means(const Overview& overview, const Problem& problem, std::int64_t tokens) {
  const EvenColumns even = even_columns(overview, problem, tokens);
  FigureMeans means{};
  for (const OverviewFigure figure : kOverviewFigures) {
    Mean mean;
    for (const EvenFigures& one : even.figures) {
      if (const auto value = even_value(one, figure)) mean.add(*value);
    }
    means.at(static_cast<std::size_t>(figure)) = mean.value();
  }
  return means;
}

void sort_heads(std::vector<HeadMeans>& heads, OverviewFigure figure) {
  const bool distance = figure == OverviewFigure::distance1 || figure == OverviewFigure::distance2;
  std::ranges::stable_sort(heads, std::greater(), [&](const HeadMeans& head) {
    const double mean = head.of(figure);
    if (std::isnan(mean)) return -std::numeric_limits<double>::infinity();
    return distance ? std::abs(mean - head.even_of(figure)) : static_cast<double>(sign_of(figure)) * mean;
  });
}

bool has_figure(OverviewFigure figure, bool sink, bool one_key) {
  return (sink || figure != OverviewFigure::sink_p) && (!one_key || figure != OverviewFigure::distance2);
}

TextTable heads_text(const std::vector<HeadMeans>& heads, const FigureMeans& even, bool sink, bool one_key) {
  TextTable table;
  table.add_column("head", true);
  std::vector<OverviewFigure> figures;
  for (const auto& [figure, name] :
       {std::pair{OverviewFigure::entropy, "mean entropy, nats"},
        std::pair{OverviewFigure::largest_p, "mean largest p"}, std::pair{OverviewFigure::sink_p, "mean sink"},
        std::pair{OverviewFigure::distance1, "mean distance j, tokens"},
        std::pair{OverviewFigure::distance2, "mean distance k, tokens"}}) {
    if (!has_figure(figure, sink, one_key)) continue;
    table.add_column(name, true);
    figures.push_back(figure);
  }
  const auto add_row = [&](const std::string& name, const FigureMeans& means) {
    std::vector<std::string>& row = table.rows.emplace_back(std::vector{name});
    for (const OverviewFigure figure : figures) {
      const double mean = means.at(static_cast<std::size_t>(figure));
      row.push_back(std::isnan(mean) ? std::string() : fmt::format("{:.6g}", mean));
    }
  };
  for (const HeadMeans& head : heads) add_row(fmt::format("{}", head.head), head.means);
  add_row("even weights", even);
  return table;
}

std::string left_out_sentence(const CountedQueries& counted, bool all) {
  if (counted.whole <= 0) return {};
  const std::string first = count_text(counted.first), whole = count_text(counted.whole);
  if (all) return fmt::format("Windows of queries before {} are cut at the first token.", whole);
  if (counted.first == counted.whole)
    return fmt::format("Queries before {} are left out: their windows are cut at the first token.", first);
  if (counted.first == 0) return fmt::format("Windows of queries before {} are cut at the first token.", whole);
  return fmt::format(
      "Queries before {}, the first half, are left out: they see few pairs. The windows of others before {} are cut at "
      "the first token, too.",
      first, whole);
}

}  // namespace triscope
