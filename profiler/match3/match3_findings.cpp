#include "profiler/match3/match3_findings.hpp"

#include <algorithm>

namespace triscope {
namespace {

constexpr std::int64_t kMostTried = 12, kLeastTried = 3, kTriedWork = 1 << 27;

}  // namespace

Match3Findings find_match3(const Match3Question& question, std::uint64_t seed) {
  Match3Findings all;
  all.question = question;
  all.answer = ask_match3(question);
  const auto n = static_cast<std::int64_t>(question.numbers.size());
  const std::int64_t inputs = std::clamp(kTriedWork / (n * n * n), kLeastTried, kMostTried);
  for (int i = 0; i < kMatch3Precisions; ++i)
    all.trials.push_back(try_match3(n, question.modulus, static_cast<Match3Precision>(i), 0, inputs, seed + 1));
  const DotProductHead head = find_dot_product_head(n, question.modulus, seed + 2);
  all.dot_product = head.told(question.numbers);
  for (std::size_t i = 0; i < all.dot_product.size(); ++i)
    all.dot_product_wrong += all.dot_product[i] == (all.answer.tokens[i].matches > 0) ? 0 : 1;
  all.beside = compare_heads(head, n, seed + 3);
  all.swap = match3_swap(question.modulus);
  return all;
}

}  // namespace triscope
