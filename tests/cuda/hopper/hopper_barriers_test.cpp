// The barriers of the Hopper forward (kernels/cuda/hopper/forward/barrier_table.hpp) in every order in which its roles
// can run. The roles are written down here once more, as what they wait for, arrive at, read and write (load.cuh,
// short_axis.cuh, mainloop.cuh, epilogue.cuh): who changes one of them changes it here.
//
// This stands in for compute-sanitizer's racecheck, which does not follow mbarriers and reports on right kernels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/hopper/common/ring.hpp"
#include "kernels/cuda/hopper/forward/barrier_table.hpp"
#include "tests/cuda/barrier_model.hpp"

namespace triscope::hopper {
namespace {

using bench::Warp;
using testing::HasSubstr;
using Table = BarrierTable;

struct Item {
  int tiles, steps;
};

/// What barriers depend on, of an instance and a launch.
struct Launch {
  int resident = 2, query_buffers = 2;
  bool prepares_query = false;  ///< the short axis does: half and cross instances
  bool query_early = false;     ///< while the consumers are at the item before: half instances with two buffers
  bool split = false, turns = false;
  int positions = 2;
  int consumers = kConsumerWarps, shorts = kShortAxisWarps;
  bool old_waits = false;  ///< the short axis waits for pass_done where items have one step, as it once did
  std::vector<Item> items;

  int per_stage() const { return split ? 2 : 1; }
  int span() const { return positions + per_stage() - 1; }
  int ring_rows() const { return span() + (kStagesAhead + 2) * per_stage(); }
  bool one_step() const {
    return std::all_of(items.begin(), items.end(), [](const Item& item) { return item.steps == 1; });
  }
  int chunks(const Item& item) const { return (item.tiles + resident - 1) / resident; }
};

// bar.sync numbers follow the mbarriers'.
constexpr int kTurnBarrier = Table::kItemsDone.end();
constexpr int kBarriers = kTurnBarrier + 2;

std::vector<int> arrivals_of(const Launch& launch) {
  std::vector<int> arrivals(kBarriers, 0);
  const auto row = [&](const BarrierRow& one, int count) {
    for (int n = one.first; n < one.end(); ++n) arrivals[static_cast<std::size_t>(n)] = count;
  };
  for (const BarrierRow& one : {Table::kFullKey, Table::kFullValue, Table::kFullQuery}) row(one, one.arrivals);
  for (const BarrierRow& one :
       {Table::kEmptyKey, Table::kEmptyValue, Table::kEmptyQuery, Table::kEmptyStage, Table::kPassDone,
        Table::kItemsDone, Table::kMergeFull, Table::kMergeTaken, Table::kMergeFree})
    row(one, one.arrivals * launch.consumers / kConsumerWarps);
  for (const BarrierRow& one : {Table::kFullStage, Table::kTurned})
    row(one, one.arrivals * launch.shorts / kShortAxisWarps);
  arrivals[kTurnBarrier] = arrivals[kTurnBarrier + 1] = launch.consumers;
  return arrivals;
}

// --- memory: a number for each piece, and for what it holds
// -----------------------------------------------------------

int key_tile(int tile) { return tile; }
int value_tile(int tile) { return 10 + tile; }
int query(int buffer) { return 20 + buffer; }
int merge_area(int warp) { return 30 + warp; }
int ring_key(const Launch& launch, int row) { return 100 + ring_slot(row, launch.ring_rows()); }
int ring_ratio(const Launch& launch, int row) { return 300 + ring_slot(row, launch.ring_rows()); }

int tile_content(int item, int tile) { return item * 100 + tile; }
int query_content(int item, bool reordered) { return 2 * item + reordered; }
int row_content(int item, int row) { return item * 1000 + row + 500; }
int ratio_content(int item, int row, int pass) { return 2 * row_content(item, row) + pass % 2; }

// --- roles -----------------------------------------------------------------------------------------------------------

/// load.cuh. A copy writes before its barrier completes: its arrival stands for both.
Warp copier(const Launch& launch) {
  Warp warp{"copier", {}};
  std::vector<int> uses(static_cast<std::size_t>(launch.resident), 0);
  for (int item = 0; item < static_cast<int>(launch.items.size()); ++item) {
    const int buffer = item % launch.query_buffers, use = item / launch.query_buffers;
    if (use > 0) warp.wait(Table::kEmptyQuery.first + buffer, use - 1);
    warp.write(query(buffer), query_content(item, false));
    warp.arrive(Table::kFullQuery.first + buffer);
    const int tiles = launch.items[static_cast<std::size_t>(item)].tiles;
    for (int first = 0; first < tiles; first += launch.resident) {
      const int here = std::min(launch.resident, tiles - first);
      const auto copy = [&](const BarrierRow& empty, const BarrierRow& full, int memory, int tile) {
        const int filling = uses[static_cast<std::size_t>(tile)];
        if (filling > 0) warp.wait(empty.first + tile, filling - 1);
        warp.write(memory, tile_content(item, first + tile));
        warp.arrive(full.first + tile);
      };
      for (int tile = 0; tile < here; ++tile) copy(Table::kEmptyKey, Table::kFullKey, key_tile(tile), tile);
      for (int tile = 0; tile < here; ++tile) {
        copy(Table::kEmptyValue, Table::kFullValue, value_tile(tile), tile);
        ++uses[static_cast<std::size_t>(tile)];
      }
    }
  }
  return warp;
}

/// short_axis.cuh, warp `number` of it.
class ShortAxisModel {
 public:
  ShortAxisModel(const Launch& launch, int number)
      : launch_(launch), number_(number), warp_{"short " + std::to_string(number), {}} {}

