#include "tests/cuda/barrier_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace triscope::bench {
namespace {

using Kind = Operation::Kind;

/// Of each warp, how many of its operations have happened before.
using Clock = std::vector<int>;

void join(Clock& clock, const Clock& other) {
  for (std::size_t n = 0; n < clock.size(); ++n) clock[n] = std::max(clock[n], other[n]);
}

/// An operation that took place: number `at` of `warp`, with what had happened before it, itself included.
struct Event {
  std::size_t warp;
  int at;
  Clock clock;

  bool before(const Event& other) const { return other.clock[warp] > at; }
};

/// The warps' one run with exact waits.
class Run {
 public:
  Run(const std::vector<Warp>& warps, const std::vector<int>& arrivals)
      : warps_(warps),
        arrivals_(arrivals),
        next_(warps.size(), 0),
        clocks_(warps.size(), Clock(warps.size(), 0)),
        arrived_(arrivals.size(), std::vector<std::vector<Event>>(warps.size())) {}

  std::string check() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
        while (wrong_.empty() && step(warp)) moved = true;
        if (!wrong_.empty()) return wrong_;
      }
    }
    for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
      if (next_[warp] < warps_[warp].operations.size()) return fmt::format("{} waits for ever", place(warp));
    }
    for (const auto& [wait, barrier, phase] : waits_) check_wait(wait, barrier, phase);
    return wrong_;
  }

 private:
  std::string place(std::size_t warp, int at = -1) const {
    const std::size_t n = at < 0 ? next_[warp] : static_cast<std::size_t>(at);
    const Operation& operation = warps_[warp].operations[n];
    return fmt::format("{} at its operation {} (barrier or memory {}, phase or content {})", warps_[warp].name, n,
                       operation.what, operation.value);
  }

  /// Arrivals of all phases up to `phase` have come; every warp that ever arrives does so once a phase.
  bool complete(int barrier, int phase) const {
    int count = 0;
    for (const auto& events : arrived_[static_cast<std::size_t>(barrier)])
      count += std::min(static_cast<int>(events.size()), phase + 1);
    return count >= (phase + 1) * arrivals_[static_cast<std::size_t>(barrier)];
  }

  Event happen(std::size_t warp) {
    const int at = static_cast<int>(next_[warp]++);
    clocks_[warp][warp] = at + 1;
    return {warp, at, clocks_[warp]};
  }

  void join_phase(std::size_t warp, int barrier, int phase) {
    for (const auto& events : arrived_[static_cast<std::size_t>(barrier)]) {
      if (static_cast<std::size_t>(phase) < events.size())
        join(clocks_[warp], events[static_cast<std::size_t>(phase)].clock);
    }
  }

  bool step(std::size_t warp) {
    if (next_[warp] == warps_[warp].operations.size()) return false;
    const Operation& operation = warps_[warp].operations[next_[warp]];
    auto& arrived = arrived_[operation.kind <= Kind::meet ? static_cast<std::size_t>(operation.what) : 0][warp];
    if (operation.kind == Kind::arrive) {
      arrived.push_back(happen(warp));
    } else if (operation.kind == Kind::wait) {
      if (!complete(operation.what, operation.value)) return false;
      clocks_[warp][warp] = static_cast<int>(next_[warp]) + 1;
      waits_.push_back({{warp, static_cast<int>(next_[warp]), clocks_[warp]}, operation.what, operation.value});
      join_phase(warp, operation.what, operation.value);
      happen(warp);
    } else if (operation.kind == Kind::meet) {
      const int generation = meets_[{operation.what, warp}];
      if (static_cast<int>(arrived.size()) <= generation) {
        clocks_[warp][warp] = static_cast<int>(next_[warp]) + 1;
        arrived.push_back({warp, static_cast<int>(next_[warp]), clocks_[warp]});
      }
      if (!complete(operation.what, generation)) return false;
      ++meets_[{operation.what, warp}];
      check_phase(operation.what, generation);
      join_phase(warp, operation.what, generation);
      happen(warp);
    } else {
      access(operation, happen(warp));
    }
    return true;
  }

  /// Nobody arrives for the phase after `phase` before all have arrived for it.
  void check_phase(int barrier, int phase) {
    const auto& all = arrived_[static_cast<std::size_t>(barrier)];
    for (const auto& later : all) {
      if (later.size() <= static_cast<std::size_t>(phase) + 1) continue;
      for (const auto& events : all) {
        for (std::size_t n = 0; n < std::min(events.size(), static_cast<std::size_t>(phase) + 1); ++n) {
          const Event& next = later[static_cast<std::size_t>(phase) + 1];
          if (events[n].warp != next.warp && !events[n].before(next))
            wrong_ = fmt::format("barrier {}: {} may arrive for phase {} before {}", barrier, place(next.warp, next.at),
                                 phase + 1, place(events[n].warp, events[n].at));
        }
      }
    }
  }

  /// A wait by parity tells `phase` from others: the one before it is over, and the one after it cannot be.
  void check_wait(const Event& wait, int barrier, int phase) {
    check_phase(barrier, phase);
    int until_then = 0;
    for (const auto& events : arrived_[static_cast<std::size_t>(barrier)]) {
      for (std::size_t n = 0; n < std::min(events.size(), static_cast<std::size_t>(phase) + 2); ++n) {
        if (n < static_cast<std::size_t>(phase) && !events[n].before(wait))
          wrong_ = fmt::format("{} may come before phase {} is over: its parity passes too early",
                               place(wait.warp, wait.at), phase - 1);
        if (!wait.before(events[n])) ++until_then;
      }
    }
    if (until_then >= (phase + 2) * arrivals_[static_cast<std::size_t>(barrier)])
      wrong_ = fmt::format("{}: the phase after {} may be over by then, and its parity waits for ever",
                           place(wait.warp, wait.at), phase);
  }

  void access(const Operation& operation, const Event& event) {
    Memory& memory = memory_[operation.what];
    const auto follows = [&](const Event& other) {
      if (other.warp != event.warp && !other.before(event))
        wrong_ = fmt::format("a race: {} and {}", place(other.warp, other.at), place(event.warp, event.at));
    };
    for (const Event& write : memory.writes) follows(write);
    if (operation.kind == Kind::write) {
      for (const Event& read : memory.reads) follows(read);
      memory.writes = {event};
      memory.reads.clear();
      memory.content = operation.value;
    } else {
      memory.reads.push_back(event);
      if (memory.content != operation.value)
        wrong_ = fmt::format("{} finds {}", place(event.warp, event.at), memory.content);
    }
  }

  struct Wait {
    Event event;
    int barrier, phase;
  };
  struct Memory {
    int content = -1;
    std::vector<Event> writes, reads;  // the last write, and the reads since
  };

  const std::vector<Warp>& warps_;
  const std::vector<int>& arrivals_;
  std::vector<std::size_t> next_;
  std::vector<Clock> clocks_;
  std::vector<std::vector<std::vector<Event>>> arrived_;  // [barrier][warp][phase]
  std::map<std::pair<int, std::size_t>, int> meets_;
  std::vector<Wait> waits_;
  std::map<int, Memory> memory_;
  std::string wrong_;
};

