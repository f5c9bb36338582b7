#include "profiler/match3/match3_study.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>

#include "kernels/attention/kernel.hpp"
#include "kernels/base/philox.hpp"
#include "kernels/cpu/fast.hpp"
#include "kernels/tensors/match3.hpp"

namespace triscope {
namespace {

constexpr std::array<std::int64_t, 12> kTriedModuli{2, 3, 5, 8, 11, 17, 27, 45, 97, 211, 499, 1000};

/// One thread for the launches of a short input: on a busy machine a second one costs more than it helps.
class ThreadsFor {
 public:
  explicit ThreadsFor(std::int64_t n) : before_(omp_get_max_threads()) {
    if (n <= kShort) omp_set_num_threads(1);
  }
  ~ThreadsFor() { omp_set_num_threads(before_); }
  ThreadsFor(const ThreadsFor&) = delete;
  ThreadsFor& operator=(const ThreadsFor&) = delete;

 private:
  static constexpr std::int64_t kShort = 128;
  int before_;
};

/// Numbers below a bound from a counter.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  std::int64_t below(std::int64_t bound) {
    const PhiloxBlock block = philox(counter_++, 3, seed_);  // a stream that no input tensor has
    const std::uint64_t word = static_cast<std::uint64_t>(block.x[0]) << 32 | block.x[1];
    return static_cast<std::int64_t>(word % static_cast<std::uint64_t>(bound));
  }

 private:
  std::uint64_t seed_, counter_ = 0;
};

std::vector<float> held_tensor(const AttentionTensors& tensors, TensorRole role, Match3Precision precision) {
  std::vector<float> values(static_cast<std::size_t>(tensors.seq_len * tensors.head_dim));
  tensors.read(role, 0, 0, 0, tensors.seq_len, values.data());
  for (float& x : values) x = held(x, precision);
  return values;
}

/// The head's output of every token.
std::vector<double> head_outputs(const AttentionTensors& tensors, Match3Precision precision) {
  static const std::unique_ptr<Kernel> kernel = make_cpu_fast();
  const Problem problem = match3_problem(tensors.seq_len);
  const std::string instance = kernel->choose_instance(problem, Pass::forward);
  const std::vector<float> q = held_tensor(tensors, TensorRole::q, precision);
  const std::vector<float> k1 = held_tensor(tensors, TensorRole::k1, precision);
  const std::vector<float> k2 = held_tensor(tensors, TensorRole::k2, precision);
  const std::vector<float> ones(q.size(), 1.0F);
  std::vector<float> o(q.size()), lse(static_cast<std::size_t>(tensors.seq_len));
  constexpr std::size_t kAlignment = 256;
  const std::size_t bytes = kernel->workspace_bytes(problem, Pass::forward, instance);
  std::vector<std::byte> memory(bytes + kAlignment);
  void* workspace = memory.data();
  std::size_t room = memory.size();
  std::align(kAlignment, bytes, workspace, room);
  Arguments arguments;
  arguments.q = q.data();
  arguments.k1 = k1.data();
  arguments.k2 = k2.data();
  arguments.v1 = arguments.v2 = ones.data();
  arguments.sink = tensors.sink.data();
  arguments.o = o.data();
  arguments.lse = lse.data();
  arguments.workspace = workspace;
  const ThreadsFor threads(tensors.seq_len);
  kernel->launch(problem, Pass::forward, instance, arguments);
  std::vector<double> outputs;
  for (std::int64_t i = 0; i < tensors.seq_len; ++i)
    outputs.push_back(static_cast<double>(o[static_cast<std::size_t>(i * tensors.head_dim)]));
  return outputs;
}

/// Pairs (j, k) that complete `numbers[i]`, one by one.
std::int64_t count_pairs(const std::vector<std::int64_t>& residues, std::size_t i, std::int64_t modulus) {
  const std::int64_t missing = (modulus - residues[i]) % modulus;
  std::int64_t pairs = 0;
  for (const std::int64_t x : residues) {
    for (const std::int64_t y : residues) pairs += x + y == missing || x + y == missing + modulus ? 1 : 0;
  }
  return pairs;
}