  Warp run() {
    for (int item = 0; item < static_cast<int>(launch_.items.size()); ++item) {
      if (launch_.query_early) prepare_query(item);
      for (int pass = 0; pass < launch_.chunks(at(item)); ++pass, ++passes_) run_pass(item, pass);
    }
    return warp_;
  }

 private:
  const Item& at(int item) const { return launch_.items[static_cast<std::size_t>(item)]; }

  void run_pass(int item, int pass) {
    const int steps = at(item).steps, first_step = pass == 0 ? 0 : 1;
    if (launch_.old_waits) {
      if (passes_ > 0 && (pass == 0 || steps == 1)) warp_.wait(Table::kPassDone.first, passes_ - 1);
    } else if (item > 0 && pass == 0) {
      wait_item(item - 1);
    }
    for (int step = first_step; step < steps; ++step, ++stages_) {
      const int t = (pass % 2 ? steps - 1 - step : step) * launch_.per_stage(), top = launch_.positions - 1 - t;
      if (step > first_step) {
        wait_slots();
        const int turn = (number_ + stages_) % launch_.shorts;
        for (int n = turn; n < launch_.per_stage(); n += launch_.shorts)
          write_row(item, (pass % 2 ? top : -t) - n, pass);
      } else {
        wait_slots();
        if (pass == 0) write_rows(item, top);
      }
      if (launch_.prepares_query && !launch_.query_early && pass == 0 && step == 0) prepare_query(item);
      warp_.arrive(Table::kFullStage.first + stages_ % kStagesAhead);
      if (pass > 0 && step == first_step) {
        warp_.wait(Table::kPassDone.first, passes_ - 1);
        turn_ratios(item, top, pass);
        warp_.arrive(Table::kTurned.first);
      }
    }
  }

  void wait_item(int item) {
    if (launch_.one_step()) {
      warp_.wait(Table::kEmptyQuery.first + item % launch_.query_buffers, item / launch_.query_buffers);
    } else {
      warp_.wait(Table::kPassDone.first, passes_ - 1);
    }
  }
  void wait_slots() {
    if (stages_ >= kStagesAhead)
      warp_.wait(Table::kEmptyStage.first + stages_ % kStagesAhead, stages_ / kStagesAhead - 1);
  }
  void write_row(int item, int row, int pass) {
    warp_.write(ring_key(launch_, row), row_content(item, row));
    warp_.write(ring_ratio(launch_, row), ratio_content(item, row, pass));
  }
  /// An item's first rows. (Those of a CTA's first item are written by all its warps, before __syncthreads.)
  void write_rows(int item, int top) {
    for (int n = number_; n < launch_.span(); n += launch_.shorts) write_row(item, top - n, 0);
  }
  void prepare_query(int item) {
    const int buffer = item % launch_.query_buffers;
    warp_.wait(Table::kFullQuery.first + buffer, item / launch_.query_buffers);
    if (number_ > 0) return;  // each warp has parts of its own; one stands for all
    warp_.read(query(buffer), query_content(item, false));
    warp_.write(query(buffer), query_content(item, true));
  }
  /// Warp n, of the first ones, has every row that follows the n-th at a stage's distance.
  void turn_ratios(int item, int top, int pass) {
    const int stride = launch_.per_stage(), towards = pass % 2 ? -stride : stride;
    for (int chain = number_; chain < stride; chain += launch_.shorts) {
      for (int n = chain; n < launch_.span(); n += stride)
        warp_.read(ring_ratio(launch_, row_of(top, n, pass) + towards),
                   ratio_content(item, row_of(top, n, pass) + towards, pass - 1));
      for (int n = chain; n < launch_.span(); n += stride)
        warp_.write(ring_ratio(launch_, row_of(top, n, pass)), ratio_content(item, row_of(top, n, pass), pass));
    }
  }
  int row_of(int top, int n, int pass) const { return pass % 2 ? top - n : top - launch_.span() + 1 + n; }

