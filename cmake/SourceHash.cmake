# A kernel's hash, per pass: over everything that its sources include, and their options. cmake/source_hash.py says what counts.
#   triscope_kernel_hash(cuda.portable IN kernels/cuda/portable FORWARD kernels/cuda/portable/forward BACKWARD ...)
# IN: the room, or the file, of the kernel's class, which counts for each pass. A pass that is not named is one that the kernel
# does not have; after its name stand more sources, files or rooms. OPTIONS: what else decides how the code is compiled. The
# compile options of files and rooms count by themselves, if they are set before. Not those of all code (CMAKE_CXX_FLAGS), nor
# the GPU architectures that the user chooses: those are stored with every number as the environment's compile flags.
# The kernel's sources then include "source_hash/<id>.hpp", which is written by the build whenever one of the files changes.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# One line of the manifest for each source of `place`, a file or a room.
function(triscope_manifest_lines variable pass place)
  set(sources ${place})
  set(folder ${place})
  if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/${place})
    file(GLOB sources RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${place}/*.cpp ${place}/*.cu)
  else()
    get_filename_component(folder ${place} DIRECTORY)
  endif()
  triscope_room_target(${folder} room)
  set(of_room "")
  if(TARGET ${room})
    get_target_property(type ${room} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      get_target_property(of_room ${room} COMPILE_OPTIONS)
    endif()
  endif()
  set(lines "")
  foreach(source ${sources})
    set(options "")
    foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS)
      get_source_file_property(one ${source} ${property})
      list(APPEND options ${one})
    endforeach()
    list(APPEND options ${of_room})
    list(REMOVE_ITEM options NOTFOUND of_room-NOTFOUND)
    string(APPEND lines "${pass}\t${source}\t${options}\n")
  endforeach()
  set(${variable} "${${variable}}${lines}" PARENT_SCOPE)
endfunction()

function(triscope_kernel_hash kernel)
  cmake_parse_arguments(PARSE_ARGV 1 hash "" "IN" "FORWARD;BACKWARD;OPTIONS")
  set(manifest "kernel ${kernel}\n")
  foreach(pass FORWARD BACKWARD)
    if(NOT DEFINED hash_${pass} AND NOT ${pass} IN_LIST hash_KEYWORDS_MISSING_VALUES)
      continue()
    endif()
    string(TOLOWER ${pass} name)
    foreach(place ${hash_IN} ${hash_${pass}})
      triscope_manifest_lines(manifest ${name} ${place})
    endforeach()
    string(APPEND manifest "${name}\t-\t${hash_OPTIONS}\n")
  endforeach()
  set(folder ${CMAKE_BINARY_DIR}/source_hash)
  file(CONFIGURE OUTPUT ${folder}/${kernel}.txt @ONLY CONTENT "@manifest@")   # as it stands: the script reads $<...>

  set(header ${CMAKE_BINARY_DIR}/generated/source_hash/${kernel}.hpp)
  add_custom_command(OUTPUT ${header} DEPFILE ${folder}/${kernel}.d VERBATIM COMMENT "Hashing the sources of ${kernel}"
    DEPENDS ${folder}/${kernel}.txt ${CMAKE_SOURCE_DIR}/cmake/source_hash.py
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/source_hash.py ${CMAKE_SOURCE_DIR} ${folder}/${kernel}.txt
      ${header} ${folder}/${kernel}.d)
  set_property(GLOBAL APPEND PROPERTY triscope_hash_headers ${header})
  set(place ${hash_IN})
  if(NOT IS_DIRECTORY ${CMAKE_SOURCE_DIR}/${place})
    get_filename_component(place ${place} DIRECTORY)
  endif()
  triscope_room_target(${place} room)
  if(TARGET ${room})
    target_sources(${room} PRIVATE ${header})
    target_include_directories(${room} PRIVATE ${CMAKE_BINARY_DIR}/generated)
  endif()
endfunction()
