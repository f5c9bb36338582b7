// The barriers of the Hopper backward (kernels/cuda/hopper/backward/kernel/barrier_table.hpp) in every order in which
// its roles can run. The roles are written down here once more, as what they wait for, arrive at, read and write
// (helpers.cuh, consumer.cuh, epilogue.cuh): who changes one of them changes it here.
//
// This stands in for compute-sanitizer's racecheck, which does not follow mbarriers and reports on right kernels.
//
// What the model takes from the machine: a warpgroup's WGMMA are issued, and are over, for all of its warps or for
// none. So each wait for WGMMA is a meeting of the warpgroup's warps, and what the products read is read before it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/hopper/backward/kernel/barrier_table.hpp"
#include "tests/cuda/barrier_model.hpp"

namespace triscope::hopper::backward {
namespace {

using bench::Warp;
using testing::HasSubstr;
using Table = BarrierTable;

// bar.sync and products follow the mbarriers: of each warpgroup one for each product.
// NOLINTNEXTLINE(readability-identifier-naming): numbers of barriers, as the constants below
enum Product { kS, kDp, kDv, kDk, kDq, kProductCount };
constexpr int kAll = Table::kEmptyItem.end(), kOwn = kAll + 1, kProducts = kOwn + 2;
constexpr int kBarriers = kProducts + 2 * kProductCount;

/// Warps of a warpgroup, and the tiles of each of a CTA's work items.
struct Launch {
  std::vector<int> items;
  int warps = kConsumerWarps / 2;
  bool deterministic = false;

  int grad_o_stages() const { return deterministic ? kFewStages : kStages; }
};

std::vector<int> arrivals_of(const Launch& launch) {
  std::vector<int> arrivals(kBarriers, 0);
  const auto row = [&](const BarrierRow& one, int count) {
    for (int n = one.first; n < one.end(); ++n) arrivals[static_cast<std::size_t>(n)] = count;
  };
  for (const BarrierRow& one :
       {Table::kFullQuery, Table::kFullGradO, Table::kEmpty, Table::kFullGrad, Table::kEmptyStaged, Table::kFullItem})
    row(one, one.arrivals);
  for (const BarrierRow& one : {Table::kEmptyGrad, Table::kWrittenGrad, Table::kFullStaged, Table::kEmptyGradO})
    row(one, one.arrivals * 2 * launch.warps / kConsumerWarps);
  row(Table::kEmptyItem, Table::kEmptyItem.arrivals - kConsumerWarps + 2 * launch.warps);
  arrivals[kAll] = 2 * launch.warps;
  for (int n = kOwn; n < kBarriers; ++n) arrivals[static_cast<std::size_t>(n)] = launch.warps;
  return arrivals;
}

// --- memory: a number for each piece --------------------------------------------------------------------------------

int query(int stage) { return stage; }
int grad_o(int stage) { return 10 + stage; }
int lse(int stage) { return 20 + stage; }
int delta(int stage) { return 30 + stage; }
int grads(int tile, int warp) { return 100 + 10 * tile + warp; }  ///< of ds: the rows of one consumer warp
int staged(int warp) { return 200 + warp; }                       ///< of dq
constexpr int kSumsOfKeys = -2, kSumsOfValues = -3;               ///< contents that take the place of others
int folded(int part) { return 300 + part; }  ///< of KK and VV: parts 2 n, 2 n + 1 are written by consumer warp n
int row_ranges(int warp) { return 400 + warp; }
int item(int slot) { return 500 + slot; }

// --- roles -----------------------------------------------------------------------------------------------------------

/// number_items: one more than there are.
Warp numberer(const Launch& launch) {
  Warp warp{"numberer", {}};
  for (int n = 0; n <= static_cast<int>(launch.items.size()); ++n) {
    if (n >= kItems) warp.wait(Table::kEmptyItem.first + n % kItems, n / kItems - 1);
    warp.write(item(n % kItems), n);
    warp.arrive(Table::kFullItem.first + n % kItems);
  }
  return warp;
}
/// Items of memory.cuh.
void read_item(Warp& warp, int n) {
  warp.wait(Table::kFullItem.first + n % kItems, n / kItems);
  warp.read(item(n % kItems), n);
  warp.arrive(Table::kEmptyItem.first + n % kItems);
}

/// copy_tiles. A copy writes before its barrier completes: its arrival stands for both.
Warp copier(const Launch& launch) {
  Warp warp{"copier", {}};
  int tile = 0, number = 0;
  for (const int tiles : launch.items) {
    read_item(warp, number++);
    for (int t = 0; t < tiles; ++t, ++tile) {
      const int slot = tile % kStages, stages = launch.grad_o_stages(), grad_slot = tile % stages;
      if (tile >= kStages) warp.wait(Table::kEmpty.first + slot, tile / kStages - 1);
      warp.write(query(slot), tile);
      warp.write(lse(slot), tile);
      warp.arrive(Table::kFullQuery.first + slot);
      if (launch.deterministic && tile >= stages) warp.wait(Table::kEmptyGradO.first + grad_slot, tile / stages - 1);
      warp.write(grad_o(grad_slot), tile);
      warp.write(delta(grad_slot), tile);
      warp.arrive(Table::kFullGradO.first + grad_slot);
    }
  }
  read_item(warp, number);
  return warp;
}

class HelperModel {
 public:
  HelperModel(const Launch& launch, int group)
      : launch_(launch), group_(group), warp_{"helper " + std::to_string(group), {}} {}

