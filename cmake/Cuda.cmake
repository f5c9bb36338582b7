# The CUDA compiler and the options of our CUDA code.
set(TRISCOPE_CUDA_ARCHS "80-real;90" CACHE STRING
  "GPU architectures of the portable kernels, as CMAKE_CUDA_ARCHITECTURES takes them. The default runs from sm_80 on \
(8.6 and 8.9 run the code of 8.0, newer ones compile the PTX of 9.0); CI: 80-real; \
release: 80-real;86-real;89-real;90-real;90-virtual")

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(TRISCOPE_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
  if(NOT TRISCOPE_NVCC)
    message(FATAL_ERROR "TRISCOPE_CUDA is on, but there is no nvcc: install the CUDA Toolkit 13, or name the compiler "
      "with -DCMAKE_CUDA_COMPILER=/path/to/nvcc, or configure with -DTRISCOPE_CUDA=OFF")
  endif()
  set(CMAKE_CUDA_COMPILER ${TRISCOPE_NVCC})
endif()
if(NOT CMAKE_CUDA_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})  # ccache
endif()
set(CMAKE_CUDA_ARCHITECTURES 80-real)  # of CMake's compiler test; every target sets its own
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
  message(FATAL_ERROR "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old: Triscope needs CUDA Toolkit 13.0 or later")
endif()
find_package(CUDAToolkit 13.0 REQUIRED)
include(Ptxas)   # spills and serialised WGMMA are errors

# CMake 3.25 does not know C++20 for nvcc: it would refuse CMAKE_CXX_STANDARD 20, or silently compile C++17.
set(CMAKE_CUDA_STANDARD_REQUIRED OFF)
add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
set_property(TARGET triscope_build_facts APPEND PROPERTY TRISCOPE_MORE_COMPILERS ", nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
triscope_add_flags(cuda "-std=c++20;-lineinfo;${CMAKE_CUDA_FLAGS};${CMAKE_CUDA_FLAGS_RELEASE};${TRISCOPE_CUDA_ARCHS};hopper:;90a-real")
set(triscope_cuda_options $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings> $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo>)
