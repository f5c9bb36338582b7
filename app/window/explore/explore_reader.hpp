// Reads all measurements of a database and makes what the Explore panel draws, on a thread of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "profiler/store/store.hpp"
#include "views/data/explore_state.hpp"

namespace triscope {

/// Not thread-safe: lives on one thread. Keeps the rows that it has read: of another question only the answer is new.
class ExploreReader {
 public:
  /// After a stop of `closing` reading ends with an `Error`.
  explicit ExploreReader(std::stop_token closing) : closing_(std::move(closing)) {}

  /// Null after a stop of `newer`. The same chart as before when nothing has changed. Throws `Error` when the database
  /// cannot be read, or the question is wrong.
  std::shared_ptr<const ExploreChart> answer(const ExploreQuestion& question, const std::stop_token& newer);

 private:
  struct Sweep {
    std::string state;  ///< how far it was measured when its rows were read
    std::vector<ResultRow> rows;
    std::string reference;  ///< that `beside` is of; empty: there is none yet
    std::map<std::int64_t, Comparison> beside;
  };
  bool open(const std::filesystem::path& file);
  bool read(const std::stop_token& newer);
  bool compare(const std::string& reference, const std::stop_token& newer);

  std::stop_token closing_;
  std::filesystem::path file_;
  std::optional<Snapshot> snapshot_;
  std::int64_t version_ = 0;  ///< that `infos_` and `sweeps_` are of
  std::vector<SweepInfo> infos_;
  std::map<std::int64_t, Sweep> sweeps_;
  std::map<std::int64_t, std::string> notes_;
  std::optional<ExploreQuestion> answered_;  ///< by `chart_`
  std::shared_ptr<const ExploreChart> chart_;
};

}  // namespace triscope
