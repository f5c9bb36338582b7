#include "profiler/worker/jobs/kernel_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "kernels/reference/check.hpp"
#include "profiler/record/catalog.hpp"

namespace triscope {
namespace {

constexpr std::size_t kNamedPairs = 3;

/// The tokens and heads that one query's row depends on, as a problem of their own.
struct Excerpt {
  Problem problem;
  SliceRange tokens;
  std::int64_t first_head = 0;  // query heads of the group
  std::int64_t kv_head = 0;
};

Excerpt excerpt_of(const AttentionTensors& tensors, const SliceQuery& query, Element element) {
  Excerpt excerpt;
  const SliceRange seen1 = slice_range(query.problem, 1, query.query),
                   seen2 = slice_range(query.problem, 2, query.query);
  const SliceRange seen = seen1.count >= seen2.count ? seen1 : seen2;
  // And one position beyond either end: a kernel whose window or mask is off by one must have something to see there.
  excerpt.tokens.first = std::max<std::int64_t>(0, seen.first - 1);
  excerpt.tokens.count = std::min(tensors.seq_len, seen.first + seen.count + 1) - excerpt.tokens.first;
  excerpt.kv_head = query.head / tensors.group();
  excerpt.first_head = excerpt.kv_head * tensors.group();
  Problem& problem = excerpt.problem;
  problem = query.problem;
  problem.element = element;
  problem.batch = 1;
  problem.seq_len = excerpt.tokens.count;
  problem.q_heads = tensors.group();
  problem.kv_heads = 1;
  problem.scale = query.problem.effective_scale();
  problem.window1 = std::min(problem.window1, problem.seq_len);
  problem.window2 = std::min(problem.window2, problem.seq_len);
  return excerpt;
}

/// [tokens][heads][head_dim], rounded as `query.arithmetic` says.
HostFloats gather(const AttentionTensors& tensors, const SliceQuery& query, TensorRole role, std::int64_t first_head,
                  std::int64_t heads, SliceRange tokens) {
  const std::int64_t dim = tensors.head_dim;
  HostFloats all(static_cast<std::size_t>(tokens.count * heads * dim));
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::vector<float> rows = read_rows(tensors, query, role, first_head + head, tokens);
    for (std::int64_t n = 0; n < tokens.count; ++n) {
      std::copy_n(rows.begin() + n * dim, dim, all.begin() + (n * heads + head) * dim);
    }
  }
  return all;
}

/// The excerpt's tensors on the device.
struct ExcerptInputs {
  ExcerptInputs(const Excerpt& excerpt, const AttentionTensors& tensors, const SliceQuery& query, Backend& backend) {
    const auto held = [&](TensorRole role) {
      const bool is_query = role == TensorRole::q;
      return HeldTensor(backend,
                        gather(tensors, query, role, is_query ? excerpt.first_head : excerpt.kv_head,
                               is_query ? excerpt.problem.q_heads : 1, excerpt.tokens),
                        excerpt.problem.element);
    };
    q = held(TensorRole::q);
    k1 = held(TensorRole::k1);
    k2 = held(TensorRole::k2);
    v1 = held(TensorRole::v1);
    v2 = held(TensorRole::v2);
    if (tensors.sink.empty()) return;
    const auto first = tensors.sink.begin() + excerpt.first_head;
    sink = HeldTensor(backend, HostFloats(first, first + excerpt.problem.q_heads), Element::fp32);
  }
  HeldTensor q, k1, k2, v1, v2, sink;
};

void require_possible(const Kernel& kernel, const AttentionTensors& tensors, const Excerpt& excerpt) {
  const auto refuse = [&](const std::string& why, const char* fix) {
    throw Error(fmt::format("{} cannot be run on this query", kernel.info().id), why, fix, ExitCode::usage);
  };
  if (!tensors.has_values()) refuse("there is no v1 or no v2", "choose tensors with values");
  if (excerpt.problem.form == Form::dot_product) refuse("the form is dot product", "choose trilinear or determinant");
  if (const auto reason = kernel.unsupported(excerpt.problem, Pass::forward)) refuse(*reason, "choose another kernel");
}

}  // namespace

KernelRow run_kernel_row(const Kernel& kernel, const AttentionTensors& tensors, const SliceQuery& asked,
                         Backend& backend, SliceEngine& exact) {
  SliceQuery query = checked_slice(tensors, asked);
  KernelRow row;
  row.element = native_element(kernel.info().device);
  query.arithmetic = row.element == Element::bf16 ? Arithmetic::bf16_inputs : Arithmetic::exact;
  const Excerpt excerpt = excerpt_of(tensors, query, row.element);
  require_possible(kernel, tensors, excerpt);
  const Problem& problem = excerpt.problem;
  row.instance = kernel.choose_instance(problem, Pass::forward);
  const ExcerptInputs inputs(excerpt, tensors, query, backend);
  const OutputSet outputs(backend, problem, Pass::forward,
                          kernel.workspace_bytes(problem, Pass::forward, row.instance));
  Arguments arguments;
  arguments.q = inputs.q.device();
  arguments.k1 = inputs.k1.device();
  arguments.k2 = inputs.k2.device();
  arguments.v1 = inputs.v1.device();
  arguments.v2 = inputs.v2.device();
  arguments.sink = inputs.sink.device<float>();
  outputs.fill(arguments);
  arguments.stream = backend.stream();
  kernel.launch(problem, Pass::forward, row.instance, arguments);
  backend.synchronize();

  const OutputSet::Host host = outputs.download();
  const std::int64_t position = query.query - excerpt.tokens.first, head = query.head - excerpt.first_head;
  const auto first = host.o.begin() + (position * problem.q_heads + head) * problem.head_dim;
  row.output.assign(first, first + problem.head_dim);
  row.lse = host.lse[static_cast<std::size_t>(head * problem.seq_len + position)];
  const Slice slice = exact.slice(tensors, query, 0);
  row.exact = slice.output;
  row.exact_lse = slice.lse;
  double difference = 0, norm = 0;
  for (std::size_t d = 0; d < row.exact.size(); ++d) {
    difference += std::pow(static_cast<double>(row.output[d]) - row.exact[d], 2);
    norm += std::pow(static_cast<double>(row.exact[d]), 2);
  }
  row.error = std::sqrt(difference / norm);
  row.bound = bounds_of(problem, false, kernel.fold(problem), std::abs(slice.lse)).o;
  row.wrong = wrong_pairs(tensors, query, slice, row.output, row.bound, kNamedPairs);
  return row;
}

}  // namespace triscope
