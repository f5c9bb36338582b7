// A model of warps that meet at mbarriers: each warp is a list of operations, known beforehand, and what is asked is
// whether any order in which the warps can run goes wrong.
//
// `prove` answers for any number of warps without trying orders. It runs the warps once with waits that are exact, each
// for its own phase, and keeps for every operation what must have happened before it (vector clocks). If every wait
// then finds its barrier in its own phase or the one before, whatever the order, a wait by parity is as good as an
// exact one, and no order of the real machine differs from the run. Two accesses to the same memory, one of them a
// write, must follow one another in every order, and each read must find what it is for.
//
// `search` tries all orders of few warps with waits by parity, as the machine has them, and finds those that get stuck.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace triscope::bench {

struct Operation {
  enum class Kind {
    arrive,  ///< at barrier `what`
    wait,    ///< at barrier `what`, for phase `value`
    meet,    ///< arrive, and wait for that phase: bar.sync, which counts generations, not parities
    read,    ///< memory `what`, which must hold `value`
    write,   ///< memory `what`, which then holds `value`
  };
  Kind kind;
  int what;
  int value = 0;
};

/// One warp, in the order of its program.
struct Warp {
  std::string name;
  std::vector<Operation> operations;

  void arrive(int barrier) { operations.push_back({Operation::Kind::arrive, barrier}); }
  void wait(int barrier, int phase) { operations.push_back({Operation::Kind::wait, barrier, phase}); }
  void meet(int barrier) { operations.push_back({Operation::Kind::meet, barrier}); }
  void read(int memory, int value) { operations.push_back({Operation::Kind::read, memory, value}); }
  void write(int memory, int value) { operations.push_back({Operation::Kind::write, memory, value}); }
};

/// What can go wrong, in words; empty: nothing can, in any order. `arrivals`: of each barrier, for a phase. Every warp
/// that arrives at a barrier arrives once a phase.
std::string prove(const std::vector<Warp>& warps, const std::vector<int>& arrivals);

/// What one of the possible orders runs into, of at most `most` states; empty: all of them end.
std::string search(const std::vector<Warp>& warps, const std::vector<int>& arrivals, std::size_t most = 2'000'000);

}  // namespace triscope::bench
