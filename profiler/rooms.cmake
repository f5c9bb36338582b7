# HOW it is measured. Each line: a room, and the rooms and libraries it may use.
triscope_room(profiler/record/words kernels/attention kernels/base kernels/base/files kernels/base/text profiler/record fmt::static
  nlohmann_json::nlohmann_json)
triscope_room(profiler/record kernels/attention kernels/base kernels/base/files kernels/base/text fmt::static
  nlohmann_json::nlohmann_json)
set_source_files_properties(profiler/record/recorded_database.cpp PROPERTIES COMPILE_DEFINITIONS
  "TRISCOPE_SOURCE_DIR=\"${CMAKE_SOURCE_DIR}\"")
triscope_room(profiler/statistics kernels/base profiler/record profiler/record/words Boost::math fmt::static nlohmann_json::nlohmann_json)
triscope_room(profiler/paper/laws kernels/base kernels/base/text profiler/statistics triscope_paper_data fmt::static
  nlohmann_json::nlohmann_json)
triscope_room(profiler/paper/layers kernels/attention kernels/base kernels/base/text profiler/plan profiler/record
  profiler/record/words profiler/statistics triscope_paper_data fmt::static nlohmann_json::nlohmann_json)
triscope_room(profiler/paper kernels/attention kernels/base profiler/record profiler/record/words profiler/statistics
  triscope_paper_data fmt::static nlohmann_json::nlohmann_json)
triscope_room(profiler/match3 kernels/attention kernels/base kernels/cpu kernels/tensors OpenMP::OpenMP_CXX)
triscope_room(profiler/report kernels/attention kernels/base kernels/base/text kernels/paper kernels/tensors profiler/match3
  profiler/paper profiler/paper/laws profiler/paper/layers profiler/plan profiler/record profiler/record/words
  profiler/statistics fmt::static)
triscope_room(profiler/plan kernels/attention kernels/base kernels/base/text kernels/tensors profiler/record
  profiler/record/words profiler/statistics fmt::static nlohmann_json::nlohmann_json)
triscope_room(profiler/search fmt::static)
# The pages of the documentation are part of the programs.
file(GLOB doc_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
set_source_files_properties(profiler/search/documents.cpp PROPERTIES OBJECT_DEPENDS "${doc_files}"
  COMPILE_DEFINITIONS "TRISCOPE_DOCS_DIR=\"${CMAKE_SOURCE_DIR}/docs\"")
triscope_room(profiler/protocol kernels/base kernels/inspect kernels/tensors profiler/record profiler/statistics fmt::static
  nlohmann_json::nlohmann_json)
triscope_room(profiler/supervise kernels/base kernels/base/files kernels/base/text kernels/inspect profiler/protocol
  profiler/record profiler/record/words profiler/statistics triscope_build_facts fmt::static Threads::Threads)
triscope_room(profiler/tiles kernels/base kernels/paper profiler/paper profiler/paper/layers profiler/supervise
  nlohmann_json::nlohmann_json)
triscope_room(profiler/store/open kernels/base kernels/base/files kernels/base/text triscope_schema SQLiteCpp
  SQLite::SQLite3 fmt::static Threads::Threads)
triscope_room(profiler/store kernels/attention kernels/base kernels/base/text profiler/record profiler/statistics
  profiler/store/open triscope_schema SQLiteCpp SQLite::SQLite3 fmt::static Threads::Threads)
triscope_room(profiler/verdict kernels/attention kernels/base profiler/record profiler/record/words profiler/statistics
  profiler/store fmt::static)
triscope_room(profiler/explore kernels/base kernels/base/text profiler/record profiler/record/words profiler/statistics
  fmt::static)
triscope_room(profiler/store/check kernels/base profiler/store/open SQLiteCpp SQLite::SQLite3 fmt::static)
triscope_room(profiler/export kernels/attention kernels/base kernels/base/files kernels/base/text kernels/inspect
  kernels/tensors profiler/paper profiler/record profiler/record/words fmt::static nlohmann_json::nlohmann_json)
# Each makes its own of a library that is one header.
set_source_files_properties(profiler/export/png.cpp profiler/export/deflate.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
triscope_room(profiler/film kernels/base kernels/base/files kernels/base/text profiler/export profiler/supervise
  fmt::static)
triscope_room(profiler/sweep kernels/base kernels/base/files kernels/base/text profiler/plan profiler/protocol
  profiler/record profiler/record/words profiler/statistics profiler/store profiler/store/open profiler/supervise
  profiler/verdict fmt::static nlohmann_json::nlohmann_json Threads::Threads)

# The measuring process. It knows neither the database nor the sweep.
triscope_room(profiler/worker/device kernels/attention kernels/base kernels/inspect kernels/inspect/cpu profiler/record
  profiler/statistics triscope_build_facts fmt::static Threads::Threads)
triscope_room(profiler/worker/jobs kernels/attention kernels/base kernels/base/files kernels/inspect kernels/plugin
  kernels/reference kernels/tensors profiler/protocol profiler/record profiler/record/words profiler/statistics
  profiler/worker/device OpenMP::OpenMP_CXX fmt::static)
set(gpu_rooms "")
if(TRISCOPE_CUDA)
  triscope_cuda_room(profiler/worker/cuda "${TRISCOPE_CUDA_ARCHS}" kernels/attention kernels/base kernels/base/files
    kernels/cuda/common kernels/inspect/cuda profiler/record profiler/worker/device fmt::static Threads::Threads
    ${CMAKE_DL_LIBS})
  set(gpu_rooms profiler/worker/cuda)
  set_source_files_properties(profiler/worker/cuda/cupti_library.cpp PROPERTIES COMPILE_DEFINITIONS
    "TRISCOPE_TOOLKIT_LIBRARIES=\"${CUDAToolkit_LIBRARY_DIR}\"")
  target_include_directories(triscope_profiler_worker_cuda SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
endif()
triscope_room(profiler/worker kernels/base kernels/base/files kernels/plugin profiler/protocol profiler/worker/device profiler/worker/jobs
  ${gpu_rooms} triscope_build_facts fmt::static OpenMP::OpenMP_CXX Threads::Threads)
if(TRISCOPE_CUDA)
  target_compile_definitions(triscope_profiler_worker PRIVATE TRISCOPE_HAVE_CUDA)
endif()
# What a table's columns are is in their types: to describe these to a debugger takes GCC 12 more than 15 GB.
set_source_files_properties(profiler/store/store_read.cpp profiler/store/store_write.cpp PROPERTIES COMPILE_OPTIONS -g0)
triscope_light_rooms(profiler/record profiler/record/words profiler/plan profiler/protocol profiler/supervise profiler/store profiler/store/open profiler/store/check
  profiler/explore profiler/sweep)
