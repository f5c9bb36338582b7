# Source hashes (and, where a file needs one, the instruction set) of kernels/cpu.
foreach(kernel oracle fast)
  file(GLOB sources CONFIGURE_DEPENDS kernels/cpu/${kernel}*)
  triscope_source_hash(kernels/cpu/${kernel}.cpp ${sources})
endforeach()
