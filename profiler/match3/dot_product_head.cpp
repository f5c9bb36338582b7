#include "profiler/match3/dot_product_head.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/tensors/match3.hpp"
#include "profiler/match3/match3_study.hpp"

namespace triscope {
namespace {

constexpr int kTimesThrough = 10;
constexpr std::int64_t kMostInputs = 4000, kLeastInputs = 64, kSearchWork = 1 << 22, kCompareWork = 1 << 24;

struct Example {
  std::vector<std::int64_t> residues;
  std::vector<bool> matches;
};

std::int64_t residue(std::int64_t x, std::int64_t modulus) { return (x % modulus + modulus) % modulus; }

std::vector<Example> draw_examples(std::int64_t n, std::int64_t modulus, std::int64_t inputs, std::uint64_t seed) {
  std::vector<Example> examples;
  const std::vector<std::int64_t> numbers = match3_numbers(n * inputs, modulus, seed);
  for (std::int64_t input = 0; input < inputs; ++input) {
    Example example;
    example.residues.assign(numbers.begin() + input * n, numbers.begin() + (input + 1) * n);
    for (const std::int64_t count : match3_counts(example.residues, modulus)) example.matches.push_back(count > 0);
    examples.push_back(std::move(example));
  }
  return examples;
}

/// Tokens of each residue: of those that it told rightly, and those with and without a match.
struct Tally {
  std::int64_t right = 0, matching = 0, others = 0;
};

std::vector<Tally> tally(const DotProductHead& head, const std::vector<Example>& examples) {
  std::vector<Tally> all(static_cast<std::size_t>(head.modulus()));
  for (const Example& example : examples) {
    for (std::size_t i = 0; i < example.residues.size(); ++i) {
      Tally& one = all[static_cast<std::size_t>(example.residues[i])];
      ++(example.matches[i] ? one.matching : one.others);
      one.right += (head.sum(example.residues[i], example.residues) > 0) == example.matches[i] ? 1 : 0;
    }
  }
  return all;
}

}  // namespace

DotProductHead::DotProductHead(std::int64_t modulus)
    : modulus_(modulus), weights_(static_cast<std::size_t>(modulus * (modulus + 1))) {}

double DotProductHead::sum(std::int64_t own, const std::vector<std::int64_t>& residues) const {
  const double* weights = weights_.data() + row(own);
  double sum = weights[modulus_];
  for (const std::int64_t x : residues) sum += weights[x];
  return sum;
}

std::vector<bool> DotProductHead::told(const std::vector<std::int64_t>& numbers) const {
  std::vector<std::int64_t> residues;
  for (const std::int64_t x : numbers) residues.push_back(residue(x, modulus_));
  std::vector<bool> told;
  for (const std::int64_t own : residues) told.push_back(sum(own, residues) > 0);
  return told;
}

DotProductHead find_dot_product_head(std::int64_t n, std::int64_t modulus, std::uint64_t seed) {
  const std::int64_t inputs = std::clamp(kSearchWork / (n * n), kLeastInputs, kMostInputs);
  std::vector<Example> examples = draw_examples(n, modulus, inputs, seed);
  const std::vector<Example> aside(examples.end() - inputs / 4, examples.end());
  examples.resize(examples.size() - aside.size());
  DotProductHead head(modulus), last(modulus);
  for (int time = 0; time < kTimesThrough; ++time) {
    const double rate = 0.5 / (1 + time) / std::sqrt(static_cast<double>(n));
    for (const Example& example : examples) {
      for (std::size_t i = 0; i < example.residues.size(); ++i) {
        const std::int64_t own = example.residues[i];
        const double p = 1 / (1 + std::exp(-last.sum(own, example.residues)));
        const double move = rate * ((example.matches[i] ? 1.0 : 0.0) - p);
        double* weights = last.weights_.data() + last.row(own);
        for (const std::int64_t x : example.residues) weights[x] += move;
        weights[modulus] += move;
      }
    }
    for (std::size_t w = 0; w < head.weights_.size() && time >= kTimesThrough / 2; ++w)
      head.weights_[w] += last.weights_[w];
  }
  const std::vector<Tally> found = tally(head, aside);
  for (std::int64_t own = 0; own < modulus; ++own) {
    const Tally& one = found[static_cast<std::size_t>(own)];
    if (one.right >= std::max(one.matching, one.others)) continue;
    double* weights = head.weights_.data() + head.row(own);
    std::fill_n(weights, modulus, 0.0);
    weights[modulus] = one.matching > one.others ? 1 : -1;
  }
  return head;
}

HeadsBeside compare_heads(const DotProductHead& head, std::int64_t n, std::uint64_t seed) {
  HeadsBeside beside;
  beside.inputs = std::clamp<std::int64_t>(kCompareWork / (n * n * n), 2, 200);
  std::int64_t matching = 0;
  for (const Example& example : draw_examples(n, head.modulus(), beside.inputs, seed)) {
    const Match3Answer answer = ask_match3({example.residues, head.modulus(), Match3Precision::fp32, 0});
    const std::vector<bool> told = head.told(example.residues);
    for (std::size_t i = 0; i < example.residues.size(); ++i) {
      beside.determinant += answer.tokens[i].told == example.matches[i] ? 1 : 0;
      beside.dot_product += told[i] == example.matches[i] ? 1 : 0;
      matching += example.matches[i] ? 1 : 0;
    }
    beside.tokens += n;
  }
  beside.larger_class = std::max(matching, beside.tokens - matching);
  return beside;
}

std::optional<Match3Swap> match3_swap(std::int64_t modulus) {
  const auto matches = [modulus](const std::vector<std::int64_t>& input) {
    return match3_counts(input, modulus).front() > 0;
  };
  const std::int64_t r = 1, a = 0, b = residue(-r - a, modulus);  // enough for every modulus that has a swap
  if (!matches({r, a, b})) return std::nullopt;
  for (std::int64_t c = 0; c < modulus; ++c) {
    const std::int64_t d = residue(-r - c, modulus);
    if (!matches({r, a, d}) && !matches({r, c, b})) return Match3Swap{{{{r, a, b}, {r, c, d}, {r, a, d}, {r, c, b}}}};
  }
  return std::nullopt;
}

}  // namespace triscope
