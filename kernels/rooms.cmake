# WHAT is computed. Each line: a room, and the rooms and libraries it may use.
triscope_room(kernels/base fmt::static libmd::libmd ${CMAKE_DL_LIBS})
triscope_room(kernels/attention kernels/base fmt::static OpenMP::OpenMP_CXX)
triscope_room(kernels/tensors kernels/base kernels/attention fmt::static nlohmann_json::nlohmann_json)
triscope_room(kernels/reference kernels/base kernels/attention fmt::static OpenMP::OpenMP_CXX)
triscope_room(kernels/cpu kernels/attention fmt::static OpenMP::OpenMP_CXX)
triscope_room(kernels/inspect kernels/base kernels/attention kernels/tensors fmt::static)
triscope_room(kernels/inspect/cpu kernels/base kernels/inspect kernels/reference kernels/tensors OpenMP::OpenMP_CXX)
include(CpuKernels)    # instruction sets of kernels/cpu and kernels/inspect/cpu

# Other people's kernels, found at run time.
triscope_room(kernels/baseline/common kernels/base kernels/attention fmt::static)
triscope_room(kernels/baseline/fa3 kernels/base kernels/attention kernels/baseline/common fmt::static)
triscope_room(kernels/baseline/cudnn kernels/base kernels/attention kernels/baseline/common fmt::static)
triscope_room(kernels/baseline/cublas kernels/base kernels/attention kernels/baseline/common fmt::static)
include(Baselines)

set(gpu_rooms "")
if(TRISCOPE_CUDA)
  triscope_cuda_room(kernels/cuda/common "${TRISCOPE_CUDA_ARCHS}" kernels/base kernels/attention fmt::static)

  triscope_cuda_room(kernels/cuda/portable/common "${TRISCOPE_CUDA_ARCHS}" kernels/attention)
  triscope_cuda_room(kernels/cuda/portable/forward "${TRISCOPE_CUDA_ARCHS}" kernels/cuda/common kernels/cuda/portable/common)
  triscope_cuda_room(kernels/cuda/portable/backward "${TRISCOPE_CUDA_ARCHS}" kernels/cuda/common kernels/cuda/portable/common)
  triscope_cuda_room(kernels/cuda/portable "${TRISCOPE_CUDA_ARCHS}" kernels/base kernels/attention kernels/cuda/common
    kernels/cuda/portable/common kernels/cuda/portable/forward kernels/cuda/portable/backward fmt::static)

  # sm_90a only: WGMMA and TMA do not exist elsewhere, so no PTX either.
  triscope_cuda_room(kernels/cuda/hopper/common 90a-real)
  triscope_cuda_room(kernels/cuda/hopper/forward 90a-real kernels/base kernels/cuda/common kernels/cuda/hopper/common
    fmt::static)
  triscope_cuda_room(kernels/cuda/hopper/forward/instances 90a-real kernels/cuda/hopper/forward)
  triscope_cuda_room(kernels/cuda/hopper/choose 90a-real kernels/attention kernels/cuda/hopper/forward
    kernels/cuda/portable/common fmt::static)
  triscope_cuda_room(kernels/cuda/hopper 90a-real kernels/base kernels/attention kernels/cuda/common
    kernels/cuda/hopper/choose kernels/cuda/hopper/forward kernels/cuda/hopper/forward/instances
    kernels/cuda/portable/common kernels/cuda/portable/forward fmt::static)

  # The source hash of a kernel is over its own sources, headers included.
  file(GLOB own_sources CONFIGURE_DEPENDS kernels/cuda/portable/*.* kernels/cuda/portable/*/*.*)
  triscope_source_hash(kernels/cuda/portable/portable.cpp ${own_sources})
  file(GLOB own_sources CONFIGURE_DEPENDS kernels/cuda/hopper/*.* kernels/cuda/hopper/*/*.* kernels/cuda/hopper/*/*/*.*
    kernels/cuda/portable/forward/* kernels/cuda/portable/common/*)   # one of its instances is the portable forward
  triscope_source_hash(kernels/cuda/hopper/hopper.cpp ${own_sources})

  triscope_cuda_room(kernels/inspect/cuda "${TRISCOPE_CUDA_ARCHS}" kernels/base kernels/cuda/common kernels/inspect OpenMP::OpenMP_CXX)
  set(gpu_rooms kernels/cuda/common kernels/cuda/portable kernels/cuda/hopper kernels/baseline/fa3 kernels/baseline/cudnn
    kernels/baseline/cublas)
endif()

# Every kernel of this build.
triscope_room(kernels/registry kernels/attention kernels/reference kernels/cpu ${gpu_rooms})
if(TRISCOPE_CUDA)
  target_compile_definitions(triscope_kernels_registry PRIVATE TRISCOPE_HAVE_CUDA)
endif()
