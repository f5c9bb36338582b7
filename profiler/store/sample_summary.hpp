// What the samples of a stored measurement say of its times.
#pragma once

#include <span>
#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// What a stored median or interval has against `samples`, which may be of a stranger's file: another median, or an
/// interval that leaves it out or is less than half as wide ("its file says a median of 1 ms, where its samples have
/// 2"). Empty: nothing, or there is no median or no samples. `pooled`: of its sweep.
std::string stored_times_fault(const Summary& stored, std::span<const Sample> samples, const Spread& pooled);
std::string stored_times_fault(const ResultRow& row, std::span<const Sample> samples, const Spread& pooled);

/// Adds a remark to a reason that may be empty, unless it says so already.
void add_remark(std::string& reason, const std::string& remark);

/// Puts the summary of the samples in the place of a stored one that does not follow from them: see
/// `stored_times_fault`. Returns what `reason` then says of it; empty: it follows. `pooled`: of its sweep.
std::string correct_by_samples(Measurement& measurement, const Spread& pooled);

}  // namespace triscope
