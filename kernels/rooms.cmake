# WHAT is computed. Each line: a room, and the rooms and libraries it may use.
triscope_room(kernels/base/text kernels/base fmt::static)
triscope_room(kernels/base/files kernels/base fmt::static ${CMAKE_DL_LIBS})
triscope_room(kernels/base fmt::static libmd::libmd ${CMAKE_DL_LIBS})
triscope_room(kernels/attention kernels/base fmt::static OpenMP::OpenMP_CXX)
triscope_room(kernels/tensors kernels/attention kernels/base kernels/base/files kernels/base/text fmt::static nlohmann_json::nlohmann_json
  zlib::zlib)
triscope_room(kernels/reference kernels/attention kernels/base fmt::static OpenMP::OpenMP_CXX)
triscope_room(kernels/cpu kernels/attention kernels/base fmt::static OpenMP::OpenMP_CXX)
triscope_room(kernels/paper kernels/attention fmt::static OpenMP::OpenMP_CXX)    # the paper's own kernels, and steps
triscope_room(kernels/inspect kernels/attention kernels/base kernels/tensors fmt::static)
triscope_room(kernels/inspect/cpu kernels/base kernels/inspect kernels/reference kernels/tensors OpenMP::OpenMP_CXX)
include(CpuKernels)    # instruction sets of kernels/cpu and kernels/inspect/cpu

# Other people's kernels, found at run time.
triscope_room(kernels/baseline/common kernels/attention kernels/base kernels/base/files fmt::static Threads::Threads)
triscope_room(kernels/baseline/fa3 kernels/attention kernels/base kernels/base/files kernels/baseline/common fmt::static
  Threads::Threads)
triscope_room(kernels/baseline/cudnn kernels/attention kernels/base kernels/base/files kernels/baseline/common fmt::static)
triscope_room(kernels/baseline/cublas kernels/attention kernels/base kernels/base/files kernels/baseline/common fmt::static)
include(Baselines)

set(gpu_rooms "")
if(TRISCOPE_CUDA)
  triscope_cuda_room(kernels/cuda/common "${TRISCOPE_CUDA_ARCHS}" kernels/attention kernels/base fmt::static)

  triscope_cuda_room(kernels/cuda/portable/common "${TRISCOPE_CUDA_ARCHS}" kernels/attention)
  triscope_cuda_room(kernels/cuda/portable/forward "${TRISCOPE_CUDA_ARCHS}" kernels/cuda/common
    kernels/cuda/portable/common)
  triscope_cuda_room(kernels/cuda/portable/backward "${TRISCOPE_CUDA_ARCHS}" kernels/cuda/common
    kernels/cuda/portable/common)
  triscope_cuda_room(kernels/cuda/portable "${TRISCOPE_CUDA_ARCHS}" kernels/attention kernels/base kernels/cuda/common
    kernels/cuda/portable/backward kernels/cuda/portable/common kernels/cuda/portable/forward fmt::static)

  # sm_90a only: WGMMA and TMA do not exist elsewhere, so no PTX either.
  triscope_cuda_room(kernels/cuda/hopper/common 90a-real kernels/base kernels/cuda/common fmt::static)
  triscope_cuda_room(kernels/cuda/hopper/forward 90a-real kernels/base kernels/cuda/common kernels/cuda/hopper/common
    fmt::static)
  triscope_cuda_room(kernels/cuda/hopper/forward/instances 90a-real kernels/cuda/common kernels/cuda/hopper/forward)
  triscope_cuda_room(kernels/cuda/hopper/backward/plan 90a-real kernels/attention kernels/cuda/hopper/choose
    kernels/cuda/portable/common fmt::static)
  triscope_cuda_room(kernels/cuda/hopper/backward/kernel 90a-real kernels/attention kernels/cuda/common
    kernels/cuda/hopper/backward/plan kernels/cuda/hopper/common)
  triscope_cuda_room(kernels/cuda/hopper/backward/instances 90a-real kernels/cuda/common
    kernels/cuda/hopper/backward/kernel)
  triscope_cuda_room(kernels/cuda/hopper/backward/around 90a-real kernels/attention kernels/cuda/common
    kernels/cuda/hopper/backward/kernel kernels/cuda/hopper/backward/plan kernels/cuda/portable/backward
    kernels/cuda/portable/common)    # the kernels before and after the main one
  triscope_cuda_room(kernels/cuda/hopper/backward 90a-real kernels/attention kernels/base kernels/cuda/common
    kernels/cuda/hopper/backward/around kernels/cuda/hopper/backward/instances kernels/cuda/hopper/backward/kernel
    kernels/cuda/hopper/backward/plan kernels/cuda/hopper/choose kernels/cuda/hopper/common
    kernels/cuda/portable/backward kernels/cuda/portable/common fmt::static)
  triscope_cuda_room(kernels/cuda/hopper/choose 90a-real kernels/attention kernels/cuda/hopper/forward
    kernels/cuda/portable/common fmt::static)
  triscope_cuda_room(kernels/cuda/hopper 90a-real kernels/attention kernels/base kernels/cuda/common
    kernels/cuda/hopper/backward kernels/cuda/hopper/choose kernels/cuda/hopper/forward
    kernels/cuda/hopper/forward/instances kernels/cuda/portable/common kernels/cuda/portable/forward fmt::static)

  # Not part of the kernel: nothing of it counts for its hash.
  triscope_cuda_room(kernels/cuda/hopper/tiles 90a-real kernels/attention kernels/cuda/hopper/backward kernels/cuda/hopper/backward/plan
    kernels/cuda/hopper/choose kernels/cuda/hopper/forward kernels/cuda/portable/common fmt::static)

  triscope_cuda_room(kernels/cuda/rotary "${TRISCOPE_CUDA_ARCHS}" kernels/base kernels/cuda/common)    # timed on its own

  triscope_cuda_room(kernels/inspect/cuda "${TRISCOPE_CUDA_ARCHS}" kernels/base kernels/cuda/common kernels/inspect
    OpenMP::OpenMP_CXX)
  set(gpu_rooms kernels/cuda/common kernels/cuda/portable kernels/cuda/hopper kernels/cuda/hopper/tiles kernels/baseline/fa3 kernels/baseline/cudnn
    kernels/baseline/cublas)
