// The named barriers of the backward by virtual queries (kernels/cuda/hopper/backward/kernel/query_barriers.hpp) in
// every order in which its two sides can run. The sides are written down here once more, as whom they tell and wait
// for, what they read and write (virtual_queries.cuh, query_side.cuh): who changes one of them changes it here.
//
// What the model takes from the machine is what hopper_backward_barriers_test.cpp takes. A product reads from its issue
// to the wait for it; a copy writes from its issue to wait_copies.
#include "kernels/cuda/hopper/backward/kernel/query_barriers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cuda/barrier_model.hpp"

namespace triscope::hopper::backward {
namespace {

using bench::Operation;
using bench::Warp;
using Barrier = QueryBarrier;

enum Product { kFirst, kOver, kSums, kLate, kProductCount };  // S or dP; A or B; dv or dk; the values' part of dk
constexpr int kProducts = Barrier::kCount, kBarriers = kProducts + 2 * kProductCount;
constexpr int kSlots = 66, kRows = 64, kInFlight = -1;

/// Steps of each of a block's tiles, and warps of a side.
struct Launch {
  std::vector<int> tiles;
  int warps = 4;
  bool one_for_both_stages = false;  ///< of O: not as it is
};

// Memory: a number for each piece. `side`: 0 values, 1 keys; `warp`: of that side, which alone writes the piece.
int made_rows(int side, int stage, int warp) { return 100 + 20 * side + 10 * stage + warp; }  // O, Q
int weights(int side, int warp) { return 200 + 20 * side + warp; }                            // p, ds
int tile_rows(int side, int warp) { return 300 + 20 * side + warp; }                          // do, q
int short_row(int side, int slot) { return 400 + 100 * side + slot; }
int met(int barrier, int warp) { return 700 + 20 * barrier + warp; }  // how often a warp has waited there

std::vector<int> arrivals_of(const Launch& launch) {
  std::vector<int> arrivals(kBarriers, launch.warps);
  for (int n = 0; n < Barrier::kOwn; ++n) arrivals[static_cast<std::size_t>(n)] = 2 * launch.warps;
  return arrivals;
}

/// A warp of one side.
class Side {
 public:
  Side(const Launch& launch, int side, int warp)
      : launch_(launch),
        side_(side),
        number_(warp),
        warp_{(side == 0 ? "values " : "keys ") + std::to_string(warp), {}} {}

  Warp run() {
    for (const int steps : launch_.tiles) {
      load_rows();
      warp_.meet(Barrier::kOwn + side_);
      make_rows(0);
      tell(side_ == 0 ? of_grad_rows(0) : Barrier::kRowsThere);
      for (int o = 0; o < steps; ++o) side_ == 0 ? step_of_values(o, steps) : step_of_keys(o, steps);
      if (side_ == 0) {
        tell(Barrier::kTileDone);
        warp_.meet(Barrier::kOwn);
      } else {
        wait(Barrier::kTileDone);
      }
      first_step_ += steps;
      ++tile_;
    }
    return warp_;
  }

 private:
  // --- meeting the other side

  /// Whoever tells again must have been met by all before.
  void tell(int barrier) {
    const int before = told_[barrier]++;
    if (before > 0) {
      for (int n = 0; n < launch_.warps; ++n) warp_.read(met(barrier, n), before - 1);
    }
    warp_.arrive(barrier);
  }
  void wait(int barrier) {
    warp_.meet(barrier);
    warp_.write(met(barrier, number_), told_[barrier]++);
  }

  int of_grad_rows(int o) const { return Barrier::kGradRowsThere + (launch_.one_for_both_stages ? 0 : o & 1); }

  // --- rows

  /// A short position of the tile, counted from its first query.
  int content(int position) const { return 1000 * (tile_ + 1) + position; }
  static int slot_of(int position) { return (position % kSlots + kSlots) % kSlots; }
  void copy(int position) {
    warp_.write(short_row(side_, slot_of(position)), kInFlight);
    copied_.push_back(position);
  }
  void wait_copies() {
    for (const int position : copied_) warp_.write(short_row(side_, slot_of(position)), content(position));
    copied_.clear();
  }
  void load_rows() {
    warp_.write(tile_rows(side_, number_), tile_);
    for (int row = number_; row < kRows; row += launch_.warps) copy(row);
    if (number_ == 0) copy(-1);
    wait_copies();
  }
  void read_tile_rows() {
    for (int n = 0; n < launch_.warps; ++n) warp_.read(tile_rows(side_, n), tile_);
  }
  void make_rows(int o) {
    read_tile_rows();
    for (int row = 1 - o; row < kRows - o; row += 2) warp_.read(short_row(side_, slot_of(row)), content(row));
    warp_.write(made_rows(side_, o & 1, number_), first_step_ + o);
  }
  void load_short_row(int o, int steps) {
    if (o + 3 < steps && number_ == 0) copy(-o - 2);
  }

