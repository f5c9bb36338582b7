#include "profiler/explore/filter_hints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>

#include "kernels/base/text/nearest_name.hpp"
#include "kernels/base/text/number_of.hpp"

namespace triscope {
namespace {

/// "kernel=cuda.hopper": the term `n` with the word of the measurements that is nearest to a `value` that none has;
/// empty: it is a number, or none is near.
std::string nearest_term(const ExploreFilter& filter, std::size_t n, const std::string& value,
                         std::span<const ExploreSource> sources) {
  const ExploreField* field = filter.field(n);
  if (field == nullptr || field->number != nullptr) return "";
  std::set<std::string> words;
  for (const ExploreSource& source : sources) {
    for (std::size_t row = 0; row < source.rows.size(); ++row) words.insert(field->text(explored(source, row)));
  }
  const auto nearest = nearest_name(value, std::vector<std::string>(words.begin(), words.end()));
  if (!nearest) return "";
  return fmt::format(fmt::runtime(nearest->find(' ') == std::string::npos ? "{}={}" : "{}=\"{}\""), field->id,
                     *nearest);
}

}  // namespace

std::string or_perhaps(const std::string& nearest) {
  return nearest.empty() ? "." : fmt::format("; did you mean {}?", nearest);
}

std::vector<ExploreTerm> terms_of(const ExploreFilter& filter, std::span<const ExploreSource> sources) {
  std::vector<ExploreTerm> terms;
  for (std::size_t n = 0; n < filter.terms(); ++n) {
    ExploreTerm& term = terms.emplace_back(ExploreTerm{filter.term(n), 0, 0, filter.without(n), {}});
    const ExploreFilter others(term.others);
    for (const ExploreSource& source : sources) {
      for (std::size_t row = 0; row < source.rows.size(); ++row) {
        const Explored one = explored(source, row);
        term.alone += filter.holds(n, one) ? 1 : 0;
        term.without += others.matches(one) ? 1 : 0;
      }
    }
    if (const auto values = filter.accepted(n); term.alone == 0 && values.size() == 1)
      term.nearest = nearest_term(filter, n, values.front(), sources);
  }
  return terms;
}

std::vector<ExploreHint> hints_of(const ExploreFilter& filter, std::span<const ExploreSource> sources) {
  std::vector<ExploreHint> hints;
  for (std::size_t n = 0; n < filter.terms(); ++n) {
    const std::vector<std::string> accepted = filter.accepted(n);
    const std::string& term = filter.term(n);
    const bool part_of_version =
        filter.field(n) != nullptr && filter.field(n)->id == "version" && filter.looks_for_text(n);
    if (accepted.empty() && !part_of_version) continue;
    std::vector<bool> met(accepted.size(), false);
    const ExploreFilter others(filter.without(n));
    const std::string_view id = filter.field(n)->id;
    const bool ours_only = id == "window" || id == "form" || id == "version";
    std::set<std::string> beside;  // windows, forms or versions of dot-product attention that only this term leaves out
    std::set<std::string> kernels;
    bool asked = false;
    for (const ExploreSource& source : sources) {
      for (std::size_t row = 0; row < source.rows.size(); ++row) {
        const Explored one = explored(source, row);
        for (std::size_t value = 0; value < accepted.size(); ++value)
          met[value] = met[value] || filter.accepts(n, value, one);
        if (!ours_only || one.row.problem.form != Form::dot_product || one.row.status != Status::ok) continue;
        asked |= filter.holds(n, one);  // then one already stands there
        if (filter.holds(n, one) || !others.matches(one)) continue;
        const std::string text = filter.field(n)->text(one);
        beside.insert(text.find(' ') == std::string::npos ? text : '"' + text + '"');
        kernels.insert(one.row.card.label.empty() ? one.row.kernel : one.row.card.label);
      }
    }
    for (std::size_t value = 0; value < accepted.size(); ++value) {
      if (!met[value])
        hints.push_back({fmt::format("No measurement has {}={}{}", filter.field(n)->id, accepted[value],
                                     or_perhaps(nearest_term(filter, n, accepted[value], sources))),
                         {},
                         {}});
    }
    if (beside.empty() || asked) continue;
    const std::string add = fmt::format(",{}", fmt::join(beside, ","));
    const std::string whole = filter.without(n);
    hints.push_back(
        {fmt::format("{} {} {}: {} leaves {} out.", fmt::join(kernels, ", "), kernels.size() == 1 ? "has" : "have",
                     id == "form"      ? "no such form"
                     : id == "version" ? "another version"
                                       : "no pair of windows",
                     term, kernels.size() == 1 ? "it" : "them"),
         add, fmt::format("{}{}{}{}", whole, whole.empty() ? "" : " ", term, add)});
  }
  return hints;
}

}  // namespace triscope