endif()

# What each pass of a kernel is compiled from. Here without CUDA too, so that tests/house/source_hash sees all of them.
triscope_kernel_hash(cpu.oracle IN kernels/reference/oracle.cpp FORWARD kernels/reference/oracle_evaluation.cpp
  BACKWARD kernels/reference/oracle_evaluation.cpp)
triscope_kernel_hash(cpu.two_stage IN kernels/paper/two_stage.cpp BACKWARD)
triscope_kernel_hash(cpu.fast IN kernels/cpu FORWARD BACKWARD)    # and baseline.cpu; each file holds both passes
triscope_kernel_hash(cuda.portable IN kernels/cuda/portable
  FORWARD kernels/cuda/portable/common kernels/cuda/portable/forward
  BACKWARD kernels/cuda/portable/common kernels/cuda/portable/backward)
triscope_kernel_hash(cuda.hopper IN kernels/cuda/hopper OPTIONS 90a-real
  FORWARD kernels/cuda/hopper/common kernels/cuda/hopper/choose kernels/cuda/hopper/forward kernels/cuda/hopper/forward/instances
    kernels/cuda/portable/common kernels/cuda/portable/forward    # one of its instances is the portable forward,
  BACKWARD kernels/cuda/hopper/common kernels/cuda/hopper/backward kernels/cuda/hopper/backward/plan kernels/cuda/hopper/backward/kernel
    kernels/cuda/hopper/backward/instances kernels/cuda/hopper/backward/around
    kernels/cuda/portable/common kernels/cuda/portable/backward)    # and one the portable backward
triscope_kernel_hash(baseline.fa3 IN kernels/baseline/fa3 FORWARD kernels/baseline/common BACKWARD kernels/baseline/common)
triscope_kernel_hash(baseline.cudnn IN kernels/baseline/cudnn FORWARD kernels/baseline/common BACKWARD kernels/baseline/common)
triscope_kernel_hash(baseline.cublas IN kernels/baseline/cublas FORWARD kernels/baseline/common)

# Every kernel of this build.
triscope_room(kernels/registry kernels/attention kernels/cpu kernels/paper kernels/reference ${gpu_rooms})
if(TRISCOPE_CUDA)
  target_compile_definitions(triscope_kernels_registry PRIVATE TRISCOPE_HAVE_CUDA)
endif()

# Kernels of other people's libraries, which export the same header.
triscope_room(kernels/plugin kernels/attention kernels/base kernels/base/files kernels/base/text fmt::static
  Threads::Threads)

# The C interface of include/triscope/attention.h; libtriscope_attention.so is this room: cmake/Interface.cmake.
set(interface_gpu_rooms "")
if(TRISCOPE_CUDA)
  set(interface_gpu_rooms kernels/cuda/common kernels/cuda/portable kernels/cuda/hopper)
endif()
triscope_room(kernels/interface kernels/attention kernels/base kernels/cpu kernels/reference ${interface_gpu_rooms}
  fmt::static)
target_compile_definitions(triscope_kernels_interface PRIVATE TRISCOPE_VERSION="${PROJECT_VERSION}" $<$<BOOL:${TRISCOPE_CUDA}>:TRISCOPE_HAVE_CUDA>)
