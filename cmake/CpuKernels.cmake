# Instruction sets and source hashes of kernels/cpu. kernels/cpu/fast_*.inl is compiled once per instruction set; which
# one runs is decided at run time (kernels/cpu/fast_instructions.cpp), so the build's own machine does not matter.
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
set(fast_flags -ffp-contract=fast)  # a*b+c is one instruction: speed, and never less exact here
set_source_files_properties(kernels/cpu/fast_portable.cpp PROPERTIES COMPILE_OPTIONS "${fast_flags}")
if(processor MATCHES "x86_64|amd64")
  set_source_files_properties(kernels/cpu/fast_avx2.cpp PROPERTIES COMPILE_OPTIONS "${fast_flags};-mavx2;-mfma")
  set_source_files_properties(kernels/cpu/fast_avx512.cpp PROPERTIES
    COMPILE_OPTIONS "${fast_flags};-mavx512f;-mavx512dq;-mavx512vl;-mavx512bw;-mfma;-mprefer-vector-width=512")
  set_source_files_properties(kernels/cpu/fast_instructions.cpp PROPERTIES COMPILE_DEFINITIONS TRISCOPE_X86)
else()
  set_source_files_properties(kernels/cpu/fast_avx2.cpp kernels/cpu/fast_avx512.cpp PROPERTIES HEADER_FILE_ONLY ON)
endif()

file(GLOB shared_sources CONFIGURE_DEPENDS kernels/cpu/fast_*)
foreach(kernel oracle fast attention_baseline)
  file(GLOB own_sources CONFIGURE_DEPENDS kernels/cpu/${kernel}*)
  if(NOT kernel STREQUAL "oracle")
    list(APPEND own_sources ${shared_sources})
    list(REMOVE_DUPLICATES own_sources)
  endif()
  triscope_source_hash(kernels/cpu/${kernel}.cpp ${own_sources})
endforeach()

# Timing beside OpenBLAS, by hand: ninja cpu_bench.
add_executable(cpu_bench EXCLUDE_FROM_ALL bench/cpu_bench.cpp)
target_link_libraries(cpu_bench PRIVATE triscope_registry ${CMAKE_DL_LIBS})
