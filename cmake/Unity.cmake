# triscope_unity(TARGET...): several files of a target are compiled as one, so that the headers they share are read once.
# TRISCOPE_UNITY is ON, of rooms and tests, where a build has no compiler cache; OFF beside ccache, which
# knows files one by one, and so compiles one after a change.
# A name that is private to a file must then be private to its room: tests/house/private_names. Files with options of their own
# are compiled alone (CMake sees to that). kernels/ is never compiled so: what is measured is compiled in one way
# everywhere; nor are rooms of CUDA. Which headers compile alone `./run headers` shows (cmake/Checks.cmake).
set(default ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(default OFF)
endif()
set(TRISCOPE_UNITY ${default} CACHE STRING "Compile several files as one: ON or OFF")

function(triscope_unity)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
endfunction()
