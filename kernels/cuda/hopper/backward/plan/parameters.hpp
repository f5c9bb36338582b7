// What a launch tells the kernels of the Hopper backward, and which part of the problem one work item is.
//
// Roles. The *short* axis is the one with the shorter window (axis 2 if equal), the *long* axis the other. A virtual
// key is a pair (j, k) of a long position j and a short position k.
//
//   query i sees (j, k)  when  max(j, k) <= i <= min(j + long_window, k + short_window) - 1
//
// Work items. One holds 128 virtual keys and walks over the queries that see any of them:
//   column  128 consecutive j of one k
//   edge    16 j of each of eight k
//
//        i = k                 k + short_window - 1
//   j = k - w + 1  x . . . . .        the first rows of a k leave the window one by one: early edges hold them
//                  x x . . . .
//                  x x x x x x        columns
//                  x x x x x x
//                  . x x x x x        the last ones enter it one by one: late edges
//                  . . . . x x
//
// An edge is seen by the queries of its 16 rows and a few more, where a column is seen by short_window. So it pays to
// have the rows that are seen longest in columns, which go on beyond j = k, and half of the others at either end. The
// n-th early edge of a k is seen by as many queries as the n-th late one from the other end, and by the same ones where
// that belongs to an earlier k. So an edge holds both: four consecutive k at one end, four at the other, seen by the
// queries of 16 rows and three more. Without a partner the longest late one holds eight consecutive k, with seven more.
// 512x32 has an edge of both ends and four columns and takes 132.8 tiles for each k, of which 128 are useful.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <cstdint>

namespace triscope::hopper::backward {

inline constexpr int kTileKeys = 128;  ///< virtual keys of a work item
inline constexpr int kTileRows = 64;   ///< query rows of a tile: `positions` x `head_rows`
inline constexpr int kSlotShift = 4;   ///< log2 of the edge rows of one k: a warp's rows share their k (epilogue.cuh)
inline constexpr int kSlotRows = 1 << kSlotShift;
inline constexpr int kHalfEdge = (kTileKeys >> kSlotShift) / 2;  ///< k at either end
inline constexpr int kFewestHeadRows = 8;  ///< a tile's rows come in blocks of eight that share their position
inline constexpr float kLog2E = 1.4426950408889634f;
/// Beyond it, in either direction, the rounding of a logit, some 8e-5 of it, changes a probability by nearly 1 %:
/// virtual keys and the forward, which form their products in another order, do not agree on it any more. Natural
/// units.
inline constexpr float kLargestLse = 96.0f;
inline constexpr float kHiddenLse = 1e30f;  ///< LSE of rows that do not exist: their probabilities are 0

/// Largest magnitudes of one (batch, kv head) and the powers of two made from them; see prepare.cuh.
struct Ranges {
  float long_key[128];          ///< by dimension
  float short_key[128];         ///< bias included
  float long_key_scale[128];    ///< 2^a
  float short_key_scale[128];   ///< 2^b
  float query_scale[128];       ///< 2^-(a + b), with the sign of the logit's scale
  float grad_query_scale[128];  ///< 2^-(e + a + b)
  float grad_key_scale[128];    ///< 2^(a + b - e)
  float long_key_unscale[128];  ///< 2^-a
  float long_value;             ///< of the rows' 4-norms
  float short_value;            ///< bias included
  float grad_o;                 ///< of the rows' squared 2-norms
  float query;                  ///< of q as scaled, by any dimension
  float grad_scale;             ///< 2^-e
  std::uint32_t arrived;        ///< blocks that have added to the ranges of keys and values
  float padding[2];
};

/// Division of 0 .. 2^31 - 1 by a number known on the host: five instructions instead of some thirty, in kernels that
/// number their work items between two of them.
struct Divisor {
  std::uint32_t value = 1, reciprocal = 0xFFFFFFFFu;  ///< floor(2^32 / value), or all ones

