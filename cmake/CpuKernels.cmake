# Instruction sets of kernels/cpu. kernels/cpu/*.inl is compiled once per instruction set; which one
# runs is decided at run time (kernels/cpu/*_instructions.cpp), so the build's own machine does not matter.
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
set(fast_flags -ffp-contract=fast)  # a*b+c is one instruction: speed, and never less exact here
set_source_files_properties(kernels/cpu/fast_portable.cpp kernels/inspect/cpu/slice_portable.cpp PROPERTIES COMPILE_OPTIONS "${fast_flags}")
if(processor MATCHES "x86_64|amd64")
  set(avx2_flags -mavx2 -mfma)
  set(avx512_flags -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512)
  set_source_files_properties(kernels/cpu/fast_avx2.cpp kernels/inspect/cpu/slice_avx2.cpp PROPERTIES COMPILE_OPTIONS "${fast_flags};${avx2_flags}")
  set_source_files_properties(kernels/cpu/fast_avx512.cpp kernels/inspect/cpu/slice_avx512.cpp PROPERTIES COMPILE_OPTIONS "${fast_flags};${avx512_flags}")
  set_source_files_properties(kernels/cpu/fast_instructions.cpp kernels/inspect/cpu/slice_instructions.cpp PROPERTIES COMPILE_DEFINITIONS TRISCOPE_X86)
else()
  set_source_files_properties(kernels/cpu/fast_avx2.cpp kernels/cpu/fast_avx512.cpp kernels/inspect/cpu/slice_avx2.cpp
    kernels/inspect/cpu/slice_avx512.cpp PROPERTIES HEADER_FILE_ONLY ON)
endif()

triscope_add_flags(cpu.fast "${OpenMP_CXX_FLAGS};${fast_flags};by instruction set:;${avx2_flags};or;${avx512_flags}")

# Timing beside OpenBLAS, by hand: ninja cpu_bench.
add_executable(cpu_bench EXCLUDE_FROM_ALL bench/cpu_bench.cpp)
target_link_libraries(cpu_bench PRIVATE triscope_kernels_registry ${CMAKE_DL_LIBS})