  const Launch& launch_;
  int number_;
  Warp warp_;
  int stages_ = 0, passes_ = 0;
};

/// mainloop.cuh and epilogue.cuh, warp `number` of the consumers.
class ConsumerModel {
 public:
  ConsumerModel(const Launch& launch, int number)
      : launch_(launch),
        number_(number),
        group_(2 * number / std::max(launch.consumers, 2)),
        warp_{"consumer " + std::to_string(number), {}} {}

  Warp run() {
    if (launch_.turns && group_ == 1) warp_.arrive(kTurnBarrier);
    for (item_ = 0; item_ < static_cast<int>(launch_.items.size()); ++item_) run_item();
    warp_.arrive(Table::kItemsDone.first);
    warp_.wait(Table::kItemsDone.first, 0);
    return warp_;
  }

 private:
  const Item& item() const { return launch_.items[static_cast<std::size_t>(item_)]; }
  int last_step() const { return item().steps - 1; }

  void run_item() {
    const int tiles = item().tiles, resident = launch_.resident;
    pass_ = 0;
    first_tile();
    int first = 0;
    for (; first + resident <= tiles; first += resident, ++pass_) run_pass(first, resident, first == 0);
    const int left = tiles - first;
    if (left > 0) run_pass(first, left, first == 0);
    warp_.arrive(Table::kEmptyQuery.first + item_ % launch_.query_buffers);
    const int last_tile = (left == 0 ? resident : left) - 1;
    if (item().steps == 1) wait_value(last_tile);
    warp_.read(value_tile(last_tile), tile_content(item_, tiles - 1));
    warp_.arrive(Table::kEmptyValue.first + last_tile);
    if (launch_.split) group_ == 1 ? give() : take();
  }

  void first_tile() {
    warp_.wait(Table::kFullQuery.first + item_ % launch_.query_buffers, item_ / launch_.query_buffers);
    take_stage(0);
    wait_key(0);
    warp_.read(key_tile(0), tile_content(item_, 0));
    if (item().steps == 1) {
      warp_.arrive(Table::kEmptyKey.first);
      warp_.arrive(Table::kPassDone.first);
    }
    if (item().tiles == 1 && item().steps > 1) take_stage(1);
  }

  void run_pass(int first, int tiles, bool begun) {
    for (int step = tiles == 1 && begun ? 1 : 0; step < item().steps; ++step) {
      if (step > 0 || !begun) step_tile(first, 0, tiles, step);
      for (int tile = 1; tile < tiles; ++tile) step_tile(first, tile, tiles, step);
    }
  }

  void step_tile(int first, int tile, int tiles, int step) {
    const bool is_first = tile == 0, is_last = tile == tiles - 1, fresh = step == 0, last = step == last_step();
    const int pending = !is_first ? tile - 1 : fresh ? launch_.resident - 1 : tiles - 1;
    const int pending_content = tile_content(item_, (is_first && fresh ? first - launch_.resident : first) + pending);
    const bool next_stage = is_last && !last;
    if (fresh) wait_key(tile);
    if (launch_.turns && tiles == 1) warp_.meet(kTurnBarrier + group_);
    warp_.read(key_tile(tile), tile_content(item_, first + tile));
    if (is_first ? step == 1 || (fresh && last) : fresh) wait_value(pending);
    warp_.read(value_tile(pending), pending_content);
    if (launch_.turns && tiles == 1) warp_.arrive(kTurnBarrier + 1 - group_);
    if (is_first && step == 1 && pass_ > 0) warp_.wait(Table::kTurned.first, turned_++);
    if (is_first && !fresh) read_ratios(step);
    if (next_stage) wait_stage();
    warp_.read(key_tile(tile), tile_content(item_, first + tile));
    if (last) warp_.arrive(Table::kEmptyKey.first + tile);
    // On the item's last step what is read is not used.
    const bool last_pass = pass_ == launch_.chunks(item()) - 1;
    if (is_last && (next_stage || !last_pass)) read_queries(step + next_stage);
    warp_.read(value_tile(pending), pending_content);
    if (is_first ? fresh : last) warp_.arrive(Table::kEmptyValue.first + pending);
    if (is_last && (next_stage || !last_pass)) read_queries(step + next_stage);
    if (next_stage) warp_.arrive(Table::kEmptyStage.first + stages_++ % kStagesAhead);
    if (is_first && !fresh) read_ratios(step);
    if (is_first && last) warp_.arrive(Table::kPassDone.first);
  }

