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
  }
  return "?";
}

}  // namespace triscope