/// r, y, z, y, z, ... with r + y + z = 1 or -1: for the first token every pair of a y and a z misses by one step.
/// `matched`: one z more completes the first pair.
std::vector<std::int64_t> near_misses(std::int64_t n, std::int64_t modulus, bool matched, Random& random) {
  const std::int64_t y = random.below(modulus), z = random.below(modulus);
  const std::int64_t step = random.below(2) == 0 ? 1 : -1;
  std::vector<std::int64_t> numbers{step - y - z};
  while (static_cast<std::int64_t>(numbers.size()) < n) numbers.push_back(numbers.size() % 2 == 1 ? y : z);
  if (matched) numbers.back() = z - step;
  return numbers;
}

}  // namespace

std::vector<std::int64_t> match3_numbers(std::int64_t n, std::int64_t modulus, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < n; ++i) numbers.push_back(random.below(modulus));
  return numbers;
}

Match3Answer ask_match3(const Match3Question& question) {
  const auto n = static_cast<std::int64_t>(question.numbers.size());
  Match3Answer answer;
  answer.c = question.c;
  if (answer.c <= 0 && n > 0 && question.modulus > 0)
    answer.c = match3_chosen_c(n, question.modulus, question.precision);
  if (std::isfinite(answer.c)) answer.c = static_cast<double>(held(static_cast<float>(answer.c), question.precision));
  const auto tensors = match3_tensors(question.numbers, question.modulus, answer.c);
  const std::vector<double> outputs = head_outputs(*tensors, question.precision);
  std::vector<std::int64_t> residues;
  for (const std::int64_t x : question.numbers)
    residues.push_back((x % question.modulus + question.modulus) % question.modulus);
  answer.margin = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Match3Token token{question.numbers[i], count_pairs(residues, i, question.modulus), outputs[i],
                      outputs[i] > kMatch3Threshold};
    const double beyond = token.matches > 0 ? token.output - kMatch3Threshold : kMatch3Threshold - token.output;
    answer.margin = std::min(answer.margin, beyond);
    answer.wrong += token.right() ? 0 : 1;
    answer.tokens.push_back(token);
  }
  return answer;
}

Match3Trial try_match3(std::int64_t n, std::int64_t modulus, Match3Precision precision, double c, std::int64_t inputs,
                       std::uint64_t seed) {
  Match3Trial trial{modulus, precision, c, inputs, 0, 0, std::numeric_limits<double>::infinity()};
  Random random(seed);
  for (std::int64_t input = 0; input < inputs; ++input) {
    Match3Question question{{}, modulus, precision, c};
    if (input % 3 == 0) {
      for (std::int64_t i = 0; i < n; ++i) question.numbers.push_back(random.below(modulus));
    } else {
      question.numbers = near_misses(n, modulus, input % 3 == 2, random);
    }
    const Match3Answer answer = ask_match3(question);
    trial.c = answer.c;
    trial.tokens += n;
    trial.wrong += answer.wrong;
    trial.margin = std::min(trial.margin, answer.margin);
  }
  return trial;
}

std::vector<Match3Trial> try_match3_moduli(std::int64_t n, std::int64_t inputs, std::uint64_t seed) {
  std::vector<Match3Trial> trials;
  for (int i = 0; i < kMatch3Precisions; ++i) {
    for (const std::int64_t modulus : kTriedModuli)
      trials.push_back(try_match3(n, modulus, static_cast<Match3Precision>(i), 0, inputs, seed));
  }
  return trials;
}

std::optional<std::int64_t> match3_first_wrong(std::int64_t n, Match3Precision precision, std::int64_t inputs,
                                               std::uint64_t seed) {
  for (std::int64_t modulus = match3_largest_modulus(n, precision) + 1; modulus <= kMatch3LargestModulus; ++modulus) {
    if (try_match3(n, modulus, precision, 0, inputs, seed).wrong > 0) return modulus;
  }
  return std::nullopt;
}

}  // namespace triscope
