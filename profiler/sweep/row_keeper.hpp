// Puts what a sweep measured into the database, and keeps it elsewhere for as long as the database cannot take it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/store/store.hpp"
#include "profiler/sweep/sweep_observer.hpp"

namespace triscope {

/// A measurement that the database does not take (another program keeps it locked, the disk is full, its mount is gone)
/// waits in memory and in a spool file beside the database, DATABASE.UUID.spool, UUID being the sweep's: the
/// environment and results as the worker sends them (profiler/protocol). It is tried again before the next measurement,
/// at the end, and by resuming. Use on one thread.
class RowKeeper {
 public:
  /// What a keeper needs of its sweep.
  struct Sweep {
    std::int64_t id = 0;
    std::filesystem::path database;
    std::function<void()> reopen;                                ///< opens the store anew; throws `Error`
    std::function<void(const std::string&)> tell;                ///< one line for a person
    std::function<void(const Measurement&, std::int64_t)> kept;  ///< a measurement is in the database, in this row
    std::function<void(Measurement&)> summarize;                 ///< the spool file holds samples, not their summary
    Environment environment;                                     ///< in which this run measures
    std::function<void(const Unstored&)> unstored = [](const Unstored&) {};  ///< as `SweepObserver::unstored`
  };

  /// Adds what an earlier run of the sweep left in the spool file, and removes that. What no measurement can be is left
  /// out, and the file set aside. Throws `Error` when the file cannot be read or the database does not take what is in
  /// it.
  RowKeeper(Store& store, Sweep sweep);

  /// Stores `measurement`, or lets it wait and says so. Throws `Error` when the sweep was deleted (`require_sweep`).
  void add(const Measurement& measurement);
  /// Throws `Error` when the database, where it lies in its place, does not hold the sweep any more: no waiting brings
  /// that back. Says where the samples are that it lacks.
  void require_sweep() const;
  std::size_t waiting() const { return waiting_.size(); }

  /// Tries until nothing waits: ten minutes, and longer while something is in memory alone. Throws `Error` when
  /// something still waits then or at a stop, or the sweep was deleted; the spool file stays.
  void finish(std::stop_token stop);

 private:
  struct Waiting {
    Measurement measurement;
    bool spooled = false;  ///< also in the file
  };
  bool store_one(const Measurement& measurement);
  void try_again();
  bool is_deleted() const;
  void spool();
  struct Spooled {
    Measurement measurement;
    std::optional<Environment> environment;  ///< in which it was measured; nullopt: a file of an older program
  };
  std::vector<Spooled> read_spool() const;
  void add_spooled(std::vector<Spooled> left);
  std::string set_aside() const;  ///< gives the spool file another name that is free; says which, or why not
  bool all_spooled() const;
  std::string where() const;

  Store& store_;
  Sweep sweep_;
  std::string uuid_;
  std::filesystem::path file_;     ///< the spool file
  std::pair<dev_t, ino_t> place_;  ///< of the database at the start
  std::deque<Waiting> waiting_;
  std::string why_;  ///< the database did not take the last one
};

/// What references sampled in turns with the rows of a group. What the database does not take waits in memory alone.
/// Use on one thread.
class TurnKeeper {
 public:
  TurnKeeper(Store& store, std::function<void(const std::string&)> tell) : store_(store), tell_(std::move(tell)) {}

  /// Stores `samples` of the reference in `row` with `group`, or lets them wait and says so. Never throws `Error`.
  void add(std::int64_t row, std::int64_t group, const std::vector<Sample>& samples);

  /// Tries once more what waits. What is refused again is given up, and this says so. Never throws `Error`.
  void finish();

 private:
  struct Waiting {
    std::int64_t row, group;
    std::vector<Sample> samples;
  };
  bool store_one(const Waiting& one);

  Store& store_;
  std::function<void(const std::string&)> tell_;
  std::vector<Waiting> waiting_;
  std::string why_;  ///< the database did not take the last one
};

}  // namespace triscope
