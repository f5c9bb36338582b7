// All measurements of one database, as the Explore panel reads them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "profiler/explore/exploration.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// Not thread-safe: lives on one thread. Keeps the rows that it has read; what has changed is read again.
class ExploredDatabase {
 public:
  /// Opens the file. After a stop of `closing` reading ends with an `Error`; throws one, too, when the file is no
  /// database.
  ExploredDatabase(const std::filesystem::path& file, const std::stop_token& closing);

  enum class State { unchanged, changed, replaced };
  /// Against what was read. `replaced`: another file stands in its place, or it cannot be read any more.
  State state() const;
  /// Returns false after a stop of `newer`. Throws `Error` when the database cannot be read.
  bool read(const std::stop_token& newer);
  enum class Compared { as_before, anew, stopped };
  /// Rows beside the reference, as the table compares them; `hidden` is a deleted sweep. `stopped`: by `newer`. Throws
  /// as `ReferenceSide` does, and rows then stand beside nothing.
  Compared compare(const std::string& reference, std::int64_t hidden, const std::stop_token& newer);
  /// Reads what is not read yet of these hardware counters. Throws `Error` when the database cannot be read.
  void read_counters(const std::vector<std::string>& names);
  /// Adds all that was read but the sweep `hidden`; `beside`: with what `compare` made. `sources` refer to this, and to
  /// `name`.
  void add_to(std::vector<ExploreSource>& sources, const std::string& name, std::int64_t hidden, bool beside) const;

 private:
  struct Sweep {
    std::string state;  ///< how far it was measured when its rows were read
    std::vector<ResultRow> rows;
    std::string reference;  ///< what `beside` was made of; empty: there is none yet
    std::map<std::int64_t, Comparison> beside;
  };

  std::filesystem::path file_;
  Snapshot snapshot_;
  std::int64_t version_ = -1;  ///< that `infos_` and `sweeps_` are of; -1: none is read whole
  std::vector<SweepInfo> infos_;
  std::map<std::int64_t, Sweep> sweeps_;
  std::map<std::int64_t, std::string> notes_;
  std::map<std::int64_t, double> precisions_;  ///< asked for, by sweep
  CounterValues counters_;
};

}  // namespace triscope
