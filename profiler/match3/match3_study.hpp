// Match3 by the head of the paper's Theorem 1, run by a kernel (cpu.fast) and compared with a count of all pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/match3/match3_bound.hpp"

namespace triscope {

struct Match3Question {
  std::vector<std::int64_t> numbers;
  std::int64_t modulus = 11;
  Match3Precision precision = Match3Precision::fp32;
  double c = 0;  ///< 0 or less: `match3_chosen_c`
  bool operator==(const Match3Question&) const = default;
};

/// `n` numbers from 0 to `modulus` - 1, the same ones for a seed everywhere.
std::vector<std::int64_t> match3_numbers(std::int64_t n, std::int64_t modulus, std::uint64_t seed);

struct Match3Token {
  std::int64_t number = 0;
  std::int64_t matches = 0;  ///< pairs (j, k), counted one by one
  double output = 0;         ///< of the head: about matches / (matches + 1)
  bool told = false;         ///< output above `kMatch3Threshold`
  bool right() const { return told == (matches > 0); }
};

struct Match3Answer {
  double c = 0;
  std::vector<Match3Token> tokens;
  std::int64_t wrong = 0;
  double margin = 0;  ///< least distance of an output from the threshold, below 0 when that token is told wrongly
};
/// Throws `Error` (usage) as `match3_tensors`.
Match3Answer ask_match3(const Match3Question& question);

/// The head on many inputs: random ones, and ones with as many nearest misses as there is room for, with and without a
/// match among them.
struct Match3Trial {
  std::int64_t modulus = 0;
  Match3Precision precision = Match3Precision::fp32;
  double c = 0;
  std::int64_t inputs = 0, tokens = 0, wrong = 0;
  double margin = 0;  ///< the least of all inputs
};
/// `c` 0 or less: `match3_chosen_c`.
Match3Trial try_match3(std::int64_t n, std::int64_t modulus, Match3Precision precision, double c, std::int64_t inputs,
                       std::uint64_t seed);
/// The same for every precision and moduli from 2 to the largest, with the c that is chosen. `inputs` of each.
std::vector<Match3Trial> try_match3_moduli(std::int64_t n, std::int64_t inputs, std::uint64_t seed);

/// The smallest modulus with a wrong answer, with the c that is chosen. Tried is each modulus beyond those for which
/// some c is safe; nullopt where there is none up to the largest.
std::optional<std::int64_t> match3_first_wrong(std::int64_t n, Match3Precision precision, std::int64_t inputs,
                                               std::uint64_t seed);

}  // namespace triscope
