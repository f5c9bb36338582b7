#include "kernels/attention/kernel.hpp"

namespace triscope {

std::string_view to_string(DeviceKind kind) { return kind == DeviceKind::cpu ? "cpu" : "cuda"; }

std::string_view to_string(Fold fold) {
  switch (fold) {
    case Fold::none:
      return "none";
    case Fold::query_k2:
      return "query_k2";
    case Fold::query_k1:
      return "query_k1";
    case Fold::key_pair:
      return "key_pair";
    case Fold::cross_k2:
      return "cross_k2";
    case Fold::cross_k1:
      return "cross_k1";
    case Fold::half_k2:
      return "half_k2";
    case Fold::half_k1:
      return "half_k1";
  }
  return "?";
}

Fold bf16_fold(Fold half, Form form) {
  if (half == Fold::half_k2) return form == Form::determinant ? Fold::cross_k2 : Fold::query_k2;
  if (half == Fold::half_k1) return form == Form::determinant ? Fold::cross_k1 : Fold::query_k1;
  return half;
}

std::string_view to_string(KernelKind kind) {
  switch (kind) {
    case KernelKind::simplicial:
      return "simplicial";
    case KernelKind::oracle:
      return "oracle";
    case KernelKind::dot_product:
      return "dot_product";
    case KernelKind::gemm:
      return "gemm";
  }
  return "?";
}

std::optional<KernelKind> parse_kernel_kind(std::string_view text) {
  for (const KernelKind kind :
       {KernelKind::simplicial, KernelKind::oracle, KernelKind::dot_product, KernelKind::gemm}) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace triscope