  Warp run() {
    int number = 0;
    for (const int tiles : launch_.items) {
      read_item(warp_, number++);
      for (int t = 0; t < tiles; ++t) {
        if (t > 1) add();
        publish();
        if (t > 1) release();
      }
      if (tiles > 1) {
        add();
        release();
      }
      add();
      release();
    }
    read_item(warp_, number);
    return warp_;
  }

 private:
  int first_warp() const { return group_ * launch_.warps; }
  void publish() {
    const int slot = tile_ % kGradTiles;
    warp_.wait(Table::kWrittenGrad.first + kGradTiles * group_ + slot, tile_ / kGradTiles);
    warp_.arrive(Table::kFullGrad.first + kGradTiles * group_ + slot);
    ++tile_;
  }
  /// The bulk copy begins to read, and has read when `release` returns from its wait.
  void add() {
    warp_.wait(Table::kFullStaged.first + group_, added_);
    read_staged();
  }
  void release() {
    read_staged();
    ++added_;
    warp_.arrive(Table::kEmptyStaged.first + group_);
  }
  void read_staged() {
    for (int n = 0; n < launch_.warps; ++n) warp_.read(staged(first_warp() + n), added_);
  }

  const Launch& launch_;
  int group_;
  Warp warp_;
  int tile_ = 0, added_ = 0;
};

/// consumer.cuh, warp `number` of both warpgroups.
class ConsumerModel {
 public:
  ConsumerModel(const Launch& launch, int number)
      : launch_(launch),
        number_(number),
        group_(number / launch.warps),
        warp_{"consumer " + std::to_string(number), {}} {}

  Warp run() {
    read_item(warp_, 0);
    for (item_ = 0; item_ < static_cast<int>(launch_.items.size()); ++item_) {
      const int tiles = launch_.items[static_cast<std::size_t>(item_)];
      begin();
      for (int t = 0; t < tiles; ++t) step(t);
      drain(tiles);
      end();
    }
    return warp_;
  }

 private:
  int warps() const { return 2 * launch_.warps; }
  int stages() const { return launch_.grad_o_stages(); }
  int before() const { return tile_ - 1; }  ///< number of the last tile, over the life of the CTA

