// Mutation fuzzing without a fuzzing engine: deterministic, so that a failure is a number to run again.
//
// Every test runs 20,000 inputs, or fewer where each costs much. Variables of the environment:
//   TRISCOPE_FUZZ_RUNS=1000000   more or fewer inputs
//   TRISCOPE_FUZZ_SEED=7         other inputs
//   TRISCOPE_FUZZ_SECONDS=60     instead of a number of inputs: so long for each test, and 20,000 inputs at least, with
//   a
//                                new seed, which it prints
//   TRISCOPE_FUZZ_TRACE=1        prints each input's number before it is used: the last one is the one that crashed
//   TRISCOPE_FUZZ_FROM=4711      begins there; with TRISCOPE_FUZZ_RUNS=1 only that input is used
// With the sanitizers, a minute each: cmake --workflow --preset fuzz (docs/testing.md). An input that crashed becomes a
// file of the corpus (corpus.hpp) with the mend.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// SplitMix64 (Steele, Lea and Flood, 2014).
class FuzzRandom {
 public:
  explicit FuzzRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  /// Below `bound`; 0 when `bound` is 0.
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(next() % bound); }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// Changes `text` in 1 to 8 places: bits, bytes, numbers, tokens of `dictionary`, ranges cut, doubled or moved.
void mutate(std::string& text, std::span<const std::string_view> dictionary, FuzzRandom& random);

/// Replaces one decimal number in `text` by one that hurts; does nothing when there is none.
void mutate_number(std::string& text, FuzzRandom& random);

/// Calls `check` for each input number with the generator of that number. Records a failure with the number when
/// `check` throws anything or fails an assertion, and stops there. `every`: one input stands for so many, where each
/// costs much. Returns how many there were.
std::uint64_t for_each_fuzz_input(const std::function<void(FuzzRandom&)>& check, std::uint64_t every = 1);

}  // namespace triscope
