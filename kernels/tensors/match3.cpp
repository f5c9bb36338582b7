#include "kernels/tensors/match3.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kHeadDim = 7;

[[noreturn]] void refuse(const std::string& why, const std::string& fix) {
  throw Error("Match3 cannot be set up", why, fix, ExitCode::usage);
}

std::int64_t residue(std::int64_t x, std::int64_t modulus) { return (x % modulus + modulus) % modulus; }

void require_possible(const std::vector<std::int64_t>& numbers, std::int64_t modulus, double c) {
  if (numbers.empty()) refuse("there are no numbers", "type some, separated by spaces");
  if (static_cast<std::int64_t>(numbers.size()) > kMatch3MostNumbers) {
    refuse(fmt::format("{} numbers are too many", numbers.size()), fmt::format("type at most {}", kMatch3MostNumbers));
  }
  if (modulus < 1 || modulus > kMatch3LargestModulus) {
    refuse(fmt::format("{} cannot be the modulus", modulus), fmt::format("choose 1 to {}", kMatch3LargestModulus));
  }
  if (!std::isfinite(c)) refuse("c is not finite", "choose a number above zero, or leave it out");
}

/// n^2 misses by one step weigh 1 / `share` of the sink together.
double deciding_c(double share, std::int64_t n, std::int64_t modulus) {
  if (modulus == 1) return 1;
  const double step = 1 - std::cos(2 * std::numbers::pi / static_cast<double>(modulus));
  return std::log(share * static_cast<double>(n) * static_cast<double>(n)) / step;
}

}  // namespace

std::optional<std::vector<std::int64_t>> parse_match3_numbers(std::string_view text) {
  constexpr std::int64_t kLargest = 1'000'000'000;
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    if (*at == ' ' || *at == ',' || *at == ';' || *at == '\n' || *at == '\t') {
      ++at;
      continue;
    }
    std::int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < -kLargest || value > kLargest) return std::nullopt;
    numbers.push_back(value);
    at = next;
  }
  return numbers;
}

double match3_least_c(std::int64_t n, std::int64_t modulus) { return deciding_c(3, n, modulus); }

double match3_usual_c(std::int64_t n, std::int64_t modulus) { return deciding_c(4, n, modulus); }

Problem match3_problem(std::int64_t n) {
  Problem problem;
  problem.form = Form::determinant;
  problem.mask = Mask::full;
  problem.element = Element::fp32;
  problem.seq_len = problem.window1 = problem.window2 = n;
  problem.q_heads = problem.kv_heads = 1;
  problem.head_dim = kHeadDim;
  problem.scale = 1.0;
  problem.sink = 0.0;  // the tensors hold it
  return problem;
}

std::shared_ptr<const AttentionTensors> match3_tensors(const std::vector<std::int64_t>& numbers, std::int64_t modulus,
                                                       double c) {
  require_possible(numbers, modulus, c);
  const auto n = static_cast<std::int64_t>(numbers.size());
  if (c <= 0) c = match3_usual_c(n, modulus);
  std::vector<float> q, k1, k2;
  const auto append = [](std::vector<float>& tensor, std::initializer_list<double> row) {
    for (double x : row) tensor.push_back(static_cast<float>(x));
  };
  for (std::int64_t x : numbers) {
    const double theta = 2 * std::numbers::pi * static_cast<double>(residue(x, modulus)) / static_cast<double>(modulus);
    const double cosine = std::cos(theta), sine = std::sin(theta);
    append(q, {c * cosine, c * sine, 0, -c * sine, c * cosine, 0, c});
    append(k1, {sine, cosine, 0, -sine, -cosine, 0, 0});
    append(k2, {0, 0, cosine, 0, 0, -sine, 0});
  }
  const std::vector<float> ones(q.size(), 1.0F);
  auto tensors = std::make_shared<AttentionTensors>(1, n, 1, 1, kHeadDim,
                                                    std::array{std::move(q), std::move(k1), std::move(k2), ones, ones},
                                                    std::vector<float>{static_cast<float>(c)});
  for (std::int64_t x : numbers) tensors->labels.push_back(fmt::format("{}", x));
  return tensors;
}

std::vector<std::int64_t> match3_counts(const std::vector<std::int64_t>& numbers, std::int64_t modulus) {
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(modulus));  // by residue
  for (std::int64_t x : numbers) ++tokens[static_cast<std::size_t>(residue(x, modulus))];
  std::vector<std::int64_t> counts;
  for (std::int64_t x : numbers) {
    std::int64_t count = 0;
    for (std::int64_t r = 0; r < modulus; ++r)
      count += tokens[static_cast<std::size_t>(r)] * tokens[static_cast<std::size_t>(residue(-x - r, modulus))];
    counts.push_back(count);
  }
  return counts;
}

}  // namespace triscope
