# Source hashes of kernels/baseline. The libraries themselves are pinned by hash or name their version (kernels/baseline).
foreach(kernel fa3 cublas)
  file(GLOB own_sources CONFIGURE_DEPENDS kernels/baseline/${kernel}_* kernels/baseline/runtime_library.*)
  if(kernel STREQUAL "fa3")
    list(APPEND own_sources kernels/baseline/xla_ffi.hpp)
  endif()
  triscope_source_hash(kernels/baseline/${kernel}_kernel.cpp ${own_sources})
endforeach()
