// The list of sweeps: those that match a filter, in groups by device and day.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "views/data/window_data.hpp"
#include "views/model/model_maker.hpp"
#include "views/model/sweep_shape.hpp"

namespace triscope {

/// What a sweep measures, in a few words, and in fewer.
struct SweepName {
  std::string title, brief;
};

/// A line of the list.
struct HistoryLine {
  static constexpr std::size_t kHeading = static_cast<std::size_t>(-1);
  std::size_t sweep = kHeading;  ///< its place
  std::string group{};           ///< "H200, today": what a heading says
};

/// What is known of all sweeps once each request was read, which takes a second for 10,000.
struct SweepTexts {
  std::vector<SweepName> names;       ///< by sweep
  std::vector<std::string> searched;  ///< likewise: all that a filter looks in, in lower case
  bool twins = false;                 ///< some have the same brief name
};

/// Keeps what it made until sweeps, filter or day are others.
class HistoryModel {
 public:
  /// Sweeps that match `filter`, newest first. Of many, a filter counts a frame or two later.
  const std::vector<HistoryLine>& lines(const std::vector<SweepInfo>& sweeps, const std::string& filter,
                                        std::int64_t now, ModelMaker& maker);
  std::size_t matching() const { return matching_; }  ///< sweeps of `lines`
  std::size_t made() const { return made_; }          ///< how often `lines` was made
  /// Some sweeps have the same brief name; of many, known a frame or two later.
  bool has_twins(const std::vector<SweepInfo>& sweeps, ModelMaker& maker);
  /// Null while they are made.
  const SweepTexts* texts(const std::vector<SweepInfo>& sweeps, ModelMaker& maker);
  const SweepName& name(const SweepInfo& sweep);
  /// Its request is read once.
  const SweepShape& shape(const SweepInfo& sweep);
  std::size_t shapes_made() const { return shapes_made_; }

 private:
  struct Named {
    std::string note;
    std::size_t request = 0;  ///< its bytes: resuming may write another one
    SweepName name;
  };
  struct Shaped {
    std::size_t request = 0;  ///< as of `Named`
    SweepShape shape;
  };
  std::unordered_map<std::string, Named> names_;    ///< by the sweep's uuid
  std::unordered_map<std::string, Shaped> shapes_;  ///< likewise
  std::size_t shapes_made_ = 0;
  MadeModel<std::size_t, SweepTexts> texts_;  ///< by a hash of what they follow from
  std::size_t of_ = 0;                        ///< hash of what `lines_` follows from
  std::vector<HistoryLine> lines_;
  std::size_t matching_ = 0, made_ = 0;
};

/// Where the time of day begins in "today 14:02"; a date of another year has none, and stands in its place.
std::size_t clock_at(const SweepInfo& sweep, std::int64_t now);

}  // namespace triscope
