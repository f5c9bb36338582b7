// What a sweep measures, in a few words, so that sweeps can be told apart in a list. The window and the command line
// use the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/plan/request.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// "Table 1 at 32k, Hopper beside FA3 and cuDNN, forward": windows, sequence lengths, kernels, passes; between them
/// what is not the usual: forms, heads, head sizes, regimes.
std::string request_title(const SweepRequest& request);

/// What a list says and draws of a sweep: its request, unless that cannot be read or is long (more than 64 KiB).
std::optional<SweepRequest> listed_request(const SweepInfo& sweep);
/// Whether all kernels that it names are dot-product attention, which has no windows.
bool names_baselines_alone(const SweepRequest& request);

/// The note a person gave it, without its tags; else the title of its request, with ", a library" behind it where a
/// plug-in was measured too. The beginning of its command, where there is no `listed_request`.
std::string sweep_title(const SweepInfo& sweep);

/// The same for a list with little room: "Table 1 at 32k, Hopper fwd". What stands beside our kernels is left out, and
/// of a longer one first words, then what is special ("…").
std::string short_title(const SweepInfo& sweep);

/// The tags of a sweep: the words of its note that begin with "#", without it and once each.
std::vector<std::string> tags_of(std::string_view note);

/// "NVIDIA H200" -> "H200": a device's name without its maker.
std::string short_device(const std::string& name);

}  // namespace triscope
