# Facts about the build that are stored with every number: version, commit, compiler, flags, and a hash of each
# kernel's own sources.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE triscope_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE git_failed)
if(git_failed)
  set(triscope_commit "unknown")
endif()
string(TOUPPER ${CMAKE_BUILD_TYPE} build_type_upper)
set(triscope_flags "${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}}")
string(STRIP "${triscope_flags}" triscope_flags)
configure_file(${CMAKE_SOURCE_DIR}/cmake/build_facts.hpp.in ${CMAKE_BINARY_DIR}/generated/build_facts.hpp)
add_library(triscope_build_facts INTERFACE)
target_include_directories(triscope_build_facts INTERFACE ${CMAKE_BINARY_DIR}/generated)

# Defines TRISCOPE_SOURCE_HASH in `file` from the contents of the sources named after it.
function(triscope_source_hash file)
  set(digest "")
  foreach(source ${ARGN})
    file(SHA256 ${source} one)
    string(APPEND digest ${one})
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  endforeach()
  string(SHA256 digest "${digest}")
  string(SUBSTRING ${digest} 0 12 digest)
  set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS TRISCOPE_SOURCE_HASH="${digest}")
endfunction()