  Divisor() = default;
  __host__ explicit Divisor(std::int64_t divisor)
      : value(static_cast<std::uint32_t>(divisor)),
        reciprocal(divisor == 1 ? 0xFFFFFFFFu : static_cast<std::uint32_t>((std::int64_t{1} << 32) / divisor)) {}
  __host__ __device__ __forceinline__ int of(int number) const {
    const std::uint32_t n = static_cast<std::uint32_t>(number);
    const std::uint32_t quotient = static_cast<std::uint32_t>((std::uint64_t{n} * reciprocal) >> 32);  // or one less
    return static_cast<int>(quotient + (n - quotient * value >= value ? 1 : 0));
  }
};

struct BackwardParameters {
  // The problem's tensors, [batch, seq_len, kv_heads, head_dim].
  const __nv_bfloat16* long_key = nullptr;
  const __nv_bfloat16* long_value = nullptr;
  const __nv_bfloat16* short_key = nullptr;
  const __nv_bfloat16* short_value = nullptr;
  // Written by prepare.cuh, same layout.
  const __half* scaled_long_key = nullptr;            ///< long_key 2^a
  const __half* scaled_short_key = nullptr;           ///< (short_key + key_bias) 2^b
  const __nv_bfloat16* scaled_short_value = nullptr;  ///< (short_value + value_bias) 2^e
  // Copies whose columns are in the order of fragment_column.
  const __nv_bfloat16* short_key_columns = nullptr;
  const __nv_bfloat16* short_value_columns = nullptr;
  const float* lse2 = nullptr;     ///< rows, see statistic_offset; log2 units
  const float* delta = nullptr;    ///< the same, times 2^e
  const Ranges* ranges = nullptr;  ///< [batch * kv_heads]
  // Sums, zero before the launch. Those of a deterministic backward are integers, see fixed_point.hpp.
  __half* grad_query = nullptr;    ///< 2^(e+a+b) dq / scale in fragment order, see query_rows
  float* grad_long_key = nullptr;  ///< 2^(e-a-b) dk / |scale|, see long_place
  float* grad_long_value = nullptr;
  float* grad_short_key = nullptr;  ///< layout of the problem's tensors
  float* grad_short_value = nullptr;