  void begin() {
    if (item_ > 0) read_sums_of_keys();  // the bulk copy that adds them has read them
    warp_.meet(kAll);
    for (const int part : {2 * number_, 2 * number_ + 1}) warp_.write(folded(part), item_);
    if (group_ == 0) warp_.write(row_ranges(number_), item_);
    warp_.meet(kAll);
    read_row_ranges();
  }
  void read_row_ranges() {
    for (int n = 0; n < launch_.warps; ++n) warp_.read(row_ranges(n), item_);
  }
  void read_folded() {
    for (int part = 0; part < 2 * warps(); ++part) warp_.read(folded(part), item_);
  }
  int product(Product which) const { return kProducts + group_ * kProductCount + which; }
  void issued(Product which) { warp_.arrive(product(which)); }
  void finish(Product which) { warp_.wait(product(which), finished_[which]++); }

  void wait_for_grads() {
    for (int group = 0; group < 2; ++group)
      warp_.wait(Table::kFullGrad.first + kGradTiles * group + read_ % kGradTiles, read_ / kGradTiles);
  }
  void issue_scores() {
    warp_.read(query(tile_ % kStages), tile_);
    read_folded();
    issued(kS);
  }
  void issue_grad_probabilities() {
    warp_.read(grad_o(tile_ % stages()), tile_);
    read_folded();
    issued(kDp);
  }
  /// Of both warpgroups' ds and of KK. (On an item's second tile it is issued as well, and nobody takes the result.)
  void issue_grad_query() {
    for (int n = 0; n < warps(); ++n) warp_.read(grads(read_ % kGradTiles, n), read_);
    read_folded();
    issued(kDq);
  }
  void issue_grad_values() {
    warp_.read(grad_o(before() % stages()), before());
    issued(kDv);
  }
  void issue_grad_keys() {
    warp_.read(query(before() % kStages), before());
    for (int n = 0; n < launch_.warps; ++n)
      warp_.read(grads(before() % kGradTiles, group_ * launch_.warps + n), before());
    issued(kDk);
  }
  void wait_for_own_grads() {
    warp_.wait(Table::kFullGrad.first + kGradTiles * group_ + before() % kGradTiles, before() / kGradTiles);
  }
  void take_grad_query() {
    warp_.arrive(Table::kEmptyGrad.first + read_ % kGradTiles);
    if (taken_ > 0) warp_.wait(Table::kEmptyStaged.first + group_, taken_ - 1);
    warp_.write(staged(number_), taken_++);
    warp_.arrive(Table::kFullStaged.first + group_);
    ++read_;
  }
  void release_stage() {
    if (number_ % launch_.warps == 0) warp_.arrive(Table::kEmpty.first + before() % kStages);
  }
  void release_grad_o() {
    if (launch_.deterministic) warp_.arrive(Table::kEmptyGradO.first + before() % stages());
  }

  void step(int t) {
    const int slot = tile_ % kStages, written = tile_ % kGradTiles;
    warp_.wait(Table::kFullQuery.first + slot, tile_ / kStages);
    if (t > 1) wait_for_grads();
    issue_scores();
    if (t > 1) issue_grad_query();
    if (t > 0) issue_grad_values();
    finish(kS);
    read_row_ranges();
    if (t > 1) {
      finish(kDq);
      take_grad_query();
    }
    warp_.read(lse(slot), tile_);
    warp_.wait(Table::kFullGradO.first + tile_ % stages(), tile_ / stages());
    issue_grad_probabilities();
    if (t > 0) {
      wait_for_own_grads();
      issue_grad_keys();
      finish(kDv);
      release_grad_o();
    }
    if (tile_ >= kGradTiles) warp_.wait(Table::kEmptyGrad.first + written, tile_ / kGradTiles - 1);
    finish(kDp);
    if (t == 0) {
      if (item_ > 0) read_sums_of_values();
      warp_.meet(kOwn + group_);
    }
    warp_.read(delta(tile_ % stages()), tile_);
    warp_.write(grads(written, number_), tile_);
    warp_.arrive(Table::kWrittenGrad.first + kGradTiles * group_ + written);
    if (t > 0) {
      finish(kDk);
      release_stage();
    }
    ++tile_;
  }

