// Power, energy and clocks of a measurement in one line, the same in every program.
#pragma once

#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// "power-capped: 717 of 700 W, NVML clock 1710 of 1980 MHz, counted clock 1590 MHz, 12.3 J a launch, 1.33 J/TFLOP": as
/// far as it is known; empty when nothing is.
std::string power_text(const ResultRow& row);

/// What held the clock down, in words: "power-capped"; the name itself when there are no words for it.
std::string limiter_text(const std::string& limiter);

/// True when every sample was flagged and `limiter` says why: the flag then tells nothing about single samples.
bool limited_throughout(const ResultRow& row);

}  // namespace triscope
