// Reads all measurements of databases and makes what the Explore panel draws, on a thread of its own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/window/explore/explored_database.hpp"
#include "views/data/explore_state.hpp"

namespace triscope {

/// Not thread-safe: lives on one thread. Keeps the rows that it has read: of another question only the answer is new.
class ExploreReader {
 public:
  /// As `ask_work`.
  using CountTiles = std::function<WorkTable(const std::vector<Problem>&)>;
  /// After a stop of `closing` reading ends with an `Error`.
  ExploreReader(std::stop_token closing, CountTiles count) : closing_(std::move(closing)), count_(std::move(count)) {}

  /// Null after a stop of `newer`. The same chart as before when nothing has changed. Throws `Error` when the open
  /// database cannot be read, or the question is wrong; of the others those that cannot be read are left out. Without
  /// `may_count` tiles that are not counted yet are not known.
  std::shared_ptr<const ExploreChart> answer(const ExploreQuestion& question, const std::stop_token& newer,
                                             bool may_count);

 private:
  /// Reads what is new of it, and compares its rows. Returns false after a stop.
  bool prepare(const std::string& file, const ExploreQuestion& question, const std::stop_token& newer);
  bool prepare_all(const std::vector<std::string>& files, const ExploreQuestion& question,
                   const std::stop_token& newer);
  /// Returns whether all tiles are counted.
  bool count_tiles(bool may_count);

  std::stop_token closing_;
  CountTiles count_;
  WorkTable work_;                                                      ///< of the problems that were counted so far
  std::map<std::string, std::unique_ptr<ExploredDatabase>> databases_;  ///< by file
  std::vector<std::string> left_out_;                                   ///< one sentence each
  std::optional<ExploreQuestion> answered_;                             ///< by `chart_`; unset: something has changed
  std::shared_ptr<const ExploreChart> chart_;
};

}  // namespace triscope
