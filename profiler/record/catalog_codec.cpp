#include "profiler/record/catalog_codec.hpp"

namespace triscope::json_codec {

std::optional<Fold> parse_fold(std::string_view text) {
  for (Fold fold : {Fold::none, Fold::query_k2, Fold::query_k1, Fold::key_pair, Fold::cross_k2, Fold::cross_k1,
                    Fold::half_k2, Fold::half_k1}) {
    if (to_string(fold) == text) return fold;
  }
  return std::nullopt;
}

}  // namespace triscope::json_codec
