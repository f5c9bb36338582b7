#include "profiler/sweep/accepted_outputs.hpp"

#include "profiler/record/measurement_codec.hpp"

namespace triscope {

void AcceptedOutputs::add(const MeasurementKey& key, std::uint64_t fingerprint) {
  fingerprints_[key_text(key)] = fingerprint;
}

std::uint64_t AcceptedOutputs::of(const MeasurementKey& key) const {
  const auto found = fingerprints_.find(key_text(key));
  return found == fingerprints_.end() ? 0 : found->second;
}

}  // namespace triscope
