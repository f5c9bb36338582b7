// What this run's processes have compared wholly with the oracle, so that the next ones need not.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "profiler/record/measurement.hpp"
#include "profiler/record/measurement_codec.hpp"

namespace triscope {

class AcceptedOutputs {
 public:
  void add(const MeasurementKey& key, std::uint64_t fingerprint) { fingerprints_[key_text(key)] = fingerprint; }
  /// The fingerprint of the outputs of `key` that passed; 0: none did.
  std::uint64_t of(const MeasurementKey& key) const {
    const auto found = fingerprints_.find(key_text(key));
    return found == fingerprints_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, std::uint64_t> fingerprints_;  // by key as text
};

}  // namespace triscope
