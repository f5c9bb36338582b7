// The kernels of a plug-in, as the worker measures all others.
#pragma once

#include <memory>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/plugin/plugin_library.hpp"

namespace triscope {

/// One kernel for each id that `library` lists. Its version is its instance, the hash of the file its source hash.
/// Throws `Error` (usage) on an id that is empty, too long, given twice, or one of Triscope's own (`is_own_id`),
/// and on a library without kernels or with an unknown device.
std::vector<std::unique_ptr<Kernel>> make_plugin_kernels(const PluginLibrary& library);

}  // namespace triscope
