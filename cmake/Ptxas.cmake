# A kernel whose WGMMA ptxas serialises, or that spills more than kernels/cuda/allowed_spills.txt says, does not compile.
# The list holds for one release of ptxas; another one allocates registers in its own way.
set(ptxas_of_list 13.0)
set(ptxas_inputs "")
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL ${ptxas_of_list} AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.1)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  list(PREPEND CMAKE_CUDA_COMPILER_LAUNCHER ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/ptxas_checked)
  set(ptxas_inputs ${CMAKE_SOURCE_DIR}/cmake/ptxas_checked ${CMAKE_SOURCE_DIR}/kernels/cuda/allowed_spills.txt)
else()
  message(STATUS "Spills and serialised WGMMA are not checked: the list is of CUDA ${ptxas_of_list}, nvcc is ${CMAKE_CUDA_COMPILER_VERSION}")
endif()

# What was compiled is judged again when the script or the list changes; each CMakeLists.txt says it of its own sources.
function(triscope_judge_again)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARGN})
  set_source_files_properties(${sources} PROPERTIES OBJECT_DEPENDS "${ptxas_inputs}")
endfunction()
triscope_judge_again(${CMAKE_SOURCE_DIR}/kernels/*.cu)
