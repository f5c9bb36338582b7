# Embeds the data of assets/paper, what the paper prints and what an H100 did beside it, as string literals.
set(triscope_paper_data "")
foreach(entry kTables:tables.csv kErrata:errata.json kRecipe:recipe.json kTable1H100:table1_h100.csv
    kRotaryCost:rotary_cost.csv kRelatives:relatives.json kFormulas:formulas.json)
  string(REPLACE ":" ";" entry ${entry})
  list(GET entry 0 name)
  list(GET entry 1 file)
  file(READ ${CMAKE_SOURCE_DIR}/assets/paper/${file} text)
  string(APPEND triscope_paper_data "inline constexpr char ${name}[] = R\"paper(${text})paper\";\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/paper/${file})
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/paper/paper_data.hpp @ONLY CONTENT [=[// Written by CMake from assets/paper.
#pragma once

namespace triscope::paper_data {
@triscope_paper_data@}  // namespace triscope::paper_data
]=])
add_library(triscope_paper_data INTERFACE)
target_include_directories(triscope_paper_data INTERFACE ${CMAKE_BINARY_DIR}/generated/paper)
