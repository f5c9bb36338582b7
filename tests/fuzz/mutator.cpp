#include "tests/fuzz/mutator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>

namespace triscope {
namespace {

constexpr std::array<std::string_view, 18> kNumbers = {"0",
                                                       "1",
                                                       "-1",
                                                       "2",
                                                       "7",
                                                       "255",
                                                       "65536",
                                                       "2147483647",
                                                       "2147483648",
                                                       "4294967295",
                                                       "4294967296",
                                                       "1e9",
                                                       "1e999",
                                                       "0.5",
                                                       "9223372036854775807",
                                                       "-9223372036854775808",
                                                       "18446744073709551615",
                                                       "99999999999999999999"};

constexpr std::uint64_t kFewest = 20'000;  // however long they take: fewer say little

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A part of `text`, at most `longest` bytes long.
std::pair<std::size_t, std::size_t> any_range(const std::string& text, std::size_t longest, FuzzRandom& random) {
  const std::size_t begin = random.below(text.size());
  return {begin, std::min(text.size() - begin, 1 + random.below(longest))};
}

void mutate_once(std::string& text, std::span<const std::string_view> dictionary, FuzzRandom& random) {
  const std::size_t at = random.below(text.size() + 1);
  const auto token = [&] { return dictionary.empty() ? "0" : dictionary[random.below(dictionary.size())]; };
  switch (random.below(10)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      break;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(random.next());
      break;
    case 2:
      text.insert(at, 1 + random.below(4), static_cast<char>(random.next()));
      break;
    case 3:
      text.insert(at, token());
      break;
    case 4:
      text.replace(at, std::min(text.size() - at, token().size()), token());
      break;
    case 5: {
      const auto [begin, length] = any_range(text, 16, random);
      text.erase(begin, length);
      break;
    }
    case 6: {
      const auto [begin, length] = any_range(text, 64, random);
      text.insert(at, text.substr(begin, length));
      break;
    }
    case 7:
      if (random.one_in(4)) text.resize(at);
      break;
    default:
      mutate_number(text, random);
      break;
  }
}

}  // namespace

std::uint64_t FuzzRandom::next() {
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

void mutate(std::string& text, std::span<const std::string_view> dictionary, FuzzRandom& random) {
  for (std::size_t left = random.one_in(2) ? 1 : 1 + random.below(8); left > 0; --left)
    mutate_once(text, dictionary, random);
}

void mutate_number(std::string& text, FuzzRandom& random) {
  const auto is_digit = [](unsigned char letter) { return std::isdigit(letter) != 0; };
  const auto from = text.begin() + static_cast<std::ptrdiff_t>(random.below(text.size()));
  auto begin = std::find_if(from, text.end(), is_digit);
  if (begin == text.end()) begin = std::find_if(text.begin(), text.end(), is_digit);
  const auto end = std::find_if_not(begin, text.end(), is_digit);
  if (begin == end) return;
  text.replace(begin, end, kNumbers[random.below(kNumbers.size())]);
}

std::uint64_t for_each_fuzz_input(const std::function<void(FuzzRandom&)>& check, std::uint64_t every) {
  using Clock = std::chrono::steady_clock;
  const std::uint64_t seconds = setting("TRISCOPE_FUZZ_SECONDS", 0);
  const std::uint64_t runs = seconds > 0 ? kFewest / every : setting("TRISCOPE_FUZZ_RUNS", 20'000) / every;
  const std::uint64_t seed = setting("TRISCOPE_FUZZ_SEED", seconds > 0 ? std::random_device{}() % (1 << 24) : 1);
  const std::uint64_t first = setting("TRISCOPE_FUZZ_FROM", 0);
  const bool trace = setting("TRISCOPE_FUZZ_TRACE", 0) != 0;
  const Clock::time_point end = seconds > 0 ? Clock::now() + std::chrono::seconds(seconds) : Clock::time_point::min();
  if (seconds > 0) std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  std::uint64_t done = 0;
  for (; done < runs || Clock::now() < end; ++done) {
    const std::uint64_t number = first + done;
    if (trace) std::fprintf(stderr, "fuzz input %llu\n", static_cast<unsigned long long>(number));
    FuzzRandom random((seed << 40) + number);
    try {
      check(random);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "input " << number << " of seed " << seed << " throws " << error.what();
      return done;
    }
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "input " << number << " of seed " << seed;
      return done;
    }
  }
  if (seconds > 0) std::printf("%llu inputs\n", static_cast<unsigned long long>(done));
  return done;
}

}  // namespace triscope
