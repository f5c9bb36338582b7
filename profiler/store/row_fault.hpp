// What a row of a database cannot say, whoever wrote it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// Which times are possible, in milliseconds: from between a sample of nothing and one of a nanosecond.
inline constexpr double kLeastMs = 0.5e-6, kMostMs = 1e15;

/// Why this is nothing that Triscope stores, in words ("seq_len is -5"); empty: it can be.
std::string row_fault(const ResultRow& row);
std::string row_fault(const Measurement& measurement);
/// The same of the time without which no row is ok.
std::string no_time_fault(Status status, const std::optional<double>& median_ms);
/// Puts the rates that follow from the row's problem and time in the place of those that the file says.
void compute_rates(ResultRow& row);
std::string sample_fault(const Sample& sample);
/// The same of what belongs to a measurement. Where it cannot be used the rest still can (`without_part`).
std::string cross_check_fault(const CrossCheck& check);
std::string counter_fault(std::string_view name, double value);
/// Takes what follows from hardware counters out of a row where nothing can be so; says why, empty: all of it can.
std::string drop_impossible_counts(ResultRow& row);

/// "its cross-check cannot be used: median_ms is -3": what a row says where one of its parts is left out.
std::string without_part(std::string_view part, std::string_view fault);
std::string environment_fault(const Environment& environment);
std::string sweep_fault(const SweepInfo& sweep);

/// What a row says of its problem before it is read.
Problem unknown_problem();

/// What stands in the place of a row that cannot be used: the same ids, names and problem, as far as they can be,
/// failed, with the reason.
ResultRow unusable_row(const ResultRow& row, const std::string& fault);

}  // namespace triscope
