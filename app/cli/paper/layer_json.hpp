// A layer's shape in the lines of JSON of `triscope paper`.
#pragma once

#include <nlohmann/json.hpp>

#include "profiler/paper/layers/layer_rows.hpp"

namespace triscope {

inline nlohmann::json layer_json(const LayerMixRequest& layer) {
  return {{"window1", layer.windows.window1},
          {"window2", layer.windows.window2},
          {"seq_len", layer.seq_len},
          {"q_heads", layer.q_heads},
          {"kv_heads", layer.kv_heads},
          {"head_dim", layer.head_dim},
          {"device", layer.device.empty() ? nlohmann::json() : nlohmann::json(layer.device)}};
}

}  // namespace triscope
