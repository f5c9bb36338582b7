#include "kernels/cuda/hopper/common/tensor_map.hpp"
#include "kernels/cuda/hopper/forward/launch.hpp"

namespace triscope::hopper {
namespace {

TensorBoxes boxes_of(const __nv_bfloat16* tensor, const ForwardParameters& p, int heads, int box_heads, int box_rows) {
  return {.tensor = tensor,
          .batch = p.batch,
          .seq_len = p.seq_len,
          .heads = heads,
          .head_dim = p.head_dim,
          .box_heads = box_heads,
          .box_rows = box_rows};
}

}  // namespace

TensorMaps make_tensor_maps(const ForwardParameters& p, int tile_rows) {
  const TensorMapEncoder encode = tensor_map_encoder();
  return {make_tensor_map(encode, boxes_of(p.q, p, p.q_heads, p.heads, p.positions)),
          make_tensor_map(encode, boxes_of(p.tile_key, p, p.kv_heads, 1, tile_rows)),
          make_tensor_map(encode, boxes_of(p.long_value, p, p.kv_heads, 1, tile_rows))};
}

CUtensorMap make_key_map(const ForwardParameters& p, int tile_rows) {
  return make_tensor_map(tensor_map_encoder(), boxes_of(p.tile_key, p, p.kv_heads, 1, tile_rows));
}

}  // namespace triscope::hopper
