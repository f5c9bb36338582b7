#include "profiler/supervise/attempt.hpp"

#include <algorithm>
#include <utility>

#include "profiler/statistics/statistics.hpp"

namespace triscope {

Error error_of(const ErrorReply& reply) {
  const int code = std::clamp(reply.code, 1, 3);
  return Error(reply.summary, reply.why, reply.fix, static_cast<ExitCode>(code));
}

Attempt::Attempt(const MeasureRequest& request, std::vector<std::size_t>& open, const JobObserver& observer)
    : request_(request),
      open_(open),
      sent_(open),
      observer_(observer),
      group_(open.size() > 1 ? started_unix_ns_ : -1) {}

MeasureRequest Attempt::message() const {
  MeasureRequest part = request_;
  part.entries.clear();
  part.source_hashes.clear();
  part.accepted.clear();
  for (const std::size_t entry : sent_) {
    part.entries.push_back(request_.entries[entry]);
    part.source_hashes.push_back(request_.source_hashes[entry]);
    if (!request_.accepted.empty()) part.accepted.push_back(request_.accepted[entry]);
  }
  return part;
}

bool Attempt::take(const Message& message) {
  if (const auto* report = std::get_if<ProgressReport>(&message)) {
    if (valid(report->entry)) in_flight_ = sent_[static_cast<std::size_t>(report->entry)];
    ProgressReport mapped = *report;
    mapped.entry = in_flight_ ? static_cast<std::int64_t>(*in_flight_) : -1;
    observer_.progress(mapped);
  } else if (const auto* batch = std::get_if<SampleBatch>(&message); batch != nullptr && valid(batch->entry)) {
    const std::size_t entry = sent_[static_cast<std::size_t>(batch->entry)];
    std::vector<Sample>& taken = taken_[entry];
    taken.insert(taken.end(), batch->samples.begin(), batch->samples.end());
    observer_.sampled(static_cast<std::int64_t>(entry), batch->samples);
  } else if (const auto* result = std::get_if<ResultReply>(&message); result != nullptr && valid(result->entry)) {
    const std::size_t entry = sent_[static_cast<std::size_t>(result->entry)];
    if (result->fingerprint != 0) observer_.accepted(static_cast<std::int64_t>(entry), result->fingerprint);
    finish(entry, result->measurement);
  } else if (const auto* error = std::get_if<ErrorReply>(&message)) {
    fail_all(Status::failed, error_of(*error).what());
    return true;
  } else if (std::holds_alternative<Done>(message)) {
    fail_all(Status::failed, "the worker reported nothing");
    return true;
  }
  return false;
}

void Attempt::lost(const std::string& reason) {
  if (in_flight_ && std::find(open_.begin(), open_.end(), *in_flight_) != open_.end()) {
    finish(*in_flight_, unmeasured(*in_flight_, Status::failed, reason));
  } else {
    fail_all(Status::failed, reason);
  }
}

void Attempt::fail_all(Status status, const std::string& reason) {
  for (const std::size_t entry : std::vector(open_)) finish(entry, unmeasured(entry, status, reason));
}

Measurement Attempt::unmeasured(std::size_t entry, Status status, const std::string& reason) {
  Measurement measurement;
  measurement.key = request_.entries[entry];
  measurement.source_hash = request_.source_hashes[entry];
  measurement.status = status;
  measurement.reason = reason;
  measurement.started_unix_ns = started_unix_ns_;
  measurement.samples = std::move(taken_[entry]);
  return measurement;
}

void Attempt::finish(std::size_t entry, Measurement measurement) {
  const auto position = std::find(open_.begin(), open_.end(), entry);
  if (position == open_.end()) return;
  open_.erase(position);
  measurement.key = request_.entries[entry];
  if (!measurement.samples.empty()) {
    measurement.summary = summarize(measurement.samples, request_.stopping);
    measurement.group = group_;
  }
  observer_.measured(static_cast<std::int64_t>(entry), measurement);
}

}  // namespace triscope
