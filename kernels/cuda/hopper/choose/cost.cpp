#include "kernels/cuda/hopper/choose/cost.hpp"

#include <algorithm>

#include "kernels/cuda/hopper/forward/work_item.hpp"

namespace triscope::hopper {
namespace {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Time of a work item that begins at query position `first`.
double item_us(const TileTimes& times, const ForwardParameters& p, const InstanceFacts& facts, int first) {
  const TileConfig& config = facts.config;
  const int last = std::min(first + p.positions, p.seq_len) - 1;
  const TileSpan span = tile_span(config, first, last, p.long_window);
  const auto steps = static_cast<double>(ceil_div(std::min(last + 1, p.short_window), facts.steps_per_stage));
  const auto passes = static_cast<double>(ceil_div(span.tiles, config.resident_tiles));
  const double odd_tile = span.tiles % config.resident_tiles == 1 ? times.odd_tile : 0.0;
  return times.item + p.positions * times.position + (passes - 1) * times.turn +
         steps * (span.columns(config) * facts.column_ns * 1e-3 + odd_tile);
}

/// Work items of the first CTA, which gets the largest; from at most 64 of them.
double items_us(const Chip& chip, const TileTimes& times, const ForwardParameters& p, const InstanceFacts& facts) {
  const std::int64_t rounds = ceil_div(p.items, chip.multiprocessors), stride = std::max<std::int64_t>(1, rounds / 64);
  const int blocks = static_cast<int>(ceil_div(p.seq_len, p.positions)), block_items = p.items / blocks;
  double us = 0;
  int count = 0;
  for (std::int64_t round = 0; round < rounds; round += stride, ++count) {
    const int block = blocks - 1 - static_cast<int>(round * chip.multiprocessors / block_items);
    us += item_us(times, p, facts, block * p.positions);
  }
  return (us / count + (facts.query_buffers == 1 ? times.query_wait : 0.0)) * static_cast<double>(rounds);
}

}  // namespace

double tiles_us(const Chip& chip, const ForwardParameters& p, const InstanceFacts& facts) {
  const TileTimes& times = p.head_dim == 64 ? chip.times->tiles64 : chip.times->tiles128;
  return times.start + (p.determinant ? times.reorder : 0.0) + items_us(chip, times, p, facts);
}

double half_us(const Chip& chip, const ForwardParameters& p) {
  const double megabytes = 2e-6 * p.batch * p.seq_len * p.kv_heads * p.head_dim;
  return chip.times->half.launches + megabytes * chip.times->half.megabyte;
}

/// Steps and keys of a mean row from at most 64 positions.
double rows_us(const Chip& chip, const ForwardParameters& p, int groups) {
  const RowTimes& times = chip.times->rows;
  const int stride = std::max(1, p.seq_len / 64), lanes = p.head_dim / 8 * groups;
  double steps = 0, batches = 0, last_steps = 0, last_batches = 0;
  int count = 0;
  for (int position = p.seq_len - 1; position >= 0; position -= stride, ++count) {
    const double row_steps = std::min(position + 1, p.short_window);
    const std::int64_t keys = ceil_div(std::min(position + 1, p.long_window), groups);
    const std::int64_t batches_of_step = keys / 4 + keys % 4 / 2 + keys % 2;  // RowAttention::add_step
    const double row_batches = row_steps * static_cast<double>(batches_of_step);
    if (count == 0) last_steps = row_steps, last_batches = row_batches;
    steps += row_steps;
    batches += row_batches;
  }
  const double waves =
      static_cast<double>(p.items) * lanes / (static_cast<double>(chip.multiprocessors) * times.lanes_at_once);
  const double wave =
      times.wave + (p.determinant ? times.wave_step * steps / count : 0.0) + times.wave_batch * batches / count;
  return times.start + times.step * last_steps + times.batch * last_batches + waves * wave;
}

/// Steps and tiles of a mean block from at most 64 of them.
double portable_us(const Chip& chip, const portable::Shape& shape) {
  const PortableTimes& times = shape.head_dim == 64 ? chip.times->portable64 : chip.times->portable128;
  const std::int64_t blocks = shape.row_tiles(), stride = std::max<std::int64_t>(1, blocks / 64);
  double steps = 0, tiles = 0, first_steps = 0, first_tiles = 0;
  int count = 0;
  for (std::int64_t block = blocks - 1; block >= 0; block -= stride, ++count) {
    const std::int64_t first = block * portable::kTileRows / shape.group;
    const std::int64_t last = (std::min((block + 1) * portable::kTileRows, shape.rows()) - 1) / shape.group;
    const double block_steps = static_cast<double>(std::min<std::int64_t>(shape.short_window, last + 1));
    const double block_tiles =
        block_steps *
        static_cast<double>(ceil_div(last + 1 - std::max<std::int64_t>(0, first - shape.long_window + 1), 64));
    if (count == 0) first_steps = block_steps, first_tiles = block_tiles;
    steps += block_steps;
    tiles += block_tiles;
  }
  const double further = std::max(0.0, static_cast<double>(blocks * shape.pairs()) / chip.multiprocessors - 1.0);
  const double heads = 2.0 * shape.q_heads + 4.0 * shape.kv_heads;
  const double megabytes = 2e-6 * shape.batch * shape.seq_len * heads * shape.head_dim;
  return times.start + times.step * first_steps + times.tile * first_tiles +
         further * (times.block + times.block_step * steps / count + times.block_tile * tiles / count) +
         chip.times->uncached_megabyte * std::max(0.0, megabytes - chip.times->cached_megabytes);
}

}  // namespace triscope::hopper