  void drain(int tiles) {
    if (tiles > 1) wait_for_grads();
    wait_for_own_grads();
    if (tiles > 1) issue_grad_query();
    issue_grad_values();
    issue_grad_keys();
    if (tiles > 1) finish(kDq);
    finish(kDv);
    finish(kDk);
    release_stage();
    release_grad_o();
    if (tiles > 1) take_grad_query();
    wait_for_grads();
    issue_grad_query();
    read_item(warp_, item_ + 1);
    finish(kDq);
    take_grad_query();
  }

  /// Sums of keys are staged where KK was (warpgroup 0) and VV (warpgroup 1), a warp's own rows; then those of values
  /// in its warpgroup's halves of the tiles of ds, warp n in tile n, and, where a warp is left over, in its staged dq.
  /// Bulk copies read both until the next item is under way; nothing else may happen there before.
  void end() {
    warp_.meet(kAll);
    for (const int part : own_staged_parts()) warp_.write(folded(part), kSumsOfKeys);
    read_sums_of_keys();
    if (in_staged()) warp_.wait(Table::kEmptyStaged.first + group_, taken_ - 1);
    for (const int place : places_of_values()) warp_.write(place, kSumsOfValues);
    read_sums_of_values();
  }
  void read_sums_of_keys() {
    for (const int part : own_staged_parts()) warp_.read(folded(part), kSumsOfKeys);
  }
  void read_sums_of_values() {
    for (const int place : places_of_values()) warp_.read(place, kSumsOfValues);
  }
  bool in_staged() const { return number_ % launch_.warps >= kGradTiles; }
  /// Both are as large as what all four warps of the warpgroup keep there.
  std::vector<int> places_of_values() const {
    std::vector<int> places;
    for (int n = 0; n < launch_.warps; ++n) {
      const int warp = group_ * launch_.warps + n;
      places.push_back(in_staged() ? staged(warp) : grads(number_ % launch_.warps, warp));
    }
    return places;
  }
  std::vector<int> own_staged_parts() const {
    const int first = 2 * (group_ * launch_.warps + number_ % launch_.warps);
    return {first, first + 1};
  }

