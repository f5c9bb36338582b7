// The name of a kernel in a narrow place.
#pragma once

#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// "FA3", "Portable". A short label that saves no letters gives way to the label.
inline const std::string& brief_label(const KernelCard& card) {
  return card.short_label.size() < card.label.size() ? card.short_label : card.label;
}

}  // namespace triscope
