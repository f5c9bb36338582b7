# What cuDNN's part of kernels/baseline needs. The libraries themselves are pinned by hash or name their version at run time;
# nothing of them is linked.
# Options are set without the headers too: they are part of the kernel's hash.
set_source_files_properties(kernels/baseline/cudnn/cudnn_attention.cpp PROPERTIES
  COMPILE_DEFINITIONS NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING COMPILE_OPTIONS -O1)

# Headers only: cudnn.h of NVIDIA's cuDNN and cudnn_frontend.h; ./run build --with-cudnn puts both into the build folder.
#   -DCUDNN_INCLUDE=<folder> -DCUDNN_FRONTEND_INCLUDE=<folder>   to name them
if(TRISCOPE_CUDA)
  find_path(CUDNN_INCLUDE cudnn.h HINTS ${CMAKE_BINARY_DIR}/cudnn/nvidia/cudnn/include $ENV{CUDNN_HOME}/include)
  find_path(CUDNN_FRONTEND_INCLUDE cudnn_frontend.h HINTS ${CMAKE_BINARY_DIR}/cudnn/include)
endif()
if(TRISCOPE_CUDA AND CUDNN_INCLUDE AND CUDNN_FRONTEND_INCLUDE)
  message(STATUS "cuDNN headers: ${CUDNN_INCLUDE}, ${CUDNN_FRONTEND_INCLUDE}")
  target_include_directories(triscope_kernels_baseline_cudnn SYSTEM PRIVATE ${CUDNN_INCLUDE} ${CUDNN_FRONTEND_INCLUDE} ${CUDAToolkit_INCLUDE_DIRS})
  target_compile_definitions(triscope_kernels_baseline_cudnn PRIVATE TRISCOPE_HAVE_CUDNN)
else()
  set_source_files_properties(kernels/baseline/cudnn/cudnn_attention.cpp PROPERTIES HEADER_FILE_ONLY ON)
endif()
