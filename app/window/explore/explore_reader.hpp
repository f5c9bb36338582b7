// Reads all measurements of databases and makes what the Explore panel draws, on a thread of its own.
#pragma once

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
  /// After a stop of `closing` reading ends with an `Error`.
  explicit ExploreReader(std::stop_token closing) : closing_(std::move(closing)) {}

  /// Null after a stop of `newer`. The same chart as before when nothing has changed. Throws `Error` when the open
  /// database cannot be read, or the question is wrong; of the others those that cannot be read are left out. Where
  /// what rows stand beside is gone, they stand beside nothing, which the chart says.
  std::shared_ptr<const ExploreChart> answer(const ExploreQuestion& question, const std::stop_token& newer);

 private:
  /// Reads what is new of it, and compares its rows. Returns false after a stop.
  bool prepare(const std::string& file, const ExploreQuestion& question, const std::stop_token& newer);
  /// Returns false after a stop.
  bool compare(ExploredDatabase& database, const std::string& file, const ExploreQuestion& question,
               const std::stop_token& newer);
  bool prepare_all(const std::vector<std::string>& files, const ExploreQuestion& question,
                   const std::stop_token& newer);

  std::stop_token closing_;
  std::map<std::string, std::unique_ptr<ExploredDatabase>> databases_;  ///< by file
  std::vector<std::string> left_out_;                                   ///< one sentence each
  std::string beside_nothing_;                                          ///< why rows stand beside nothing
  std::optional<ExploreQuestion> answered_;                             ///< by `chart_`; unset: something has changed
  std::shared_ptr<const ExploreChart> chart_;
};

}  // namespace triscope