  int batch = 1, seq_len = 1, kv_heads = 1, group = 1, head_dim = 128;
  int long_window = 1, short_window = 1;  ///< clipped to seq_len
  int head_rows = 64;                     ///< rows a position has in a tile: group rounded up to 8, 16, 32 or 64
  int positions = 1;                      ///< query positions of a tile, 64 / head_rows
  int head_blocks = 1;                    ///< tiles that cover the heads of a position
  int position_shift = 3;                 ///< log2(head_rows / 8)
  int padded_len = 1;                     ///< positions that statistics and sums of dq have room for
  int column_tiles = 1;                   ///< columns of one k
  int column_start = 0, column_end = 0;   ///< j - k of their first row and of the last that belongs to them
  static constexpr int edge_keys = kTileKeys >> kSlotShift;  ///< consecutive k that share their edges
  int sum_of_starts = 0;                                     ///< of an early edge and the late one that it is with
  int edge_tiles = 0;                                        ///< edges of them
  int early_edges = 0;  ///< before the columns, each with a late one at the other end
  int edge_shift = 0;   ///< 2^edge_shift >= edge_tiles
  int items_per_pair = 1, items = 1;
  int blocks = 1, turn = 0;  ///< CTAs, and how their items move: see next_item
  Divisor by_items_per_pair, by_items_per_group, by_column_tiles, by_kv_heads, by_blocks;
  float scale_log2 = 1;                ///< |scale| * log2(e), at least 1e-30 so that masked logits stay -inf
  float key_bias = 0, value_bias = 0;  ///< of the short axis
};

/// One work item. A tile of queries is `positions` positions from first_position + n * positions, and one head block.
struct WorkItem {
  int pair;  ///< batch * kv_heads + kv head
  int key;   ///< k, or the first of those of an edge
  int tile;  ///< number of its column or edge
  bool edge;
  bool both_ends;  ///< an edge whose last four k are at the other end
  int start;       ///< j - k of its first row
  int first_position;
  int position_tiles;  ///< 0: nothing sees these keys
  int first_tile;      ///< position tile to begin with: work items that run at the same time add to different dq
};

__host__ __device__ __forceinline__ int smaller(int a, int b) { return a < b ? a : b; }
__host__ __device__ __forceinline__ int larger(int a, int b) { return a > b ? a : b; }

/// j - k of the first row of the n-th early edge.
__host__ __device__ __forceinline__ int early_start(const BackwardParameters& p, int n) {
  return 1 - p.long_window + (n << kSlotShift);
}

/// What the second half of an edge has beyond the first, whose first row has j - k = `start`: of k and of j - k.
/// Nothing in an edge of one end, whose k go on.
struct OtherEnd {
  int keys = 0, start = 0;
};
__host__ __device__ __forceinline__ OtherEnd other_end(const BackwardParameters& p, bool both_ends, int start) {
  if (!both_ends) return {};
  const int late = p.sum_of_starts - start;
  return {-(larger(late, 0) & -kHalfEdge) - kHalfEdge, late - start};
}

__host__ __device__ __forceinline__ WorkItem work_item(const BackwardParameters& p, int index) {
  constexpr int kEnd = (1 << kSlotShift) - 1;
  WorkItem item;
  item.pair = p.by_items_per_pair.of(index);
  const int per_group = p.edge_keys * p.column_tiles + p.edge_tiles;
  const int rest = index - item.pair * p.items_per_pair;
  const int key_group = p.by_items_per_group.of(rest), number = rest - key_group * per_group;
  const int edge = number - p.edge_keys * p.column_tiles;
  item.edge = edge >= 0;
  item.both_ends = item.edge && edge < 2 * p.early_edges;
  item.key = key_group * p.edge_keys;
  item.first_position = item.key;
  // Of the first half, or of all rows: the last key, and j - k of its last row.
  int last_key, end;
  if (!item.edge) {
    const int in_group = p.by_column_tiles.of(number);
    item.tile = number - in_group * p.column_tiles;
    item.start = p.column_start + kTileKeys * item.tile;
    item.key += in_group;
    last_key = item.key;
    end = smaller(item.start + kTileKeys - 1, p.column_end);
    item.first_position = item.key + larger(item.start, 0);
  } else {
    item.tile = edge;
    item.start = item.both_ends ? early_start(p, edge >> 1) : p.column_end + 1;
    if (item.both_ends) {
      item.key += (edge & 1) * kHalfEdge;
      last_key = item.key + kHalfEdge - 1;
      item.first_position = item.key;  // the other end's queries begin there, or up to three behind
    } else {
      last_key = item.key + p.edge_keys - 1;
      item.first_position = item.key + larger(item.start, 0);
    }
    end = item.start + kEnd;
  }
  // The last row of the last k: nobody sees the rows when that is before position 0.
  bool seen = last_key + end >= 0;
  int last = last_key + smaller(p.short_window, end + p.long_window);
  if (item.both_ends) {
    const OtherEnd other = other_end(p, true, item.start);
    const int other_last = last_key + kHalfEdge + other.keys;
    seen = seen || other_last >= 0;
    last = larger(last, other_last + smaller(p.short_window, end + other.start + p.long_window));
  }
  const int count = seen ? smaller(last, p.seq_len) - item.first_position : 0;
  item.position_tiles = count > 0 ? (count + p.positions - 1) >> (3 - p.position_shift) : 0;
  if (!item.edge) {
    item.first_tile = p.by_column_tiles.of(item.tile * item.position_tiles);
  } else {
    const int first = smaller(5, item.position_tiles - 1) + ((item.tile * item.position_tiles) >> p.edge_shift);
    item.first_tile = first >= item.position_tiles ? first - item.position_tiles : first;
  }
  return item;
}

/// A CTA's work item behind item `index`; it begins with its own number. Each round of p.blocks items has one for every
/// CTA, whose place in the round moves by p.turn each time. Without that, CTAs would get items of the same kind only
/// where the items of a key group and the CTAs have a common divisor: for 1024x32, 33 items and 132 CTAs, four CTAs had
/// all the edge items, which have two tiles more, and the others waited for them.
__host__ __device__ __forceinline__ int next_item(const BackwardParameters& p, int index) {
  const int place = index - p.by_blocks.of(index) * p.blocks;
  return index + p.turn + (place + p.turn < p.blocks ? p.blocks : 0);
}

/// Virtual key of row `row` of a work item and the queries that see it; `last` < `first`: there is no such key.
struct VirtualKey {
  int long_position, short_position;
  int first, last;
};

__host__ __device__ __forceinline__ VirtualKey virtual_key(const BackwardParameters& p, const WorkItem& item, int row) {
  const int in_group = item.edge ? row >> kSlotShift : 0;
  const OtherEnd other = row < kTileKeys / 2 ? OtherEnd{} : other_end(p, item.both_ends, item.start);
  VirtualKey key;
  key.short_position = item.key + in_group + other.keys;
  key.long_position = key.short_position + item.start + other.start + row - (in_group << kSlotShift);
  key.first = larger(key.long_position, key.short_position);
  key.last = smaller(smaller(key.long_position + p.long_window, key.short_position + p.short_window), p.seq_len) - 1;
  const bool exists = key.first <= key.last && key.long_position >= 0 && key.short_position >= 0 &&
                      (item.edge || key.long_position <= key.short_position + p.column_end);
  if (!exists) key.last = -1;
  return key;
}

/// Rows of the sums of dq before those of (pair, head block, column half): a row is one head at one position, half of
/// head_dim wide, and eight rows are stored as the fragments of an accumulator (finish_sums.cuh).
__host__ __device__ __forceinline__ std::uint32_t query_rows(const BackwardParameters& p, int pair, int head_block,
                                                             int half) {
  return static_cast<std::uint32_t>((pair * p.head_blocks + head_block) * 2 + half) *
         static_cast<std::uint32_t>(p.padded_len * p.head_rows);
}

/// Copies of LSE and delta: a second one, shifted by one position, where a position has but eight rows (their order
/// goes in sixteens and tiles begin at any position).
__host__ __device__ __forceinline__ int statistic_copies(const BackwardParameters& p) {
  return p.head_rows == kFewestHeadRows ? 2 : 1;
}

/// Where the 64 values of the tile at `position` begin.
__host__ __device__ __forceinline__ std::int64_t statistic_offset(const BackwardParameters& p, int pair, int head_block,
                                                                  int position) {
  const int copy = p.head_rows == kFewestHeadRows ? position & 1 : 0;
  const std::int64_t plane = (std::int64_t{pair} * p.head_blocks + head_block) * statistic_copies(p) + copy;
  return (plane * p.padded_len + position - copy) * p.head_rows;
}

/// Place of row `row` among such values: in each sixteen the order in which a thread of the accumulator wants them,
/// so that it reads four at once.
__host__ __device__ __forceinline__ std::int64_t fragment_place(std::int64_t row) {
  return (row & ~std::int64_t{15}) | (row & 6) << 1 | (row & 8) >> 2 | (row & 1);
}

/// Place of column `column` in a row of the long tensors' copies: in each 32 columns those that one thread has of an
/// accumulator (8 n + 2 c and the next one) follow one another, so that it reads eight at once.
__host__ __device__ __forceinline__ int fragment_column(int column) {
  return (column & ~31) | (column & 6) << 2 | (column & 24) >> 2 | (column & 1);
}

/// Where sixteen bytes number `part` of a row of the long sums lie in it: rows are turned by their position, as they
/// are staged in shared memory (epilogue.cuh).
__host__ __device__ __forceinline__ int long_part(int position, int part) { return part ^ (position & 7) << 1; }

/// Element of the long sums: [batch, kv_heads, seq_len, head_dim], so that rows of one head follow one another.
__host__ __device__ __forceinline__ std::int64_t long_place(const BackwardParameters& p, std::int64_t pair,
                                                            int position, int dimension) {
  return (pair * p.seq_len + position) * p.head_dim + long_part(position, dimension / 4) * 4 + dimension % 4;
}

}  // namespace triscope::hopper::backward
