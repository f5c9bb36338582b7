#include "app/cli/text/exploration_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/explore/identity.hpp"
#include "profiler/export/text_table.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"

namespace triscope {
namespace {

using nlohmann::json;

/// Calls `each(panel, series, point)` for every point in order.
template <typename Each>
void for_each_point(const Exploration& made, Each each) {
  for (const ExplorePanel& panel : made.panels) {
    for (const ExploreSeries& series : panel.series) {
      for (const ExplorePoint& point : series.points) each(panel, series, point);
    }
  }
}

std::string x_text(const Exploration& made, double x) {
  if (!made.x_names.empty()) return made.x_names[static_cast<std::size_t>(x)];
  return made.x->measure ? significant_text(x, 4) : fmt::format("{:.0f}", x);
}

const ResultRow& row_of(std::span<const ExploreSource> sources, const ExploreRepeat& repeat) {
  return sources[repeat.source].rows[repeat.row];
}

Explored explored_of(std::span<const ExploreSource> sources, const ExploreRepeat& repeat) {
  return explored(sources[repeat.source], repeat.row);
}

/// Half the interval in percent of y; of several repeats how far they lie apart.
std::string spread_text(const ExplorePoint& point) {
  const ExploreRepeat& one = point.repeats.front();
  if (point.repeats.size() > 1) {
    const auto [low, high] =
        std::minmax_element(point.repeats.begin(), point.repeats.end(),
                            [](const ExploreRepeat& a, const ExploreRepeat& b) { return a.y < b.y; });
    return fmt::format("{} to {}", significant_text(low->y, 4), significant_text(high->y, 4));
  }
  if (!one.interval || !(one.y > 0)) return "";
  return "+-" + significant_text(50 * (one.interval->high - one.interval->low) / one.y, 2) + " %";
}

std::string ids_text(const ExplorePoint& point, std::span<const ExploreSource> sources) {
  const ResultRow& first = row_of(sources, point.repeats.front());
  std::string text = fmt::format("m{}", first.measurement);
  if (point.repeats.size() > 1) text += fmt::format(" and {} more", point.repeats.size() - 1);
  return text;
}

/// A column of words that tell panels or series apart. A note is of any length, and is cut also where the output is as
/// wide as one wants: CSV and JSON have it whole.
TerminalColumn column_of(const ExploreField& field, int importance, bool may_cut) {
  constexpr std::size_t kWidestNote = 40;
  TerminalColumn column{std::string(field.label), Align::left, importance, may_cut};
  if (field.id == "note") column.may_cut = true, column.most = kWidestNote;
  return column;
}

/// How many measurements match the filter, what of it to blame where none does, and what is not drawn.
std::vector<std::string> matched_sentences(const Exploration& made) {
  std::string matched = fmt::format("{} of {} match the filter", number_of(made.matched, "measurement"), made.rows);
  if (made.drawn == 0 && made.matched > 0)  // else a hint says why
    matched += fmt::format("; {} of these failed or have no {}", made.matched - made.drawn, made.y->label);
  std::vector<std::string> sentences{matched + "."};
  for (const ExploreBlame& blame : blamed_terms(made)) sentences.push_back(blame.sentence);
  for (const ExploreHint& hint : made.hints)
    sentences.push_back(hint.sentence + (hint.add.empty() ? "" : fmt::format(" Add {} to see them.", hint.add)));
  return sentences;
}

}  // namespace

std::string nothing_drawn_text(const Exploration& made) {
  return fmt::format("{}", fmt::join(matched_sentences(made), " "));
}

std::string exploration_table(const Exploration& made, std::span<const ExploreSource> sources, std::size_t width) {
  TerminalTable table;
  if (made.row != nullptr) table.columns.push_back(column_of(*made.row, 94, false));
  if (made.panel != nullptr) table.columns.push_back(column_of(*made.panel, 95, false));
  if (made.color != nullptr) table.columns.push_back(column_of(*made.color, 96, false));
  const ExploreField* database = find_explore_field("database");
  const bool chosen = database == made.x || database == made.color || database == made.panel || database == made.row;
  const bool several = sources.size() > 1 && !chosen;
  TerminalColumn& x = table.columns.emplace_back(column_of(*made.x, 98, false));
  x.title = header_of(*made.x);
  x.align = Align::right;
  table.columns.insert(table.columns.end(), {{header_of(*made.y), Align::right, 100, false},
                                             {"interval", Align::left, 70, false},
                                             {"id", Align::left, 60, false}});
  // What else tells one point from the next, where it is not chosen already.
  std::vector<const ExploreField*> others;
  const std::vector<const ExploreField*> telling = telling_fields(made);
  std::vector<const ExploreField*> wanted;
  for (const char* id : {"kernel", "window", "instance"}) wanted.push_back(find_explore_field(id));
  for (const ExploreField* field : telling) {
    if (std::ranges::find(wanted, field) == wanted.end()) wanted.push_back(field);
  }
  for (const ExploreField* field : wanted) {
    if (field == made.x || field == made.color || field == made.panel || field == made.row) continue;
    others.push_back(field);
    table.columns.push_back(column_of(*field, std::max(1, 50 - 10 * static_cast<int>(others.size())), true));
  }
  if (several) table.columns.push_back({"database", Align::left, 40, true});
  for_each_point(made, [&](const ExplorePanel& panel, const ExploreSeries& series, const ExplorePoint& point) {
    std::vector<std::string>& line = table.rows.emplace_back();
    const Explored one = explored_of(sources, point.repeats.front());
    if (made.row != nullptr) line.push_back(panel.row);
    if (made.panel != nullptr) line.push_back(panel.name);
    if (made.color != nullptr) line.push_back(series.name);
    line.insert(line.end(),
                {x_text(made, point.x), significant_text(point.y, 4), spread_text(point), ids_text(point, sources)});
    for (const ExploreField* field : others) line.push_back(field->text(one));
    if (several) line.push_back(one.database);
  });
  std::string text = made.drawn == 0 ? "" : render(table, width) + "\n";
  for (const std::string& sentence : matched_sentences(made)) text += sentence + "\n";
  if (!made.chosen_over.empty())
    text += fmt::format("The best of each was chosen over {}: --where and --color compare like with like.\n",
                        choice_text(made));
  if (!made.mixed.empty()) {
    const bool by_choice = made.chosen_over.empty() &&
                           std::ranges::any_of(made.mixed, [](const std::string& part) { return !stays_within(part); });
    text += fmt::format(
        "Beside {} the points of a series differ in: {}. Choose one of these as --color, --panels or --rows{}.\n",
        made.x->label, fmt::join(made.mixed, ", "), by_choice ? ", filter, or take the --best" : ", or filter");
  }
  return text;
}

std::string exploration_csv(const Exploration& made, std::span<const ExploreSource> sources) {
  TextTable table;
  if (made.row != nullptr) table.add_column(std::string(made.row->id), false);
  if (made.panel != nullptr) table.add_column(std::string(made.panel->id), false);
  if (made.color != nullptr) table.add_column(std::string(made.color->id), false);
  table.add_column(std::string(made.x->id), made.x_names.empty());
  for (const std::string& name : {std::string(made.y->id), std::string("low"), std::string("high"),
                                  std::string("median_of_repeats"), std::string("repeats")})
    table.add_column(name, true);
  table.add_column("database", false);
  table.add_column("measurement", true);
  const std::vector<const ExploreField*> telling = telling_fields(made);
  if (!made.chosen_over.empty()) table.add_column("best_of", true);
  for (const ExploreField* field : telling) table.add_column(std::string(field->id), false);
  const auto number = [](double value) { return fmt::format("{}", value); };
  for_each_point(made, [&](const ExplorePanel& panel, const ExploreSeries& series, const ExplorePoint& point) {
    for (const ExploreRepeat& repeat : point.repeats) {
      std::vector<std::string>& line = table.rows.emplace_back();
      if (made.row != nullptr) line.push_back(panel.row);
      if (made.panel != nullptr) line.push_back(panel.name);
      if (made.color != nullptr) line.push_back(series.name);
      line.push_back(made.x_names.empty() ? number(point.x) : x_text(made, point.x));
      line.insert(line.end(), {number(repeat.y), repeat.interval ? number(repeat.interval->low) : std::string(),
                               repeat.interval ? number(repeat.interval->high) : std::string(), number(point.y),
                               fmt::format("{}", point.repeats.size()), sources[repeat.source].name,
                               fmt::format("{}", row_of(sources, repeat).measurement)});
      if (!made.chosen_over.empty()) line.push_back(fmt::format("{}", point.chosen_from));
      for (const ExploreField* field : telling) line.push_back(field->text(explored_of(sources, repeat)));
    }
  });
  return write_table(table, TableFormat::csv);
}

std::string exploration_json(const Exploration& made, std::span<const ExploreSource> sources) {
  std::string text;
  const std::vector<const ExploreField*> telling = telling_fields(made);
  for_each_point(made, [&](const ExplorePanel& panel, const ExploreSeries& series, const ExplorePoint& point) {
    json object = json::object(), repeats = json::array();
    if (made.row != nullptr) object[made.row->id] = panel.row;
    if (made.panel != nullptr) object[made.panel->id] = panel.name;
    if (made.color != nullptr) object[made.color->id] = series.name;
    object[made.x->id] = made.x_names.empty() ? json(point.x) : json(x_text(made, point.x));
    object[made.y->id] = point.y;
    if (point.chosen_from > 1) object["best_of"] = point.chosen_from, object["differ_in"] = point.chosen_over;
    const ExploreRepeat& newest = point.repeats.back();
    const Explored one = explored_of(sources, newest);
    for (const ExploreField* field : telling)
      object[field->id] = field->number != nullptr ? json(field->number(one).value_or(0)) : json(field->text(one));
    for (const ExploreRepeat& repeat : point.repeats) {
      repeats.push_back({{"database", sources[repeat.source].name},
                         {"sweep", row_of(sources, repeat).sweep},
                         {"measurement", row_of(sources, repeat).measurement},
                         {"value", repeat.y},
                         {"low", repeat.interval ? json(repeat.interval->low) : json(nullptr)},
                         {"high", repeat.interval ? json(repeat.interval->high) : json(nullptr)}});
    }
    object["repeats"] = std::move(repeats);
    text += dump_line(object) + "\n";
  });
  return text;
}

}  // namespace triscope
