#include "kernels/tensors/attention_source.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "kernels/attention/inputs.hpp"
#include "kernels/base/error.hpp"
#include "kernels/tensors/match3.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 28;  // of one generated tensor: 1 GiB
constexpr float kPeak = 4;
constexpr double kRotaryBase = 10000;

constexpr std::array kNames{std::pair{SourceKind::random, "random"}, std::pair{SourceKind::peaked, "peaked"},
                            std::pair{SourceKind::induction, "induction"}, std::pair{SourceKind::match3, "match3"},
                            std::pair{SourceKind::file, "file"}};

/// The vocabulary of the induction source; the marked words are those that key 2 looks for.
constexpr std::array<const char*, 24> kWords{"the",   "quick", "brown", "fox",  "jumps", "over", "a",     "lazy",
                                             "dog",   "and",   "runs",  "home", "while", "rain", "falls", "on",
                                             "green", "hills", "far",   "from", "any",   "town", "it",    "knows"};
constexpr std::size_t kMarkEvery = 6;

struct Generated {
  std::vector<float> q, k1, k2, v1, v2;
  std::vector<std::string> labels;
};

std::vector<float> normal(InputStream stream, const AttentionSource& source, std::int64_t heads) {
  std::vector<float> values(static_cast<std::size_t>(source.seq_len * heads * source.head_dim));
  fill_input(stream, source.seed, Element::fp32, values);
  return values;
}

/// N(0,1) everywhere.
Generated noise(const AttentionSource& source) {
  const auto keys = [&](InputStream stream) { return normal(stream, source, source.kv_heads); };
  return {normal(InputStream::q, source, source.q_heads),
          keys(InputStream::k1),
          keys(InputStream::k2),
          keys(InputStream::v1),
          keys(InputStream::v2),
          {}};
}

/// Turns each row by its position: dimensions (d, d+1) of every unit of `unit` dimensions, a third one stands still.
void rotate(std::vector<float>& tensor, const AttentionSource& source, std::int64_t heads) {
  const std::int64_t unit = source.form == Form::determinant ? 3 : 2;
  const std::int64_t units = source.head_dim / unit;
  for (std::int64_t l = 0; l < units; ++l) {
    const double speed = std::pow(kRotaryBase, -static_cast<double>(l) / static_cast<double>(units));
    for (std::int64_t position = 0; position < source.seq_len; ++position) {
      const double angle = std::fmod(static_cast<double>(position) * speed, 2 * std::numbers::pi);
      const double cosine = std::cos(angle), sine = std::sin(angle);
      for (std::int64_t head = 0; head < heads; ++head) {
        float* x = tensor.data() + (position * heads + head) * source.head_dim + l * unit;
        const double a = x[0], b = x[1];
        x[0] = static_cast<float>(a * cosine - b * sine);
        x[1] = static_cast<float>(a * sine + b * cosine);
      }
    }
  }
}

/// Token of every position: drawn word by word, half of the time going on as after an earlier copy of the last word.
std::vector<std::size_t> draw_text(const AttentionSource& source) {
  std::vector<std::size_t> text;
  std::array<std::vector<std::size_t>, kWords.size()> seen;  // positions
  for (std::int64_t n = 0; n < source.seq_len; ++n) {
    const PhiloxBlock random = philox(static_cast<std::uint64_t>(n), 100, source.seed);
    std::size_t token = random.x[0] % kWords.size();
    if (n > 0 && random.x[1] % 2 == 0 && !seen[text.back()].empty()) {
      const auto& earlier = seen[text.back()];
      token = text[earlier[random.x[2] % earlier.size()] + 1];
    }
    if (n > 0) seen[text.back()].push_back(static_cast<std::size_t>(n) - 1);
    text.push_back(token);
  }
  return text;
}

