// One worker's attempt at the entries of a group that are still open.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/protocol/messages.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/supervise/job_observer.hpp"

namespace triscope {

/// What a worker refused, as the program says it.
Error error_of(const ErrorReply& reply);

class Attempt {
 public:
  /// Entries that are finished are taken out of `open`.
  Attempt(const MeasureRequest& request, std::vector<std::size_t>& open, const JobObserver& observer);

  MeasureRequest message() const;
  /// True when the job is over. Messages that make no sense here are passed over.
  bool take(const Message& message);
  /// The worker is lost: the entry in flight failed; all of them when none was.
  void lost(const std::string& reason);
  void fail_all(Status status, const std::string& reason);

 private:
  /// What is known of an entry that the worker did not report: its samples until then.
  Measurement unmeasured(std::size_t entry, Status status, const std::string& reason);
  bool valid(std::int64_t entry) const { return entry >= 0 && static_cast<std::size_t>(entry) < sent_.size(); }
  void finish(std::size_t entry, Measurement measurement);

  const MeasureRequest& request_;
  std::vector<std::size_t>& open_;
  const std::vector<std::size_t> sent_;  // entry numbers of the worker's messages are positions in here
  const JobObserver& observer_;
  const std::int64_t started_unix_ns_ = unix_now_ns();
  std::int64_t group_;
  std::map<std::size_t, std::vector<Sample>> taken_;  // by entry: kept should the worker be lost
  std::optional<std::size_t> in_flight_;
};

}  // namespace triscope
