// The search's rows: measurements of the shown sweep by the words of their line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "views/data/window_data.hpp"
#include "views/model/model_maker.hpp"

namespace triscope {

/// What the rows of a sweep are found by.
struct RowTexts {
  std::int64_t sweep = 0;                                    ///< whose rows they are
  std::string uuid;                                          ///< its
  std::vector<std::int64_t> measurements;                    ///< of those that were measured
  std::vector<std::string> labels;                           ///< of these
  std::vector<std::string> searched;                         ///< likewise: all that a search looks in, as `plain_words`
  std::vector<std::pair<std::string, std::string>> kernels;  ///< name and id of each
};

/// Keeps what it found until the rows or the words are others.
class RowSearch {
 public:
  struct Row {
    std::int64_t measurement = 0;
    std::string label;
  };
  /// The first `most` of `sweep` with all `words` (each as `plain_words`), however many rows it has. Of many rows,
  /// known a frame or two later; until then those of the same sweep as it was before. `revision`: another one with
  /// other rows.
  const std::vector<Row>& find(const std::shared_ptr<const SweepResults>& sweep, std::uint64_t revision,
                               const std::vector<std::string>& words, std::size_t most, ModelMaker& maker);
  /// Name and id of each kernel of the rows that were searched last.
  const std::vector<std::pair<std::string, std::string>>& kernels() const;
  std::size_t looked() const { return looked_; }  ///< how often rows were looked through

 private:
  MadeModel<std::uint64_t, RowTexts> texts_;  ///< by revision
  std::optional<std::uint64_t> of_;           ///< revision of what was found; none: nothing could be yet
  std::vector<std::string> words_;
  std::vector<Row> found_;
  std::size_t looked_ = 0;
};

}  // namespace triscope