/// q_i carries the token at i, k1_j the token before j, k2_k whether k holds a marked word. Trilinear: random signs of
/// the token, and a constant times the mark. Determinant: in each chunk q and k1 lie in a plane at an angle of the
/// token, a quarter turn apart, and k2 stands upright. Heads differ in how strictly they follow this.
Generated induction(const AttentionSource& source) {
  constexpr float kUnmarked = 0.35F;
  Generated made = noise(source);
  const std::vector<std::size_t> text = draw_text(source);
  const auto embedding = [&](std::size_t token, std::int64_t d) {
    return static_cast<double>(philox(token * 4096 + static_cast<std::uint64_t>(d), 101, source.seed).x[0]) * 0x1p-32;
  };
  // Value of dimension d for `token`: `turn` quarter turns apart in the determinant's plane.
  const auto content = [&](std::size_t token, std::int64_t d, int turn) -> float {
    if (source.form != Form::determinant) return embedding(token, d) < 0.5 ? -1.0F : 1.0F;
    const double angle = 2 * std::numbers::pi * embedding(token, d / 3) + turn * std::numbers::pi / 2;
    const std::int64_t part = d % 3;
    return part == 2 ? 0.0F : static_cast<float>(part == 0 ? std::cos(angle) : std::sin(angle)) * 1.7F;
  };
  const auto mark = [&](std::size_t token, std::int64_t d) -> float {
    const float strength = token % kMarkEvery == 3 ? 1.0F : kUnmarked;
    return source.form != Form::determinant || d % 3 == 2 ? strength : 0.0F;
  };
  for (std::int64_t n = 0; n < source.seq_len; ++n) {
    const std::size_t token = text[static_cast<std::size_t>(n)];
    made.labels.emplace_back(kWords[token]);
    for (std::int64_t head = 0; head < source.q_heads; ++head) {
      const float strictness = 0.4F + 1.2F * static_cast<float>(head % 8) / 8;
      float* q = made.q.data() + (n * source.q_heads + head) * source.head_dim;
      for (std::int64_t d = 0; d < source.head_dim; ++d) q[d] = 0.5F * q[d] + strictness * content(token, d, 0);
    }
    for (std::int64_t head = 0; head < source.kv_heads; ++head) {
      float* k1 = made.k1.data() + (n * source.kv_heads + head) * source.head_dim;
      float* k2 = made.k2.data() + (n * source.kv_heads + head) * source.head_dim;
      for (std::int64_t d = 0; d < source.head_dim; ++d) {
        k1[d] = 0.3F * k1[d] + (n > 0 ? content(text[static_cast<std::size_t>(n) - 1], d, 1) : 0.0F);
        k2[d] = 0.2F * k2[d] + mark(token, d);
      }
    }
  }
  return made;
}

Generated generate(const AttentionSource& source) {
  if (source.kind == SourceKind::induction) return induction(source);
  Generated made = noise(source);
  if (source.kind == SourceKind::peaked) {
    for (float& x : made.q) x *= kPeak;
  }
  return made;
}

void require_possible(const AttentionSource& source) {
  Problem problem;
  problem.form = source.form;
  problem.element = Element::fp32;
  problem.seq_len = source.seq_len;
  problem.q_heads = source.q_heads;
  problem.kv_heads = source.kv_heads;
  problem.head_dim = source.head_dim;
  problem.window1 = problem.window2 = 1;
  require_valid(problem);
  std::int64_t elements = 0;
  if (__builtin_mul_overflow(source.seq_len, source.q_heads * source.head_dim, &elements) || elements > kMostElements) {
    throw Error(
        "the tensors cannot be generated",
        fmt::format("{} x {} x {} values are too many for memory", source.seq_len, source.q_heads, source.head_dim),
        "choose fewer tokens or heads", ExitCode::usage);
  }
}

}  // namespace

std::string_view to_string(SourceKind kind) {
  for (const auto& [value, name] : kNames) {
    if (value == kind) return name;
  }
  return "?";
}

std::optional<SourceKind> parse_source_kind(std::string_view text) {
  for (const auto& [value, name] : kNames) {
    if (text == name) return value;
  }
  return std::nullopt;
}

bool AttentionSource::describes_same(const AttentionSource& other) const {
  if (kind != other.kind) return false;
  switch (kind) {
    case SourceKind::file:
      return file == other.file && mapping.names == other.mapping.names &&
             mapping.heads_first == other.mapping.heads_first && labels_file == other.labels_file;
    case SourceKind::match3:
      return numbers == other.numbers && modulus == other.modulus && c == other.c;
    default:
      return seed == other.seed && seq_len == other.seq_len && q_heads == other.q_heads && kv_heads == other.kv_heads &&
             head_dim == other.head_dim && rotary == other.rotary && form == other.form;
  }
}

std::shared_ptr<const AttentionTensors> open_source(const AttentionSource& source) {
  if (source.kind == SourceKind::file) return open_tensors(source.file, source.mapping, source.labels_file);
  if (source.kind == SourceKind::match3) return match3_tensors(source.numbers, source.modulus, source.c.value_or(0));
  require_possible(source);
  Generated made = generate(source);
  if (source.rotary) {
    rotate(made.q, source, source.q_heads);
    rotate(made.k1, source, source.kv_heads);
    rotate(made.k2, source, source.kv_heads);
  }
  auto tensors = std::make_shared<AttentionTensors>(
      1, source.seq_len, source.q_heads, source.kv_heads, source.head_dim,
      std::array{std::move(made.q), std::move(made.k1), std::move(made.k2), std::move(made.v1), std::move(made.v2)},
      std::vector<float>{});
  tensors->labels = std::move(made.labels);
  return tensors;
}

}  // namespace triscope
