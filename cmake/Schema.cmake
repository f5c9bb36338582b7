# Embeds assets/schema.sql, the single source of the database schema, as a string literal.
file(READ ${CMAKE_SOURCE_DIR}/assets/schema.sql triscope_schema_sql)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/schema.sql)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/schema_sql.hpp @ONLY CONTENT [=[// Written by CMake from assets/schema.sql.
#pragma once

namespace triscope {
inline constexpr char kSchemaSql[] = R"schema(@triscope_schema_sql@)schema";
}  // namespace triscope
]=])
add_library(triscope_schema INTERFACE)
target_include_directories(triscope_schema INTERFACE ${CMAKE_BINARY_DIR}/generated)
