#include "profiler/explore/exploration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/explore/explore_filter.hpp"
#include "profiler/explore/identity.hpp"
#include "profiler/record/dot_product.hpp"
#include "profiler/statistics/quantile.hpp"

namespace triscope {
namespace {

/// The identities that were met; those of one are repeats.
class Identities {
 public:
  std::size_t place(const ResultRow& row) {
    const Identity identity = identity_of(row, texts_);
    const auto [found, is_new] = places_.try_emplace(identity, all_.size());
    if (is_new) all_.push_back(identity);
    return found->second;
  }
  const Identity& operator[](std::size_t place) const { return all_[place]; }

 private:
  struct Hash {
    std::size_t operator()(const Identity& identity) const {
      std::size_t hash = 0;
      for (const std::int64_t part : identity) hash = (hash ^ static_cast<std::size_t>(part)) * 0x9e3779b97f4a7c15U;
      return hash ^ (hash >> 32U);
    }
  };
  TextNumbers texts_;
  std::unordered_map<Identity, std::size_t, Hash> places_;
  std::vector<Identity> all_;
};

/// The values of a field that were met, and their order.
class Values {
 public:
  explicit Values(const ExploreField* field) : field_(field) {}
  std::size_t place(const Explored& one) {
    std::string name = field_ == nullptr ? std::string() : field_->text(one);
    const auto [found, is_new] = places_.try_emplace(std::move(name), names_.size());
    if (is_new) {
      names_.push_back(found->first);
      orders_.push_back(field_ == nullptr ? ExploreOrder() : order_of(*field_, one));
    } else if (field_ != nullptr && field_->order != nullptr) {
      ExploreOrder order = order_of(*field_, one);
      if (order < orders_[found->second]) orders_[found->second] = std::move(order);
    }
    return found->second;
  }
  /// Sorts the names; returns where each of the places now is.
  std::vector<std::size_t> sort() {
    std::vector<std::size_t> order(names_.size()), where(names_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::tie(orders_[a], names_[a]) < std::tie(orders_[b], names_[b]);
    });
    std::vector<std::string> names;
    for (std::size_t n = 0; n < order.size(); ++n) {
      where[order[n]] = n;
      names.push_back(names_[order[n]]);
    }
    names_ = std::move(names);
    return where;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  const ExploreField* field_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<std::string> names_;
  std::vector<ExploreOrder> orders_;
};

/// A measurement on its way into a point.
struct Placed {
  std::size_t row_of_panels = 0, panel = 0, series = 0;
  double x = 0, ms = 0;
  std::size_t identity = 0;
  const ResultRow* row = nullptr;
  ExploreRepeat repeat;
};

/// A row that was copied from one database to another is one measurement.
bool is_copy(const Placed& a, const Placed& b) {
  return a.repeat.source != b.repeat.source && a.row->started == b.row->started &&
         a.row->median_ms == b.row->median_ms && a.row->samples == b.row->samples;
}

ExplorePoint point_of(std::span<const Placed> repeats) {
  ExplorePoint point;
  std::vector<double> y, ms;
  for (const Placed& one : repeats) {
    const bool known = std::any_of(repeats.data(), &one, [&](const Placed& before) { return is_copy(before, one); });
    if (known) continue;
    point.repeats.push_back(one.repeat);
    y.push_back(one.repeat.y);
    ms.push_back(one.ms);
  }
  point.x = repeats.front().x;
  point.y = median(y);
  point.ms = median(ms);
  return point;
}

/// Where the run of elements that are `alike` the one at `from` ends.
template <typename Alike>
std::size_t end_of(std::span<const Placed> placed, std::size_t from, Alike alike) {
  std::size_t end = from + 1;
  while (end < placed.size() && alike(placed[from], placed[end])) ++end;
  return end;
}

/// By the name of a part: the values that stood against each other. Parts of one name are one value.
using Chosen = std::map<std::string_view, std::set<std::vector<std::int64_t>>>;
/// Parts of an identity.
using Parts = std::array<bool, kIdentityParts.size()>;

/// Adds those that two identities differ in.
void add_differences(const Identity& a, const Identity& b, Parts& parts) {
  for (std::size_t part = 0; part < parts.size(); ++part) parts[part] |= a[part] != b[part];
}

std::vector<std::int64_t> value_of(const Identity& identity, std::string_view part) {
  std::vector<std::int64_t> value;
  for (std::size_t n = 0; n < kIdentityParts.size(); ++n) {
    if (kIdentityParts[n] == part) value.push_back(identity[n]);
  }
  return value;
}

/// One point of each configuration, with the place of its identity.
using NumberedPoints = std::vector<std::pair<ExplorePoint, std::size_t>>;

/// Of the candidates that answer one question in one way, the one of the highest rate, or the shortest time.
NumberedPoints best_of(NumberedPoints candidates, const Identities& identities, bool by_rate, Chosen& chosen_over) {
  std::map<std::vector<std::int64_t>, NumberedPoints> asked;
  for (auto& one : candidates) {
    std::vector<std::int64_t> question;
    for (std::size_t n = 0; n < kIdentityParts.size(); ++n) {
      if (stays_within(kIdentityParts[n])) question.push_back(identities[one.second][n]);
    }
    asked[question].push_back(std::move(one));
  }
  NumberedPoints best;
  for (auto& [question, answers] : asked) {
    const auto shortest = std::min_element(answers.begin(), answers.end(), [by_rate](const auto& a, const auto& b) {
      return by_rate ? a.first.y > b.first.y : a.first.ms < b.first.ms;
    });
    std::set<std::string_view> parts;
    for (const auto& one : answers) {
      const Identity &identity = identities[one.second], &chosen = identities[shortest->second];
      for (std::size_t n = 0; n < kIdentityParts.size(); ++n) {
        if (identity[n] != chosen[n]) parts.insert(kIdentityParts[n]);
      }
    }
    for (const std::string_view part : kIdentityParts) {
      if (!parts.erase(part)) continue;
      shortest->first.chosen_over.emplace_back(part);
      for (const auto& one : answers) chosen_over[part].insert(value_of(identities[one.second], part));
    }
    shortest->first.chosen_from = answers.size();
    best.push_back(std::move(*shortest));
  }
  return best;
}

/// In what the points of a series differ.
struct SeriesDifferences {
  Parts at_one_x{}, along_x{};
  std::optional<std::size_t> first;  ///< identity of its first point
  /// Those that its line would hide: not what x says, and not which instance a kernel of ours chose for each x.
  Parts hidden(const ExploreField& x, bool baseline) const {
    Parts parts = at_one_x;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const bool chosen_by_kernel = part == kInstancePart && !baseline;
      parts[part] = parts[part] || (along_x[part] && !chosen_by_kernel && !tells(x.id, part));
    }
    return parts;
  }
};

/// The points at one x of a series.
void add_cell(std::span<const Placed> cell, const Identities& identities, const ExploreQuery& query,
              ExploreSeries& series, SeriesDifferences& differences, Chosen& chosen) {
  NumberedPoints candidates;
  for (std::size_t from = 0; from < cell.size();) {
    const std::size_t end =
        end_of(cell, from, [](const Placed& a, const Placed& b) { return a.identity == b.identity; });
    candidates.emplace_back(point_of(cell.subspan(from, end - from)), cell[from].identity);
    from = end;
  }
  if (query.best && candidates.size() > 1)
    candidates = best_of(std::move(candidates), identities, query.best_by_rate(), chosen);
  if (!differences.first) differences.first = candidates.front().second;
  for (auto& [point, identity] : candidates) {
    add_differences(identities[candidates.front().second], identities[identity], differences.at_one_x);
    add_differences(identities[*differences.first], identities[identity], differences.along_x);
    series.points.push_back(std::move(point));
  }
}

/// Along tokens the best of several windows is an answer. Along dates or versions it is none where each has another
/// problem: a line would show what was measured, as if it were what became of it.
bool tells_problem(const ExploreField& x) {
  for (std::size_t part = 0; part < kIdentityParts.size(); ++part) {
    if (is_of_problem(part) && tells(x.id, part)) return true;
  }
  return false;
}

/// What is said of all series: in what their points differ, and what the best of them were chosen over, which is said
/// of the choice.
void say_differences(const std::vector<SeriesDifferences>& differences, Chosen chosen, Exploration& made) {
  const bool by_problem = tells_problem(*made.x);
  std::size_t n = 0;
  Parts mixed{};
  for (ExplorePanel& panel : made.panels) {
    for (ExploreSeries& series : panel.series) {
      const Parts hidden = differences[n++].hidden(*made.x, series.baseline);
      for (std::size_t part = 0; part < hidden.size(); ++part) {
        const bool is_answer = by_problem || !is_of_problem(part);
        if (!hidden[part] || (is_answer && chosen.contains(kIdentityParts[part]))) continue;
        series.mixed = mixed[part] = true;
      }
    }
  }
  for (std::size_t part = 0; part < kIdentityParts.size(); ++part) {
    const std::string name(kIdentityParts[part]);
    if (mixed[part] && std::ranges::find(made.mixed, name) == made.mixed.end()) made.mixed.push_back(name);
    const auto over = chosen.find(kIdentityParts[part]);
    if (over == chosen.end()) continue;
    made.chosen_over.push_back({name, over->second.size()});
    chosen.erase(over);  // another part may have its name
  }
}

void add_points(std::vector<Placed> placed, const Identities& identities, const ExploreQuery& query,
                const std::vector<std::string>& series, Exploration& made) {
  std::sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.row_of_panels, a.panel, a.series, a.x, a.identity, a.row->started, a.repeat.source,
                    a.repeat.row) <
           std::tie(b.row_of_panels, b.panel, b.series, b.x, b.identity, b.row->started, b.repeat.source, b.repeat.row);
  });
  std::vector<SeriesDifferences> differences;  // by series
  Chosen chosen;
  const std::span<const Placed> all(placed);
  const auto in_one_panel = [](const Placed& a, const Placed& b) {
    return a.row_of_panels == b.row_of_panels && a.panel == b.panel;
  };
  for (std::size_t from = 0; from < all.size();) {
    const Placed& one = all[from];
    const bool new_panel = from == 0 || !in_one_panel(all[from - 1], one);
    if (new_panel) made.panels.push_back({made.panel_names[one.panel], {}, made.row_names[one.row_of_panels]});
    if (new_panel || all[from - 1].series != one.series) {
      made.panels.back().series.push_back({series[one.series], true, false, {}});
      differences.emplace_back();
    }
    const std::size_t end = end_of(all, from, [&](const Placed& a, const Placed& b) {
      return in_one_panel(a, b) && a.series == b.series && a.x == b.x;
    });
    ExploreSeries& current = made.panels.back().series.back();
    const std::span<const Placed> cell = all.subspan(from, end - from);
    current.baseline =
        current.baseline && std::all_of(cell.begin(), cell.end(), [](const Placed& p) { return is_baseline(*p.row); });
    add_cell(cell, identities, query, current, differences.back(), chosen);
    from = end;
  }
  say_differences(differences, std::move(chosen), made);
}