  const Launch& launch_;
  int number_, group_;
  Warp warp_;
  int item_ = 0, tile_ = 0, read_ = 0, taken_ = 0;
  int finished_[kProductCount] = {};
};

std::vector<Warp> roles(const Launch& launch) {
  std::vector<Warp> warps = {copier(launch), HelperModel(launch, 0).run(), HelperModel(launch, 1).run()};
  for (int n = 0; n < 2 * launch.warps; ++n) warps.push_back(ConsumerModel(launch, n).run());
  warps.push_back(numberer(launch));
  return warps;
}
std::string prove(const Launch& launch) { return bench::prove(roles(launch), arrivals_of(launch)); }

TEST(HopperBackwardBarriers, no_order_of_the_roles_hangs_overtakes_or_races) {
  for (int first = 1; first <= 8; ++first) {
    for (int second = 1; second <= 8; ++second)
      for (const bool deterministic : {false, true}) {
        const Launch launch{{first, second, first}, kConsumerWarps / 2, deterministic};
        ASSERT_EQ(prove(launch), "") << first << " and " << second << " tiles, deterministic " << deterministic;
      }
  }
  EXPECT_EQ(prove({{64, 1, 33, 2}}), "");
  EXPECT_EQ(prove({{64, 1, 33, 2}, kConsumerWarps / 2, true}), "");
}

TEST(HopperBackwardBarriers, every_order_of_one_warp_a_warpgroup_ends) {
  for (const std::vector<int>& items : std::vector<std::vector<int>>{{1, 1}, {2, 1}, {3, 2}, {5}}) {
    for (const bool deterministic : {false, true}) {
      const Launch launch{items, 1, deterministic};
      EXPECT_EQ(bench::search(roles(launch), arrivals_of(launch)), "") << items[0] << " tiles first";
    }
  }
}

// The model sees what it is there for.
TEST(HopperBackwardBarriers, the_model_finds_sums_that_are_overwritten_before_they_have_left) {
  const Launch launch{{4, 4}};
  for (const int group : {0, 1}) {
    std::vector<Warp> warps = roles(launch);
    for (Warp& warp : warps) {
      std::erase_if(warp.operations, [&](const bench::Operation& operation) {
        return operation.kind == bench::Operation::Kind::meet && operation.what == kOwn + group;
      });
    }
    EXPECT_NE(bench::prove(warps, arrivals_of(launch)), "");
  }
}

TEST(HopperBackwardBarriers, the_model_finds_planted_faults_of_the_deterministic_backward) {
  const Launch launch{{7, 6, 1, 5}, kConsumerWarps / 2, true};
  const std::vector<Warp> right = roles(launch);
  for (std::size_t role = 0; role < right.size(); ++role) {
    std::vector<Warp> warps = right;
    const auto removed = std::erase_if(warps[role].operations, [&](const bench::Operation& operation) {
      return operation.kind <= bench::Operation::Kind::wait && operation.what == Table::kEmptyGradO.first;
    });
    const bool takes_part = role == 0 || (role > 2 && role + 1 < right.size());  // the copier waits, consumers arrive
    EXPECT_EQ(removed > 0, takes_part) << right[role].name;
    EXPECT_NE(bench::prove(warps, arrivals_of(launch)).empty(), takes_part) << right[role].name;
  }
}

TEST(HopperBackwardBarriers, the_model_finds_planted_faults) {
  const Launch launch{{7, 6, 1, 5}};
  const std::vector<Warp> right = roles(launch);
  using Kind = bench::Operation::Kind;
  const auto without = [&](std::size_t warp, Kind kind, int barrier) {
    std::vector<Warp> warps = right;
    auto& operations = warps[warp].operations;
    const auto found = std::find_if(operations.begin(), operations.end(), [&](const bench::Operation& operation) {
      return operation.kind == kind && operation.what == barrier;
    });
    EXPECT_NE(found, operations.end());
    operations.erase(found);
    return bench::prove(warps, arrivals_of(launch));
  };
  constexpr std::size_t kCopier = 0, kFirstHelper = 1, kFirstConsumer = 3;
  EXPECT_NE(without(kCopier, Kind::wait, Table::kEmpty.first), "");
  for (int group = 0; group < 2; ++group) {
    const std::size_t helper = kFirstHelper + static_cast<std::size_t>(group);
    EXPECT_NE(without(helper, Kind::wait, Table::kWrittenGrad.first + kGradTiles * group), "");
    EXPECT_NE(without(helper, Kind::wait, Table::kFullStaged.first + group), "");
    EXPECT_THAT(without(helper, Kind::arrive, Table::kEmptyStaged.first + group), HasSubstr("waits for ever"));
  }
  const std::size_t numberer = right.size() - 1;
  EXPECT_NE(without(numberer, Kind::wait, Table::kEmptyItem.first), "");
  for (std::size_t reader = 0; reader < numberer; ++reader) {
    EXPECT_NE(without(reader, Kind::wait, Table::kFullItem.first), "");
    EXPECT_THAT(without(reader, Kind::arrive, Table::kEmptyItem.first), HasSubstr("waits for ever"));
  }
  for (std::size_t consumer = kFirstConsumer; consumer < numberer; ++consumer) {
    const int group = static_cast<int>(consumer - kFirstConsumer) / launch.warps;
    for (const int barrier :
         {Table::kFullQuery.first, Table::kFullGradO.first, Table::kEmptyGrad.first,
          Table::kFullGrad.first + kGradTiles * (1 - group), Table::kEmptyStaged.first + group, kAll})
      EXPECT_NE(without(consumer, barrier == kAll ? Kind::meet : Kind::wait, barrier), "") << barrier;
    for (const int barrier :
         {Table::kEmptyGrad.first, Table::kWrittenGrad.first + kGradTiles * group, Table::kFullStaged.first + group})
      EXPECT_THAT(without(consumer, Kind::arrive, barrier), HasSubstr("waits for ever"));
  }
}

}  // namespace
}  // namespace triscope::hopper::backward
