// Which measurements are looked at: `form=trilinear window=512x32,256x32 seq>=8k kernel~hopper`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/explore/explore_fields.hpp"

namespace triscope {

/// Terms between blanks, all of which must hold. A term is a field of `explore_fields`, an operator and values
/// separated by commas, one of which must hold: `=`, `!=` (none of them), `~` (holds the text), `!~`, and with one
/// value `<`, `<=`, `>`, `>=`. Numbers may end in k (x 1024) or m (x 1024 x 1024). Capitals count as small letters.
/// `heads=64` without a stroke are query heads. A kernel goes by its id and the names that are shown of it. Double
/// quotes hold blanks and commas together: device="NVIDIA H200". A word alone is looked for in every setting.
class ExploreFilter {
 public:
  ExploreFilter() = default;
  /// Throws `Error` (usage) that names the term that is wrong, and what is right.
  explicit ExploreFilter(std::string_view text);

  bool matches(const Explored& one) const;
  std::size_t terms() const { return terms_.size(); }
  const std::string& term(std::size_t n) const { return terms_[n].written; }
  /// The term `n` alone holds.
  bool holds(std::size_t n, const Explored& one) const { return holds(terms_[n], one); }
  /// The terms as they were written, but for `n`.
  std::string without(std::size_t n) const;
  /// It asks for something about this field.
  bool names(std::string_view field) const;
  /// The field of the term `n`; null: any setting.
  const ExploreField* field(std::size_t n) const { return terms_[n].field; }
  /// The term `n` is one with `~`, or a word alone.
  bool looks_for_text(std::size_t n) const { return terms_[n].op == Operator::holds; }
  /// The values of which a term with `=` takes one; empty: it is another term.
  std::vector<std::string> accepted(std::size_t n) const;
  bool accepts(std::size_t n, std::size_t value, const Explored& one) const;

 private:
  enum class Operator { equal, unequal, holds, lacks, less, at_most, more, at_least };
  struct Value {
    std::string text;              ///< in small letters
    std::optional<double> number;  ///< set where the field has numbers
  };
  struct Term {
    const ExploreField* field = nullptr;  ///< null: any setting
    Operator op = Operator::holds;
    std::vector<Value> values;
    std::string written;
  };
  static Term parse_term(const std::string& text);
  static bool holds(const Term& term, const Explored& one);

  std::vector<Term> terms_;
};

/// The field called `id`; throws `Error` (usage) that names `what` and the nearest name.
const ExploreField& require_explore_field(std::string_view what, std::string_view id);

}  // namespace triscope