/// Of the measurements that match those that are not drawn, and why.
struct Undrawn {
  std::size_t failed = 0, without_y = 0, without_x = 0;
  std::set<std::string> panels;  ///< that some of them would stand in

  std::optional<ExploreHint> hint(const Exploration& made, const std::vector<std::string>& drawn_panels) const {
    if (made.drawn == 0 || made.drawn == made.matched) return std::nullopt;  // an empty chart says it at length
    std::vector<std::string> reasons, empty;
    const auto add = [&](std::size_t count, const std::string& why) {
      if (count > 0) reasons.push_back(fmt::format("{} {}", count, why));
    };
    add(without_y, fmt::format("without {}", made.y->label));
    add(without_x, fmt::format("without {}", made.x->label));
    add(failed, "failed or skipped");
    for (const std::string& panel : panels) {
      if (std::ranges::find(drawn_panels, panel) == drawn_panels.end()) empty.push_back(panel);
    }
    std::string text =
        fmt::format("Not drawn of these {}: {}", number_of(made.matched, "measurement"), fmt::join(reasons, ", "));
    if (!empty.empty()) text += fmt::format("; so there is no panel {}", fmt::join(empty, ", "));
    return ExploreHint{text + ".", {}, {}};
  }
};

/// Along x. The sizes of a matrix product are neither tokens nor windows nor those of a head.
std::optional<double> place_of(const ExploreField& x, const Explored& one) {
  const bool of_attention = x.id == "seq" || x.id == "w1" || x.id == "w2" || x.id == "head_dim";
  if (of_attention && one.row.problem.form == Form::gemm) return std::nullopt;
  return x.number(one);
}