  // --- products

  void read_rows(int of, int o) {
    for (int n = 0; n < launch_.warps; ++n) warp_.read(made_rows(of, o & 1, n), first_step_ + o);
  }
  void read_weights(int of, int o) {
    for (int n = 0; n < launch_.warps; ++n) warp_.read(weights(of, n), first_step_ + o);
  }
  void read_operands(Product which, int o) {
    if (which == kFirst) read_rows(1 - side_, o);
    if (which == kOver || which == kSums) read_weights(side_, o);
    if (which == kSums) read_rows(side_, o);
    if (which == kLate) {
      read_weights(1, o);
      read_rows(1, o);
    }
  }
  int product(Product which) const { return kProducts + side_ * kProductCount + which; }
  void issue(Product which, int o) {
    read_operands(which, o);
    warp_.arrive(product(which));
  }
  void finish(Product which, int o) {
    read_operands(which, o);
    warp_.wait(product(which), finished_[which]++);
  }

  // --- steps

  void step_of_values(int o, int steps) {
    wait(Barrier::kRowsThere);
    issue(kFirst, o);
    finish(kFirst, o);
    warp_.write(weights(0, number_), first_step_ + o);
    wait_copies();
    tell(Barrier::kPThere);
    if (o + 1 < steps) {
      make_rows(o + 1);
      tell(of_grad_rows(o + 1));
    }
    warp_.meet(Barrier::kOwn);
    issue(kOver, o);
    issue(kSums, o);
    load_short_row(o, steps);
    finish(kOver, o);
    read_tile_rows();
    wait(Barrier::kDsThere);
    issue(kLate, o);
    finish(kSums, o);
    finish(kLate, o);
  }

  void step_of_keys(int o, int steps) {
    wait(of_grad_rows(o));
    issue(kFirst, o);
    wait(Barrier::kPThere);
    finish(kFirst, o);
    warp_.read(weights(0, number_), first_step_ + o);
    warp_.write(weights(1, number_), first_step_ + o);
    wait_copies();
    if (o + 1 < steps) make_rows(o + 1);
    tell(Barrier::kDsThere);
    if (o + 1 < steps) tell(Barrier::kRowsThere);
    warp_.meet(Barrier::kOwn + 1);
    issue(kOver, o);
    issue(kSums, o);
    load_short_row(o, steps);
    finish(kOver, o);
    read_tile_rows();
    for (int row = 1 - o; row < kRows - o; row += 2) warp_.read(short_row(1, slot_of(row)), content(row));
    finish(kSums, o);
  }

  const Launch& launch_;
  int side_, number_;
  Warp warp_;
  int tile_ = 0, first_step_ = 0;
  std::vector<int> copied_;
  int told_[Barrier::kCount] = {}, finished_[kProductCount] = {};
};

std::vector<Warp> sides(const Launch& launch) {
  std::vector<Warp> warps;
  for (int side = 0; side < 2; ++side)
    for (int n = 0; n < launch.warps; ++n) warps.push_back(Side(launch, side, n).run());
  return warps;
}

TEST(QueryBarriers, no_order_of_the_sides_hangs_overtakes_or_races) {
  for (int first = 2; first <= 6; ++first) {
    for (int second = 2; second <= 6; ++second) {
      const Launch launch{{first, second, first}};
      ASSERT_EQ(bench::prove(sides(launch), arrivals_of(launch)), "") << first << " and " << second << " steps";
    }
  }
}

// Short rows go around their slots more than once.
TEST(QueryBarriers, no_order_of_many_steps_does) {
  const Launch launch{{140, 33}, 2};
  EXPECT_EQ(bench::prove(sides(launch), arrivals_of(launch)), "");
}

// The model sees what it is there for: a side that does not wait, or waits without the other's having told it.
TEST(QueryBarriers, the_model_finds_each_wait_that_is_missing) {
  const Launch launch{{5, 4}};
  for (int barrier = Barrier::kTileDone; barrier < Barrier::kCount; ++barrier) {
    std::vector<Warp> warps = sides(launch);
    for (Warp& warp : warps) {
      std::erase_if(warp.operations, [](const Operation& operation) {
        const int first = met(0, 0), end = met(Barrier::kCount, 0);
        return operation.kind >= Operation::Kind::read && operation.what >= first && operation.what < end;
      });
      for (Operation& operation : warp.operations)
        if (operation.kind == Operation::Kind::meet && operation.what == barrier)
          operation.kind = Operation::Kind::arrive;
    }
    EXPECT_NE(bench::prove(warps, arrivals_of(launch)), "") << "barrier " << barrier;
  }
}

TEST(QueryBarriers, the_model_finds_one_barrier_of_o_for_both_stages) {
  const Launch launch{{5, 4}, 4, true};
  EXPECT_NE(bench::prove(sides(launch), arrivals_of(launch)), "");
}

}  // namespace
}  // namespace triscope::hopper::backward