/// All orders of the operations at barriers; the others neither wait nor are waited for.
class Search {
 public:
  Search(const std::vector<Warp>& warps, const std::vector<int>& arrivals) : arrivals_(arrivals) {
    for (const Warp& warp : warps) {
      warps_.push_back({warp.name, {}});
      for (const Operation& operation : warp.operations) {
        if (operation.kind == Kind::arrive || operation.kind == Kind::wait)
          warps_.back().operations.push_back(operation);
      }
    }
  }

  std::string run(std::size_t most) {
    std::vector<State> open = {State(warps_.size(), 0)};
    std::set<State> seen(open.begin(), open.end());
    while (!open.empty()) {
      const State state = open.back();
      open.pop_back();
      bool moved = false, ended = true;
      const std::vector<int> phases = phases_of(state);
      for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
        if (state[warp] == warps_[warp].operations.size()) continue;
        ended = false;
        const Operation& operation = warps_[warp].operations[state[warp]];
        // A wait passes unless the running phase has the parity that is waited for.
        if (operation.kind == Kind::wait && phases[static_cast<std::size_t>(operation.what)] % 2 == operation.value % 2)
          continue;
        moved = true;
        if (operation.kind == Kind::wait && phases[static_cast<std::size_t>(operation.what)] <= operation.value)
          return fmt::format("{} passes barrier {} before phase {} is over", warps_[warp].name, operation.what,
                             operation.value);
        State next = state;
        ++next[warp];
        if (seen.insert(next).second) open.push_back(next);
      }
      if (!moved && !ended) return stuck(state);
      if (seen.size() > most) return "too many states";
    }
    return "";
  }

 private:
  using State = std::vector<std::uint16_t>;

  /// Phases that each barrier has completed.
  std::vector<int> phases_of(const State& state) const {
    std::vector<int> count(arrivals_.size(), 0);
    for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
      for (std::size_t n = 0; n < state[warp]; ++n) {
        const Operation& operation = warps_[warp].operations[n];
        if (operation.kind == Kind::arrive) ++count[static_cast<std::size_t>(operation.what)];
      }
    }
    for (std::size_t barrier = 0; barrier < count.size(); ++barrier) count[barrier] /= arrivals_[barrier];
    return count;
  }

  std::string stuck(const State& state) const {
    std::string text = "stuck:";
    for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
      if (state[warp] == warps_[warp].operations.size()) continue;
      const Operation& operation = warps_[warp].operations[state[warp]];
      text += fmt::format(" {} waits at barrier {} for phase {};", warps_[warp].name, operation.what, operation.value);
    }
    return text;
  }

  std::vector<Warp> warps_;
  const std::vector<int>& arrivals_;
};

}  // namespace

std::string prove(const std::vector<Warp>& warps, const std::vector<int>& arrivals) {
  return Run(warps, arrivals).check();
}

std::string search(const std::vector<Warp>& warps, const std::vector<int>& arrivals, std::size_t most) {
  return Search(warps, arrivals).run(most);
}

}  // namespace triscope::bench