const ExploreField* optional_field(std::string_view what, const std::string& id) {
  return id.empty() ? nullptr : &require_explore_field(what, id);
}

}  // namespace

Exploration explore(std::span<const ExploreSource> sources, const ExploreQuery& query) {
  Exploration made;
  made.x = &require_explore_field("x", query.x);
  made.y = &require_explore_field("y", query.y);
  made.color = optional_field("color", query.color);
  made.panel = optional_field("panels", query.panels);
  made.row = optional_field("rows", query.rows);
  if (made.y->number == nullptr)
    throw Error(fmt::format("y '{}'", query.y), "it is a word, and only numbers can be drawn upwards",
                "choose a number such as ms or tflops", ExitCode::usage);
  const ExploreFilter filter(query.where);
  const bool by_name = made.x->number == nullptr;
  Values x_values(made.x), series(made.color), panels(made.panel), rows(made.row);
  Identities identities;
  std::vector<Placed> placed;
  Undrawn undrawn;
  for (std::size_t source = 0; source < sources.size(); ++source) {
    for (std::size_t row = 0; row < sources[source].rows.size(); ++row) {
      ++made.rows;
      const Explored one = explored(sources[source], row);
      if (!filter.matches(one)) continue;
      ++made.matched;
      const std::optional<double> y = made.y->number(one), x = by_name ? 0 : place_of(*made.x, one);
      const bool failed = one.row.status != Status::ok || !one.row.median_ms, no_y = !y || !std::isfinite(*y);
      if (failed || no_y || !x || !std::isfinite(*x)) {
        ++(failed ? undrawn.failed : no_y ? undrawn.without_y : undrawn.without_x);
        if (made.panel != nullptr) undrawn.panels.insert(made.panel->text(one));
        continue;
      }
      placed.push_back({rows.place(one),
                        panels.place(one),
                        series.place(one),
                        by_name ? static_cast<double>(x_values.place(one)) : *x,
                        *one.row.median_ms,
                        identities.place(one.row),
                        &one.row,
                        {source, row, *y, made.y->interval ? made.y->interval(one) : std::nullopt}});
    }
  }
  made.drawn = placed.size();
  if (made.matched == 0 && made.rows > 0) made.terms = terms_of(filter, sources);
  if (made.matched > 0) made.hints = hints_of(filter, sources);
  const std::vector<std::size_t> of_x = x_values.sort(), of_series = series.sort(), of_panel = panels.sort(),
                                 of_row = rows.sort();
  for (Placed& one : placed) {
    one.panel = of_panel[one.panel];
    one.row_of_panels = of_row[one.row_of_panels];
    one.series = of_series[one.series];
    if (by_name) one.x = static_cast<double>(of_x[static_cast<std::size_t>(one.x)]);
  }
  if (by_name) made.x_names = x_values.names();
  made.panel_names = panels.names();
  made.row_names = rows.names();
  if (const auto hint = undrawn.hint(made, made.panel_names)) made.hints.push_back(*hint);
  add_points(std::move(placed), identities, query, series.names(), made);
  return made;
}

bool needs_reference(const ExploreQuery& query) {
  return query.x == "ratio" || query.y == "ratio" || query.color == "ratio" || query.panels == "ratio" ||
         query.rows == "ratio" || ExploreFilter(query.where).names("ratio");
}

std::vector<std::string> needed_counters(const ExploreQuery& query) {
  const ExploreFilter filter(query.where);
  const std::array asked{find_explore_field(query.x), find_explore_field(query.y), find_explore_field(query.color),
                         find_explore_field(query.panels), find_explore_field(query.rows)};
  std::vector<std::string> names;
  for (const ExploreField& field : explore_fields()) {
    if (field.counter.empty()) continue;
    if (filter.names(field.id) || std::ranges::find(asked, &field) != asked.end()) names.emplace_back(field.counter);
  }
  return names;
}

}  // namespace triscope