  void wait_key(int tile) { warp_.wait(Table::kFullKey.first + tile, keys_[tile]++); }
  void wait_value(int tile) { warp_.wait(Table::kFullValue.first + tile, values_[tile]++); }
  void wait_stage() { warp_.wait(Table::kFullStage.first + stages_ % kStagesAhead, stages_ / kStagesAhead); }
  void take_stage(int step) {
    wait_stage();
    read_queries(step);
    warp_.arrive(Table::kEmptyStage.first + stages_++ % kStagesAhead);
  }
  /// Short-axis row of position `position` on a step of this pass.
  int row(int position, int step) const {
    const int t = (pass_ % 2 ? last_step() - step : step) * launch_.per_stage();
    return position - t - (launch_.split ? group_ : 0);
  }
  void read_queries(int step) {
    warp_.read(query(item_ % launch_.query_buffers), query_content(item_, launch_.prepares_query));
    for (int p = 0; p < launch_.positions; ++p)
      warp_.read(ring_key(launch_, row(p, step)), row_content(item_, row(p, step)));
  }
  void read_ratios(int step) {
    for (int p = 0; p < launch_.positions; ++p)
      warp_.read(ring_ratio(launch_, row(p, step)), ratio_content(item_, row(p, step), pass_));
  }

  // Split steps: warpgroup 1 hands its sums to warpgroup 0, half of them at a time.
  int area() const { return merge_area(number_ % (launch_.consumers / 2)); }
  void give() {
    if (item_ > 0) warp_.wait(Table::kMergeFree.first, item_ - 1);
    warp_.write(area(), 2 * item_);
    warp_.arrive(Table::kMergeFull.first);
    warp_.wait(Table::kMergeTaken.first, item_);
    warp_.write(area(), 2 * item_ + 1);
    warp_.arrive(Table::kMergeFull.first);
  }
  void take() {
    warp_.wait(Table::kMergeFull.first, 2 * item_);
    warp_.read(area(), 2 * item_);
    warp_.arrive(Table::kMergeTaken.first);
    warp_.wait(Table::kMergeFull.first, 2 * item_ + 1);
    warp_.read(area(), 2 * item_ + 1);
    warp_.arrive(Table::kMergeFree.first);
  }

