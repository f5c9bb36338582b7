#include "views/model/paper/match3_model.hpp"

#include <fmt/format.h>

#include <charconv>

#include "kernels/tensors/match3.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kInputsOfModulus = 6;

/// What `fields` ask; else says in `problem` what is wrong with them.
std::optional<Match3Question> question_of(const Match3Fields& fields, std::string& problem) {
  Match3Question question{{}, fields.modulus, fields.precision, 0};
  const auto numbers = parse_match3_numbers(fields.numbers);
  if (!numbers || numbers->empty()) {
    problem = "Type whole numbers, separated by spaces.";
  } else if (static_cast<std::int64_t>(numbers->size()) > kMatch3PageNumbers) {
    problem = fmt::format("Type at most {} numbers; `triscope paper match3` takes more.", kMatch3PageNumbers);
  } else if (fields.modulus < 1 || fields.modulus > kMatch3LargestModulus) {
    problem = fmt::format("modulus M: type a number from 1 to {}.", format_count(kMatch3LargestModulus));
  }
  if (!fields.c.empty()) {
    const char* end = fields.c.data() + fields.c.size();
    const auto [next, error] = std::from_chars(fields.c.data(), end, question.c);
    const double most = fields.precision == Match3Precision::fp16 ? 65504 : 1e9;
    if (error != std::errc() || next != end || !(question.c > 0) || question.c > most)
      problem = fmt::format("c is a number above zero and at most {}, or empty.", most);
  }
  if (!problem.empty()) return std::nullopt;
  question.numbers = *numbers;
  return question;
}

}  // namespace

std::string tried_text(const Match3Trial& trial, std::int64_t safe_up_to) {
  return fmt::format("at modulus {}{}: of {} tried {} wrong", trial.modulus,
                     trial.modulus > safe_up_to ? ", beyond that" : "", trial.tokens, trial.wrong);
}

Match3Shown find_shown(const Match3Fields& fields, const Match3Shown* before) {
  Match3Shown shown;
  if (const auto question = question_of(fields, shown.problem)) {
    shown.findings = find_match3(*question, kSeed);
    const auto n = question->numbers.size();
    const bool same = before != nullptr && before->findings && before->findings->question.numbers.size() == n;
    shown.moduli = same ? before->moduli : try_match3_moduli(static_cast<std::int64_t>(n), kInputsOfModulus, kSeed);
  }
  return shown;
}

}  // namespace triscope
