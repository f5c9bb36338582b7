# triscope_unity(TARGET...): several files of a target are compiled as one, so that the headers they share are read once.
# TRISCOPE_UNITY says of what:
#   ON     rooms and tests; what a build has without a compiler cache
#   TESTS  tests, and the rooms of triscope_costly_rooms; the sources of the others show which headers compile alone: `.ci/run`
#   OFF    nothing; what a build has beside ccache, which knows files one by one, and so compiles one after a change
# A name that is private to a file must then be private to its room: tests/house/private_names. Files with options of their own
# are compiled alone (CMake sees to that). kernels/ is never compiled so: what is measured is compiled in one way
# everywhere; nor are rooms of CUDA.
set(default ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(default OFF)
endif()
set(TRISCOPE_UNITY ${default} CACHE STRING "Compile several files as one: ON, TESTS or OFF")

function(triscope_unity)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# Rooms that are compiled so unless TRISCOPE_UNITY is OFF: each of their files costs seconds for the headers of a library, and
# they have few headers of their own, which are then compiled alone (cmake/Checks.cmake).
function(triscope_costly_rooms)
  if(TRISCOPE_UNITY STREQUAL "OFF")
    return()
  endif()
  foreach(folder ${ARGN})
    triscope_room_target(${folder} room)
    triscope_unity(${room})
  endforeach()
endfunction()
