#include "kernels/attention/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

// Every tensor stays below 2^44 elements, so byte counts and sums of seven tensors fit int64 with room to spare.
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 31;
constexpr double kMaxElements = 17592186044416.0;  // 2^44
constexpr double kMaxReal = 1e30;                  // leaves what it is multiplied by a factor of 3e8 in fp32

template <typename Enum, std::size_t N>
std::optional<Enum> parse(std::string_view text, const std::array<Enum, N>& values) {
  for (Enum value : values) {
    if (to_string(value) == text) return value;
  }
  return std::nullopt;
}

void check_extent(std::vector<std::string>& reasons, std::string_view name, std::int64_t value) {
  if (value < 1) {
    reasons.push_back(fmt::format("{} is {}, but must be at least 1", name, value));
  } else if (value > kMaxExtent) {
    reasons.push_back(fmt::format("{} is {}, but must be at most {}", name, value, kMaxExtent));
  }
}

void check_real(std::vector<std::string>& reasons, std::string_view name, double value) {
  if (!std::isfinite(value)) {
    reasons.push_back(fmt::format("{} is {}, but must be a finite number", name, value));
  } else if (std::abs(value) > kMaxReal) {
    reasons.push_back(fmt::format("{} is {}, but must lie between -{:g} and {:g}: kernels compute with it in fp32",
                                  name, value, kMaxReal, kMaxReal));
  }
}

}  // namespace

double Problem::effective_scale() const { return scale.value_or(1.0 / std::sqrt(static_cast<double>(head_dim))); }

std::vector<std::string> validate(const Problem& problem) {
  std::vector<std::string> reasons;
  check_extent(reasons, "batch", problem.batch);
  check_extent(reasons, "seq_len", problem.seq_len);
  check_extent(reasons, "q_heads", problem.q_heads);
  check_extent(reasons, "kv_heads", problem.kv_heads);
  check_extent(reasons, "head_dim", problem.head_dim);
  check_extent(reasons, "window1", problem.window1);
  check_extent(reasons, "window2", problem.window2);
  check_real(reasons, "scale", problem.scale.value_or(1.0));
  check_real(reasons, "k2_bias", problem.k2_bias);
  check_real(reasons, "v2_bias", problem.v2_bias);
  check_real(reasons, "sink", problem.sink.value_or(0.0));
  if (!reasons.empty()) return reasons;

  if (problem.q_heads % problem.kv_heads != 0) {
    reasons.push_back(fmt::format("q_heads is {}, but must be a multiple of kv_heads, which is {}", problem.q_heads,
                                  problem.kv_heads));
  }
  const double elements = static_cast<double>(problem.batch) * static_cast<double>(problem.seq_len) *
                          static_cast<double>(std::max(problem.q_heads, problem.kv_heads)) *
                          static_cast<double>(problem.head_dim);
  if (elements > kMaxElements) {
    reasons.push_back(
        fmt::format("q would have {:.3g} elements, but at most {:.3g} can be addressed", elements, kMaxElements));
  }
  if (problem.form == Form::determinant && problem.head_dim < 3) {
    reasons.push_back(
        fmt::format("head_dim is {}, but the determinant form needs at least one chunk of 3", problem.head_dim));
  }
  if (problem.form == Form::dot_product && problem.window2 != 1) {
    reasons.push_back(
        fmt::format("window2 is {}, but dot-product attention has one axis: window2 must be 1", problem.window2));
  }
  return reasons;
}

void require_valid(const Problem& problem) {
  const std::vector<std::string> reasons = validate(problem);
  if (reasons.empty()) return;
  throw Error("this problem is impossible", fmt::format("{}", fmt::join(reasons, "; ")), "change those values",
              ExitCode::usage);
}

std::int64_t tensor_bytes(const Problem& problem, Pass pass) {
  const std::int64_t element_bytes = problem.element == Element::bf16 ? 2 : 4;
  if (problem.form == Form::gemm) return 3 * problem.seq_len * problem.seq_len * element_bytes;
  const std::int64_t positions = problem.batch * problem.seq_len;
  const std::int64_t query_like = positions * problem.q_heads * problem.head_dim * element_bytes;
  const std::int64_t key_like = positions * problem.kv_heads * problem.head_dim * element_bytes;
  const std::int64_t key_tensors = problem.form == Form::dot_product ? 2 : 4;
  const std::int64_t lse = positions * problem.q_heads * 4;
  const std::int64_t sink = problem.sink ? problem.q_heads * 4 : 0;
  const std::int64_t forward = 2 * query_like + key_tensors * key_like + lse + sink;
  return pass == Pass::forward ? forward : forward + 2 * query_like + key_tensors * key_like + sink;
}

std::string_view to_string(Form form) {
  switch (form) {
    case Form::trilinear:
      return "trilinear";
    case Form::determinant:
      return "determinant";
    case Form::dot_product:
      return "dot_product";
    case Form::gemm:
      return "gemm";
  }
  return "?";
}
std::string_view to_string(Mask mask) { return mask == Mask::causal ? "causal" : "full"; }
std::string_view to_string(Element element) { return element == Element::fp32 ? "fp32" : "bf16"; }
std::string_view to_string(Pass pass) { return pass == Pass::forward ? "forward" : "backward"; }

std::optional<Form> parse_form(std::string_view text) {
  return parse(text, std::array{Form::trilinear, Form::determinant, Form::dot_product, Form::gemm});
}
std::optional<Mask> parse_mask(std::string_view text) { return parse(text, std::array{Mask::causal, Mask::full}); }
std::optional<Element> parse_element(std::string_view text) {
  return parse(text, std::array{Element::fp32, Element::bf16});
}
std::optional<Pass> parse_pass(std::string_view text) { return parse(text, std::array{Pass::forward, Pass::backward}); }

std::string describe(const Problem& problem) {
  std::string text = fmt::format("{} {}x{}, seq {}, heads {}/{}, dim {}, batch {}, {}", to_string(problem.form),
                                 problem.window1, problem.window2, problem.seq_len, problem.q_heads, problem.kv_heads,
                                 problem.head_dim, problem.batch, to_string(problem.element));
  if (problem.mask == Mask::full) text += ", full mask";
  if (problem.scale) text += fmt::format(", scale {}", *problem.scale);
  if (problem.k2_bias != 0) text += fmt::format(", k2_bias {}", problem.k2_bias);
  if (problem.v2_bias != 0) text += fmt::format(", v2_bias {}", problem.v2_bias);
  if (problem.sink) text += fmt::format(", sink {}", *problem.sink);
  if (problem.deterministic) text += ", deterministic";
  return text;
}

Problem baseline_problem(const Problem& problem) {
  Problem baseline = problem;
  baseline.form = Form::dot_product;
  baseline.mask = Mask::causal;
  baseline.window1 = problem.seq_len;
  baseline.window2 = 1;
  baseline.scale.reset();
  baseline.k2_bias = baseline.v2_bias = 0;
  baseline.sink.reset();
  return baseline;
}

}  // namespace triscope