  const Launch& launch_;
  int number_, group_;
  Warp warp_;
  int item_ = 0, pass_ = 0, stages_ = 0, turned_ = 0;
  int keys_[kMostResidentTiles] = {}, values_[kMostResidentTiles] = {};
};

std::vector<Warp> roles(const Launch& launch) {
  std::vector<Warp> warps = {copier(launch)};
  for (int n = 0; n < launch.shorts; ++n) warps.push_back(ShortAxisModel(launch, n).run());
  for (int n = 0; n < launch.consumers; ++n) warps.push_back(ConsumerModel(launch, n).run());
  return warps;
}
std::string prove(const Launch& launch) { return bench::prove(roles(launch), arrivals_of(launch)); }
/// One warp of each role: all that split steps and turns add is between consumers.
std::string search(Launch launch) {
  launch.consumers = launch.shorts = 1;
  std::vector<int> arrivals = arrivals_of(launch);
  for (int& count : arrivals) count = 1;
  return bench::search(roles(launch), arrivals);
}

/// Instances as far as barriers go.
std::vector<Launch> launches() {
  std::vector<Launch> all;
  for (const bool prepares : {false, true}) {
    for (const int buffers : {1, 2}) {
      all.push_back({.query_buffers = buffers, .prepares_query = prepares, .split = true});
      all.push_back({.query_buffers = buffers, .prepares_query = prepares, .turns = true});
    }
    all.push_back({.resident = 3, .query_buffers = 1, .prepares_query = prepares});
  }
  all.push_back({.prepares_query = true, .query_early = true, .split = true});
  all.push_back({.prepares_query = true, .query_early = true, .turns = true});
  return all;
}

/// Two or three items of every count of tiles and steps that differ in what they do. A problem's items have one step
/// all, or those at the sequence's begin alone, which then have one tile.
template <typename Visit>
void for_each_list(const Launch& launch, const Visit& visit) {
  const int most = 2 * launch.resident + 2;
  for (int tiles = 1; tiles <= most; ++tiles) {
    for (int other = 1; other <= most; ++other) {
      visit(std::vector<Item>{{tiles, 1}, {other, 1}, {tiles, 1}});
      for (const int steps : {2, 3, 7}) {
        visit(std::vector<Item>{{tiles, steps}, {other, steps}, {other, std::min(steps, 4)}, {1, 1}, {1, 1}});
      }
    }
  }
}

TEST(HopperBarriers, no_order_of_the_roles_hangs_overtakes_or_races) {
  int lists = 0;
  for (Launch launch : launches()) {
    for_each_list(launch, [&](const std::vector<Item>& items) {
      launch.items = items;
      ++lists;
      ASSERT_EQ(prove(launch), "") << items[0].tiles << " and " << items[1].tiles << " tiles, " << items[0].steps
                                   << " steps, " << launch.resident << " resident, split " << launch.split;
    });
  }
  EXPECT_GT(lists, 1000);
}

TEST(HopperBarriers, every_order_of_one_warp_a_role_ends) {
  for (const int resident : {2, 3}) {
    for (const int buffers : {1, 2}) {
      for (const int steps : {1, 2, 3}) {
        for (int tiles = 1; tiles <= 2 * resident + 1; ++tiles) {
          Launch launch{.resident = resident, .query_buffers = buffers};
          launch.items = {{tiles, steps}, {tiles, steps}, {1, 1}};
          if (steps == 1) launch.items.pop_back();
          ASSERT_EQ(search(launch), "") << tiles << " tiles, " << steps << " steps, " << resident << " resident";
        }
      }
    }
  }
}

// 1024x1 of 4096 tokens hung so.
TEST(HopperBarriers, waits_for_passes_of_one_step_would_hang) {
  Launch launch;
  launch.old_waits = true;
  launch.items = {{8, 1}, {8, 1}};
  EXPECT_THAT(prove(launch), HasSubstr("its parity waits for ever"));
  EXPECT_THAT(search(launch), HasSubstr("stuck: short 0 waits"));
  launch.items = {{2, 1}, {2, 1}};
  EXPECT_EQ(prove(launch), "") << "one pass an item";
}

// The model sees what it is there for.
TEST(HopperBarriers, the_model_finds_planted_faults) {
  Launch launch;
  launch.items = {{4, 9}, {4, 9}};
  const std::vector<Warp> right = roles(launch);
  const auto without = [&](std::size_t warp, bench::Operation::Kind kind, int barrier) {
    std::vector<Warp> warps = right;
    auto& operations = warps[warp].operations;
    const auto found = std::find_if(operations.begin(), operations.end(), [&](const bench::Operation& operation) {
      return operation.kind == kind && operation.what == barrier;
    });
    EXPECT_NE(found, operations.end());
    operations.erase(found);
    return bench::prove(warps, arrivals_of(launch));
  };
  using Kind = bench::Operation::Kind;
  for (const BarrierRow& row : {Table::kEmptyKey, Table::kEmptyValue}) EXPECT_NE(without(0, Kind::wait, row.first), "");
  EXPECT_NE(without(3, Kind::wait, Table::kEmptyStage.first), "");
  EXPECT_NE(without(1, Kind::wait, Table::kPassDone.first), "");
  for (const BarrierRow& row : {Table::kFullKey, Table::kFullValue, Table::kFullStage, Table::kTurned}) {
    for (std::size_t consumer = 4; consumer < right.size(); ++consumer)
      EXPECT_NE(without(consumer, Kind::wait, row.first), "");
  }
  for (const BarrierRow& row : {Table::kEmptyKey, Table::kEmptyValue, Table::kEmptyStage, Table::kPassDone})
    EXPECT_THAT(without(6, Kind::arrive, row.first), HasSubstr("waits for ever"));
}

}  // namespace
}  // namespace triscope::hopper
