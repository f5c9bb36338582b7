#include "kernels/inspect/wrong_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

#include "kernels/inspect/slice_rules.hpp"

namespace triscope {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// How many of `pairs` random directions of `dims` dimensions, on average, have a squared cosine of at least `share`
/// with a given one: at most this. The tail of a beta distribution, its integrand bounded at its end.
double by_chance(double pairs, std::size_t dims, double share) {
  if (dims < 2) return pairs;
  const double a = (static_cast<double>(dims) - 1) / 2, rest = std::max(1 - share, 1e-300);
  const double log_beta = std::lgamma(a) + std::lgamma(0.5) - std::lgamma(a + 0.5);
  return pairs * std::exp(a * std::log(rest) - std::log(a) - 0.5 * std::log(std::max(share, 1e-300)) - log_beta);
}

/// Keys of one axis with one more position at either end, and their values in fp64.
struct Values {
  Values(const AttentionTensors& tensors, const SliceQuery& query, TensorRole role, int axis, double bias) {
    const SliceRange seen = slice_range(query.problem, axis, query.query);
    first = std::max<std::int64_t>(0, seen.first - 1);
    count = std::min(tensors.seq_len, seen.first + seen.count + 1) - first;
    const std::vector<float> rows = read_rows(tensors, query, role, query.head / tensors.group(), {first, count});
    values.assign(rows.begin(), rows.end());
    for (double& value : values) value += bias;
    dims = static_cast<std::size_t>(tensors.head_dim);
  }
  const double* of(std::int64_t position) const {
    return values.data() + static_cast<std::size_t>(position - first) * dims;
  }
  std::int64_t first = 0, count = 0;
  std::size_t dims = 0;
  std::vector<double> values;
};

/// What a kernel's row is off by.
struct Fault {
  std::vector<double> o, d;  ///< the exact row, and what was added to it
  double off = 0;            ///< |d|^2
  double slack = 0;          ///< how far a right kernel may be off: bound |o|
};

/// What `pair`, seen with p, or beyond what is seen, was made to; nullopt: no weight can do that.
std::optional<WrongPair> named(WrongPair pair, std::optional<double> p, double slack_of_c) {
  if (!p) {
    pair.kind = WrongPairKind::added;
    pair.p = pair.c;
    return pair.c > 0 && pair.c < 1 ? std::optional(pair) : std::nullopt;
  }
  pair.p = *p;
  const double left_out = -*p / (1 - *p);
  if (std::abs(pair.c - left_out) <= slack_of_c) {
    pair.kind = WrongPairKind::left_out;
    return pair;
  }
  pair.kind = WrongPairKind::weighed;
  pair.times = 1 + pair.c / (*p * (1 - pair.c));
  return pair.c > left_out && pair.c < 1 && std::isfinite(pair.times) ? std::optional(pair) : std::nullopt;
}

/// p of a pair that the query sees.
std::optional<double> p_of(const Slice& slice, std::int64_t j, std::int64_t k) {
  const std::int64_t x = j - slice.first1, y = k - slice.first2;
  if (x < 0 || y < 0 || x >= slice.count1 || y >= slice.count2) return std::nullopt;
  const double log_p = slice.log_p[static_cast<std::size_t>(y * slice.count1 + x)];
  return std::isfinite(log_p) ? std::exp(log_p) : 0;
}

}  // namespace

std::string_view to_string(WrongPairKind kind) {
  return kind == WrongPairKind::left_out ? "left_out" : kind == WrongPairKind::added ? "added" : "weighed";
}

std::optional<WrongPairKind> parse_wrong_pair_kind(std::string_view text) {
  for (const WrongPairKind kind : {WrongPairKind::left_out, WrongPairKind::added, WrongPairKind::weighed}) {
    if (text == to_string(kind)) return kind;
  }
  return std::nullopt;
}

std::string done_text(const WrongPair& pair) {
  switch (pair.kind) {
    case WrongPairKind::left_out:
      return fmt::format("left out (p {:.3g})", pair.p);
    case WrongPairKind::added:
      return fmt::format("added from beyond the windows or the mask, with {:.3g} of all weights", pair.p);
    case WrongPairKind::weighed:
      return fmt::format("weighed {:.3g} times (p {:.3g})", pair.times, pair.p);
  }
  return {};
}

std::string share_text(const WrongPair& pair) {
  return fmt::format("explains {:.1f} % of the squared error", std::floor(pair.share * 1000) / 10);
}

std::vector<WrongPair> wrong_pairs(const AttentionTensors& tensors, const SliceQuery& query, const Slice& slice,
                                   std::span<const float> output, double bound, std::size_t most) {
  if (slice.output.empty() || output.size() != slice.output.size() || has_one_key(query.problem)) return {};
  Fault fault;
  fault.o.assign(slice.output.begin(), slice.output.end());
  for (std::size_t n = 0; n < output.size(); ++n) fault.d.push_back(output[n] - fault.o[n]);
  fault.off = dot(fault.d, fault.d);
  fault.slack = bound * std::sqrt(dot(fault.o, fault.o));
  if (!std::isfinite(fault.off) || !(std::sqrt(fault.off) > fault.slack)) return {};
  const Values v1(tensors, query, TensorRole::v1, 1, 0), v2(tensors, query, TensorRole::v2, 2, query.problem.v2_bias);
  const double pairs = static_cast<double>(v1.count) * static_cast<double>(v2.count);
  std::vector<WrongPair> found;
  const std::size_t dims = fault.o.size();
  for (std::int64_t k = v2.first; k < v2.first + v2.count; ++k) {
    const double* const second = v2.of(k);
    for (std::int64_t j = v1.first; j < v1.first + v1.count; ++j) {
      const double* const first = v1.of(j);
      double along = 0, squares = 0;
      for (std::size_t n = 0; n < dims; ++n) {
        const double u = first[n] * second[n] - fault.o[n];
        along += u * fault.d[n];
        squares += u * u;
      }
      const double share = along * along / (squares * fault.off);
      if (!(share >= kLeastShare) || by_chance(pairs, dims, share) > 0.05) continue;
      const WrongPair pair{.j = j, .k = k, .share = std::min(share, 1.0), .c = along / squares};
      if (const auto one = named(pair, p_of(slice, j, k), fault.slack / std::sqrt(squares))) found.push_back(*one);
    }
  }
  // Of pairs that explain it to within what a right kernel may be off, those first that take no weight to be guessed.
  const double noise = fault.slack * fault.slack / fault.off;
  const auto order = [&](const WrongPair& pair) {
    const bool whole = 1 - pair.share <= noise;
    return std::tuple(!whole, whole && pair.kind != WrongPairKind::left_out, -pair.share);
  };
  std::ranges::stable_sort(found, {}, order);
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace triscope
