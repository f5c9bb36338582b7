// Built only where the headers of cuDNN and of its frontend are (cmake/Baselines.cmake).
#include "kernels/baseline/cudnn/cudnn_attention.hpp"

#include <fmt/format.h>

#include <array>
#include <unordered_map>
#include <utility>

#include "kernels/base/error.hpp"

// Frontend and C++20 warnings are NVIDIA's; the include folder is a system one.
#include <cudnn_frontend.h>

namespace cudnn_frontend {
void* cudnn_dlhandle = nullptr;  // the frontend takes every function of cuDNN from here
}

namespace triscope::cudnn {
namespace {

namespace fe = cudnn_frontend;
using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

constexpr char kCannot[] = "cuDNN cannot be measured";
enum Uid : std::int64_t { kQ = 1, kK, kV, kO, kLse, kGradO, kGradQ, kGradK, kGradV };

void check(fe::error_t status, const char* what) {
  if (status.is_good()) return;
  throw Error(fmt::format("cuDNN does not {} this problem", what), status.get_message(),
              "choose another problem or kernel");
}

cudnnHandle_t handle() {
  static const cudnnHandle_t made = [] {
    cudnnHandle_t created = nullptr;
    const cudnnStatus_t status = fe::detail::create_handle(&created);
    if (status != CUDNN_STATUS_SUCCESS) {
      throw Error(kCannot, fmt::format("cudnnCreate answers {}", fe::detail::get_error_string(status)),
                  "free memory of the GPU");
    }
    return created;
  }();
  return made;
}

/// Tensors are stored [batch, seq_len, heads, head_dim] and described as cuDNN orders them: batch, heads, seq_len,
/// head_dim.
class Builder {
 public:
  Builder(fe::graph::Graph& graph, const Problem& problem) : graph_(graph), p_(problem) {
    graph_.set_io_data_type(fe::DataType_t::BFLOAT16)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
  }

  void forward() {
    auto options = fe::graph::SDPA_attributes().set_name("forward").set_generate_stats(true).set_attn_scale(
        static_cast<float>(p_.effective_scale()));
    mask(options);
    auto [o, lse] = graph_.sdpa(input(kQ, p_.q_heads), input(kK, p_.kv_heads), input(kV, p_.kv_heads), options);
    output(o, kO, p_.q_heads);
    lse->set_output(true).set_data_type(fe::DataType_t::FLOAT).set_uid(kLse);
    describe_lse(*lse);
  }
  void backward() {
    auto options = fe::graph::SDPA_backward_attributes()
                       .set_name("backward")
                       .set_attn_scale(static_cast<float>(p_.effective_scale()));
    mask(options);
    if (p_.deterministic) options.set_deterministic_algorithm(true);
    Tensor lse = graph_.tensor(
        fe::graph::Tensor_attributes().set_name("lse").set_uid(kLse).set_data_type(fe::DataType_t::FLOAT));
    describe_lse(*lse);
    auto [grad_q, grad_k, grad_v] =
        graph_.sdpa_backward(input(kQ, p_.q_heads), input(kK, p_.kv_heads), input(kV, p_.kv_heads),
                             input(kO, p_.q_heads), input(kGradO, p_.q_heads), lse, options);
    output(grad_q, kGradQ, p_.q_heads);
    output(grad_k, kGradK, p_.kv_heads);
    output(grad_v, kGradV, p_.kv_heads);
  }

 private:
  template <typename Options>
  void mask(Options& options) {
    if (p_.mask == Mask::full) return;
    options.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT).set_diagonal_band_right_bound(0);
    // A left bound of w keeps w keys, the query's own included.
    if (p_.window1 < p_.seq_len) options.set_diagonal_band_left_bound(static_cast<int>(p_.window1));
  }
  std::vector<std::int64_t> extents(std::int64_t heads) const { return {p_.batch, heads, p_.seq_len, p_.head_dim}; }
  std::vector<std::int64_t> strides(std::int64_t heads) const {
    return {p_.seq_len * heads * p_.head_dim, p_.head_dim, heads * p_.head_dim, 1};
  }
  Tensor input(Uid uid, std::int64_t heads) {
    return graph_.tensor(fe::graph::Tensor_attributes()
                             .set_name(fmt::format("tensor {}", static_cast<int>(uid)))
                             .set_uid(uid)
                             .set_dim(extents(heads))
                             .set_stride(strides(heads)));
  }
  void output(const Tensor& tensor, Uid uid, std::int64_t heads) const {
    tensor->set_output(true).set_uid(uid).set_dim(extents(heads)).set_stride(strides(heads));
  }
  void describe_lse(fe::graph::Tensor_attributes& lse) const {
    lse.set_dim({p_.batch, p_.q_heads, p_.seq_len, 1}).set_stride({p_.q_heads * p_.seq_len, p_.seq_len, 1, 1});
  }

  fe::graph::Graph& graph_;
  const Problem& p_;
};

}  // namespace

struct Attention::Graph {
  fe::graph::Graph graph;
  std::int64_t workspace_bytes = 0;
};

void use(const Library& library) { fe::cudnn_dlhandle = library.handle; }

Attention::Attention(const Problem& problem, Pass pass) : graph_(std::make_unique<Graph>()) {
  Builder builder(graph_->graph, problem);
  if (pass == Pass::forward) {
    builder.forward();
  } else {
    builder.backward();
  }
  check(graph_->graph.build(handle(), {fe::HeurMode_t::A}), "offer");
  check(graph_->graph.get_workspace_size(graph_->workspace_bytes), "size");
}
Attention::~Attention() = default;
Attention::Attention(Attention&&) noexcept = default;

std::size_t Attention::workspace_bytes() const { return static_cast<std::size_t>(graph_->workspace_bytes); }

void Attention::run(const Arguments& a) const {
  // Inputs are read through the same map that outputs are written through.
  std::unordered_map<std::int64_t, void*> tensors{{kQ, const_cast<void*>(a.q)},
                                                  {kK, const_cast<void*>(a.k1)},
                                                  {kV, const_cast<void*>(a.v1)},
                                                  {kO, a.o},
                                                  {kLse, a.lse},
                                                  {kGradO, const_cast<void*>(a.grad_o)},
                                                  {kGradQ, a.grad_q},
                                                  {kGradK, a.grad_k1},
                                                  {kGradV, a.grad_v1}};
  std::erase_if(tensors, [](const auto& entry) { return entry.second == nullptr; });
  const cudnnStatus_t status = fe::detail::set_stream(handle(), static_cast<cudaStream_t>(a.stream));
  if (status != CUDNN_STATUS_SUCCESS)
    throw Error("cuDNN was not launched", fe::detail::get_error_string(status), "measure without baseline.cudnn");
  check(graph_->graph.execute(handle(), tensors, a.workspace), "launch");
}

}  // namespace triscope::cudnn
