# Facts about the build that are stored with every number: version, commit, compilers, flags. Hashes of the kernels' sources:
# cmake/SourceHash.cmake.
string(TOUPPER ${CMAKE_BUILD_TYPE} build_type_upper)
set(triscope_flags "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}}")
string(STRIP "${triscope_flags}" triscope_flags)
# The commit is looked up at every build, not only when CMake configures; the header changes only when it does.
add_custom_target(triscope_write_build_facts BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/build_facts.hpp
  COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${CMAKE_SOURCE_DIR} -DOUTPUT=${CMAKE_BINARY_DIR}/generated/build_facts.hpp
    -DPROJECT_VERSION=${PROJECT_VERSION} "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}$<JOIN:$<TARGET_PROPERTY:triscope_build_facts,TRISCOPE_MORE_COMPILERS>,>"
    "-DFLAGS=${triscope_flags}$<JOIN:$<TARGET_PROPERTY:triscope_build_facts,TRISCOPE_KERNEL_FLAGS>,>" -P ${CMAKE_SOURCE_DIR}/cmake/write_build_facts.cmake
  COMMENT "" VERBATIM)
add_library(triscope_build_facts INTERFACE)
add_dependencies(triscope_build_facts triscope_write_build_facts)
target_include_directories(triscope_build_facts INTERFACE ${CMAKE_BINARY_DIR}/generated)

# Adds flags that only some kernels are compiled with to the compile flags that are stored: " | cpu.fast: -mavx2".
function(triscope_add_flags kernel flags)
  string(REPLACE ";" " " flags "${flags}")
  set_property(TARGET triscope_build_facts APPEND PROPERTY TRISCOPE_KERNEL_FLAGS " | ${kernel}: ${flags}")
endfunction()
