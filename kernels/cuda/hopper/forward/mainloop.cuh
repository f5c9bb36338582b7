// Role: the two consumer warpgroups. For each work item: S = Q~ K^T, weights, A += P V, over tiles and steps.
//
// Order of one pass over the short axis (here a chunk of two tiles):  tile 0, tile 1, next step: tile 0, tile 1, ...
// At each tile the next S is issued before the pending P V, so that exponentials run while the tensor cores do both:
//
//   tensor cores   | S of this tile         | P V of the tile before           | S of the next tile ...
//   step_tile        issue   in the shadow    early        free the pending      late          close
//   other units      S, P V  waits, addresses exponentials values; rescale A     exponentials  weights to bf16, sums
//   last tile                key words        load q       (first tile only)     make q~ of the next step
#pragma once

#include "kernels/cuda/hopper/forward/products.cuh"
#include "kernels/cuda/hopper/forward/queries.cuh"
#include "kernels/cuda/hopper/forward/rescale.cuh"

namespace triscope::hopper {

/// Where a tile stands in its chunk, as far as it is known at compile time: tile `kTileNumber` of `kTiles`. The step's
/// last tile fetches the next queries; tile 0 is its first (rescale the accumulator). kShort: the last tile of the
/// chunk has short_keys columns; then kFreshStep tells the pass's first step apart, whose pending tile is a whole one.
template <TileConfig kConfig, int kTileNumber, int kTiles, bool kShort, bool kFreshStep>
struct TilePlace {
  static constexpr int kTile = kTileNumber, kTilesOfChunk = kTiles;
  static constexpr bool kFirst = kTile == 0, kLast = kTile == kTiles - 1, kAlone = kFirst && kLast;
  static constexpr int kKeys = kShort && kLast ? kConfig.short_keys : kConfig.tile_keys;
  static constexpr int kPendingKeys = kShort && kFirst && !kFreshStep ? kConfig.short_keys : kConfig.tile_keys;
  static constexpr bool kTurns = kAlone && kConfig.takes_turns, kQueriesEarly = kAlone && kConfig.queries_early;
  static constexpr int kEarly = !kLast                              ? kConfig.early_blocks
                                : kAlone && kConfig.early_alone > 0 ? kConfig.early_alone
                                                                    : kConfig.early_last;
  static constexpr bool kFreshKnown = kShort && kFirst, kFresh = kFreshStep;
};

/// The rest, known at run time.
struct TileMoment {
  bool fresh, last_step;  ///< the step is the pass's first, last
  int pending_tile;       ///< the one before, or the last one of the step before (of the pass before, when this begins)
  bool pending_fresh, pending_last;  ///< the pending tile's step is the first, last of its pass
  bool masked;                       ///< some keys are outside the window of some row
  bool next_stage;                   ///< there is a step to make queries for
};

template <typename Place, TileConfig kConfig>
__device__ __forceinline__ TileMoment moment_of(const Consumer<kConfig>& me, int item_tile, int step) {
  TileMoment now;
  now.fresh = Place::kFreshKnown ? Place::kFresh : step == 0;
  now.last_step = step == me.item.steps - 1;
  now.pending_tile = !Place::kFirst ? Place::kTile - 1
                     : now.fresh    ? kConfig.resident_tiles - 1
                                    : Place::kTilesOfChunk - 1;
  now.pending_fresh = Place::kFirst ? step == 1 || (now.fresh && now.last_step) : now.fresh;
  now.pending_last = Place::kFirst ? now.fresh : now.last_step;
  now.masked = needs_mask(me.clean, item_tile);
  now.next_stage = Place::kLast && !now.last_step;
  return now;
}

// --- the stages of step_tile, in order -------------------------------------------------------------------------------

/// S of this tile, then P V of the pending one.
template <typename Place, TileConfig kConfig>
__device__ __forceinline__ void issue_products(Consumer<kConfig>& me, const TileMoment& now) {
  if (now.fresh) me.wait_key(Place::kTile);
  if constexpr (Place::kTurns) take_turn(me.warpgroup);
  pin(me.accumulator);
  pin(me.weight);
  issue_scores<Place::kKeys>(me, Place::kTile);
  if constexpr (Place::kLast) check_sums(me.rows, me.weight, me.accumulator);
  if (now.pending_fresh) me.wait_value(now.pending_tile);
  issue_values<Place::kPendingKeys>(me, now.pending_tile);
  if constexpr (Place::kTurns) give_turn(me.warpgroup);
}

/// While S is made: barriers, addresses, and what fits the registers.
template <typename Place, TileConfig kConfig>
__device__ __forceinline__ RatioRows prepare_in_shadow(Consumer<kConfig>& me, const TileMoment& now, int step) {
  const RatioRows ratio_rows{{ratio_row(me, 0, now.fresh), ratio_row(me, 1, now.fresh)}};
  if (Place::kFirst && step == 1 && me.pass > 0) me.wait_turned();
  // With the next queries to come, there are no registers for ratios yet.
  if constexpr (Place::kFirst && !Place::kLast) load_ratio<0>(me, ratio_rows);
  if (now.next_stage) {
    me.wait_stage();
    me.advance_slots();
  }
  if constexpr (Place::kLast && !Place::kFirst && KeyParts<kConfig>::kPlain) load_first_key_parts<1>(me);
  return ratio_rows;
}

/// S is there: its key tile may be overwritten after the last step, and keys outside a row's window go.
template <typename Place, TileConfig kConfig>
__device__ __forceinline__ void take_scores(Consumer<kConfig>& me, const TileMoment& now, int item_tile, int step) {
  wgmma_wait<1>();
  pin(columns<Place::kKeys>(me));
  pin(me.query.word);
  // Mixed rows: asked anew, so that no step reads the thread's number for want of a predicate.
  const bool last_step = kConfig.mixed_rows ? step == me.item.steps - 1 : now.last_step;
  if (last_step && me.leader) barrier_arrive(me.barriers.empty_key(Place::kTile));
  if (now.masked) mask_tile<Place::kKeys>(me, item_tile, step);
}

/// While P V runs: the first exponentials, and between them, on the last tile, loads for the next queries.
template <typename Place, TileConfig kConfig>
__device__ __forceinline__ void exponentiate_early(Consumer<kConfig>& me, const TileMoment& now,
                                                   const RatioRows& ratio_rows, float (&partial)[4]) {
  constexpr int kHeld = KeyParts<kConfig>::kHeld;
  exponentiate<0, Place::kEarly / 2>(me.score, me.rows, me.p.scale_log2, partial);
  // No branch here, so that the loads can run between exponentials: on the last step the same queries are made again.
  if constexpr (Place::kLast) {
    load_query(me);
    if constexpr (Place::kQueriesEarly || (!Place::kFirst && !KeyParts<kConfig>::kPlain))
      load_first_key_parts<kHeld>(me);
  }
  exponentiate<Place::kEarly / 2, Place::kEarly>(me.score, me.rows, me.p.scale_log2, partial);
  if constexpr (Place::kQueriesEarly) {
    fold_query<kHeld>(me);
    if (now.next_stage) me.free_stage();
  }
  if constexpr (Place::kAlone) load_ratio<0>(me, ratio_rows);
}

/// P V is done: its value tile may be overwritten after the last step, and A may be rescaled for this step.
template <typename Place, TileConfig kConfig>
__device__ __forceinline__ void take_values(Consumer<kConfig>& me, const TileMoment& now, const RatioRows& ratio_rows,
                                            const float (&partial)[4]) {
  pin(columns<Place::kKeys>(me));
  hold_here((partial[0] + partial[1]) + (partial[2] + partial[3]) + me.rows.sum[0]);
  wgmma_wait<0>();
  pin(me.accumulator);
  pin(me.weight);
  if (now.pending_last && me.leader) barrier_arrive(me.barriers.empty_value(now.pending_tile));
  if constexpr (Place::kFirst) apply_ratios<0, RatioParts<kConfig>::kCount - 1>(me, ratio_rows);
}

/// The other exponentials, and on the last tile the next queries.
template <typename Place, TileConfig kConfig>
__device__ __forceinline__ void exponentiate_late(Consumer<kConfig>& me, const TileMoment& now, float (&partial)[4]) {
  pack_weights<0, Place::kEarly>(me.score, me.weight);
  // Only now: the ratios had their registers.
  if constexpr (Place::kAlone && !Place::kQueriesEarly) load_first_key_parts<1>(me);
  exponentiate<Place::kEarly, Place::kKeys / 8>(me.score, me.rows, me.p.scale_log2, partial);
  if constexpr (!Place::kQueriesEarly) {
    if constexpr (Place::kLast) fold_query<Place::kFirst ? 1 : KeyParts<kConfig>::kHeld>(me);
    if (now.next_stage) me.free_stage();
  }
}

/// The rest of the ratios, the weights as the next P, and the sums.
template <typename Place, TileConfig kConfig>
__device__ __forceinline__ void close_tile(Consumer<kConfig>& me, const TileMoment& now, const RatioRows& ratio_rows,
                                           const float (&partial)[4]) {
  constexpr int kParts = RatioParts<kConfig>::kCount;
  if constexpr (Place::kFirst) {
    apply_ratios<kParts - 1, kParts>(me, ratio_rows);
    if (now.last_step) me.arrive(me.barriers.pass_done());
  }
  pack_weights<Place::kEarly, Place::kKeys / 8>(me.score, me.weight);
  add_sums(me.rows, partial);
}

/// One tile of one step, and the P V of the tile before it. `item_tile`: the tile's number in the item.
template <typename Place, TileConfig kConfig>
__device__ __forceinline__ void step_tile(Consumer<kConfig>& me, int item_tile, int step) {
  const TileMoment now = moment_of<Place>(me, item_tile, step);
  float partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  issue_products<Place>(me, now);
  const RatioRows ratio_rows = prepare_in_shadow<Place>(me, now, step);
  take_scores<Place>(me, now, item_tile, step);
  exponentiate_early<Place>(me, now, ratio_rows, partial);
  take_values<Place>(me, now, ratio_rows, partial);
  exponentiate_late<Place>(me, now, partial);
  close_tile<Place>(me, now, ratio_rows, partial);
}

// --- an item ---------------------------------------------------------------------------------------------------------

/// The item's first tile: sets the softmax reference; nothing is pending yet.
template <TileConfig kConfig>
__device__ __forceinline__ void first_tile(Consumer<kConfig>& me) {
  me.wait_query();
  take_stage(me);
  me.wait_key(0);
  issue_scores<kConfig.tile_keys>(me, 0);
  wgmma_wait<0>();
  pin(me.score);
  pin(me.query.word);
  if (me.item.steps == 1) {
    __syncwarp();
    if (me.leader) {
      barrier_arrive(me.barriers.empty_key(0));
      barrier_arrive(me.barriers.pass_done());
    }
  }
  if (me.item.span.tiles == 1 && me.item.steps > 1) {
    me.advance_slots();
    take_stage(me);
  }
  if (needs_mask(me.clean, 0)) mask_tile<kConfig.tile_keys>(me, 0, 0);
  set_reference(me.rows, me.score, me.p.scale_log2);
  float partial[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  exponentiate<0, kConfig.tile_keys / 8>(me.score, me.rows, me.p.scale_log2, partial);
  pack_weights<0, kConfig.tile_keys / 8>(me.score, me.weight);
  add_sums(me.rows, partial);
}

/// One pass over the short axis, from item tile `first` on; `begun`: tile 0 of step 0 is done. kShort: see TilePlace.
template <int kTiles, bool kShort, TileConfig kConfig>
__device__ __forceinline__ void run_pass(Consumer<kConfig>& me, int first, bool begun) {
  me.set_direction();
  for (int step = kTiles == 1 && begun ? 1 : 0; step < me.item.steps; ++step) {
    // Whole passes of two tiles ask nothing but `begun`: any more costs registers, and 6 % of a window of one tile.
    if (kConfig.resident_tiles == 2 ? kTiles == 1 || !begun : step > 0 || !begun) {
      if (kShort && step == 0) {
        step_tile<TilePlace<kConfig, 0, kTiles, kShort, true>>(me, first, step);
      } else {
        step_tile<TilePlace<kConfig, 0, kTiles, kShort, false>>(me, first, step);
      }
    }
    if constexpr (kConfig.resident_tiles == 2) begun = false;
    if constexpr (kTiles > 1) step_tile<TilePlace<kConfig, 1, kTiles, kShort, false>>(me, first + 1, step);
    if constexpr (kTiles > 2) step_tile<TilePlace<kConfig, 2, kTiles, kShort, false>>(me, first + 2, step);
  }
}

/// Issues the item's last product; `before_last` runs meanwhile. `kKeys`: columns of the tile.
template <int kKeys, TileConfig kConfig, typename BeforeLast>
__device__ __forceinline__ void finish_item(Consumer<kConfig>& me, int tile, const BeforeLast& before_last) {
  if (me.item.steps == 1) me.wait_value(tile);
  issue_values<kKeys>(me, tile);
  before_last(me.offset(me.item.steps - 1));
  wgmma_wait<0>();
  pin(me.accumulator);
  if (me.leader) barrier_arrive(me.barriers.empty_value(tile));
}

/// Runs the item that has begun; leaves A in `accumulator`, references and this thread's partial sums in `rows`.
/// `before_last` runs while the last product does; the offset t of the last step is its argument.
template <TileConfig kConfig, typename BeforeLast>
__device__ __forceinline__ void run_item(Consumer<kConfig>& me, const BeforeLast& before_last) {
  constexpr int kResident = kConfig.resident_tiles;
  first_tile(me);
  const bool short_last = kConfig.short_keys > 0 && me.item.span.ends_short;
  int first = 0;
  for (; first + kResident <= me.item.span.tiles - short_last; first += kResident, ++me.pass)
    run_pass<kResident, false>(me, first, first == 0);
  const int left = me.item.span.tiles - first;  // for a last pass
  if (left == 0) --me.pass;
  if (left == 1) run_pass<1, false>(me, first, first == 0);
  if constexpr (kResident == 3) {
    if (left == 2 && !short_last) run_pass<2, false>(me, first, first == 0);
    if (left == 2 && short_last) run_pass<2, true>(me, first, first == 0);
    if (left == 3) run_pass<3, true>(me, first, first == 0);
  }
  check_sums(me.rows, me.weight, me.accumulator);
  me.arrive(me.barriers.empty_query(me.items_done % Layout<kConfig>::kQueryBuffers));
  ++me.items_done;
  const int last_tile = (left == 0 ? kResident : left) - 1;
  if constexpr (kConfig.short_keys > 0) {
    if (short_last) {
      finish_item<kConfig.short_keys>(me, last_tile, before_last);
      return;
    }
  }
  finish_item<kConfig.tile_keys>(me, last_tile, before_last);
}

}  // namespace triscope::hopper
