# What `triscope plugin new` writes, as string literals: assets/plugin/plugin.c and the header that it includes.
file(READ ${CMAKE_SOURCE_DIR}/assets/plugin/plugin.c triscope_plugin_source)
file(READ ${CMAKE_SOURCE_DIR}/include/triscope/attention.h triscope_plugin_header)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/plugin/plugin.c
  ${CMAKE_SOURCE_DIR}/include/triscope/attention.h)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/plugin_skeleton/plugin_skeleton.hpp @ONLY CONTENT
[=[// Written by CMake from assets/plugin/plugin.c and include/triscope/attention.h.
#pragma once

namespace triscope {
inline constexpr char kPluginSource[] = R"skeleton(@triscope_plugin_source@)skeleton";
inline constexpr char kPluginHeader[] = R"skeleton(@triscope_plugin_header@)skeleton";
}  // namespace triscope
]=])
add_library(triscope_plugin_skeleton INTERFACE)
target_include_directories(triscope_plugin_skeleton INTERFACE ${CMAKE_BINARY_DIR}/generated/plugin_skeleton)
