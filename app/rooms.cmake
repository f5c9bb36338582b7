# The programs. Each line: a room, and the rooms and libraries it may use.
triscope_room(app/stop kernels/base Threads::Threads)
triscope_room(app/cli/options kernels/attention kernels/base kernels/base/files kernels/base/text profiler/explore
  profiler/record profiler/statistics profiler/store profiler/store/check profiler/verdict CLI11::CLI11 fmt::static)
triscope_room(app/cli/text kernels/attention kernels/base kernels/base/files kernels/base/text profiler/explore
  profiler/export profiler/plan profiler/record profiler/record/words profiler/statistics profiler/store
  profiler/store/open profiler/sweep profiler/verdict app/cli/options fmt::static nlohmann_json::nlohmann_json)
triscope_room(app/cli/doctor kernels/base kernels/base/files profiler/plan profiler/record profiler/store
  profiler/store/check profiler/store/open profiler/supervise app/cli/text fmt::static)
triscope_room(app/cli/paper kernels/attention kernels/base kernels/base/files kernels/base/text kernels/paper
  kernels/tensors profiler/match3 profiler/paper profiler/paper/laws profiler/paper/layers profiler/plan profiler/record
  profiler/record/words profiler/report profiler/statistics profiler/store profiler/store/open profiler/tiles
  profiler/verdict app/cli/options app/cli/text fmt::static
  nlohmann_json::nlohmann_json)
triscope_room(app/cli/film kernels/base kernels/base/text profiler/film profiler/record app/cli/options
  app/cli/text app/stop fmt::static nlohmann_json::nlohmann_json)
triscope_room(app/cli/commands kernels/base kernels/base/files kernels/base/text kernels/inspect kernels/plugin
  kernels/tensors profiler/explore profiler/export profiler/paper profiler/paper/laws profiler/paper/layers profiler/plan profiler/record profiler/record/words
  profiler/statistics profiler/store profiler/store/open profiler/supervise profiler/sweep profiler/verdict app/cli/doctor app/cli/film app/cli/options app/cli/paper
  app/cli/text app/stop triscope_build_facts triscope_plugin_skeleton CLI11::CLI11 fmt::static nlohmann_json::nlohmann_json)
triscope_room(app/cli/search kernels/base/text profiler/plan profiler/record profiler/record/words profiler/search
  profiler/store profiler/store/open app/cli/commands app/cli/options app/cli/text CLI11::CLI11 fmt::static
  nlohmann_json::nlohmann_json)
triscope_room(app/cli kernels/base kernels/base/text profiler/store/open app/cli/commands app/cli/search app/cli/text CLI11::CLI11 fmt::static)
triscope_light_rooms(app/stop app/cli app/cli/options app/cli/text app/cli/doctor app/cli/paper app/cli/commands app/cli/search)

add_executable(triscope-worker profiler/worker/main/worker_main.cpp profiler/worker/main/worker_program.cpp)
target_link_libraries(triscope-worker PRIVATE triscope_profiler_worker triscope_profiler_paper triscope_kernels_registry)
include(WorkerLibrary)
add_executable(triscope-check-file profiler/store/check/main/check_main.cpp)
target_link_libraries(triscope-check-file PRIVATE triscope_profiler_store_check)
add_executable(triscope app/cli/main/triscope_main.cpp)
target_link_libraries(triscope PRIVATE triscope_app_cli)
add_dependencies(triscope triscope-worker triscope-check-file)

if(TRISCOPE_WINDOW)
  # The window. app/window wires its parts together (no GLFW, so that tests run it without a display); each other folder
  # is a part, or what parts share; app/window/main is the program.
  triscope_room(app/window/threads Threads::Threads)
  triscope_room(app/window/engine profiler/paper profiler/plan profiler/record profiler/supervise profiler/sweep
    profiler/tiles views/data)
  triscope_room(app/window/desktop kernels/base kernels/base/files profiler/record views/model fmt::static
    nlohmann_json::nlohmann_json)
  triscope_room(app/window/messages views/data app/window/threads fmt::static)
  triscope_room(app/window/undo app/window/messages)
  triscope_room(app/window/files kernels/base kernels/base/files profiler/export profiler/paper/laws profiler/store
    views/data views/model app/window/messages app/window/threads imgui_and_implot fmt::static)
  triscope_room(app/window/look kernels/base profiler/plan views/model views/parts app/window/desktop app/window/files
    app/window/messages app/window/undo imgui_and_implot fmt::static)
  triscope_room(app/window/picture kernels/base profiler/export views/model app/window/files app/window/messages
    imgui_and_implot fmt::static)
  triscope_room(app/window/database kernels/base kernels/base/text profiler/explore profiler/plan profiler/record profiler/store
    profiler/statistics profiler/store/open profiler/verdict views/data views/model views/model/charts
    views/model/tables app/window/messages app/window/threads app/window/undo fmt::static Threads::Threads)
  triscope_room(app/window/sweep kernels/attention kernels/base kernels/base/text profiler/plan profiler/record
    profiler/statistics profiler/store/open profiler/sweep views/data views/model app/window/database app/window/engine
    app/window/messages app/window/threads fmt::static Threads::Threads)
  triscope_room(app/window/attention kernels/base kernels/base/text profiler/export profiler/film profiler/supervise
    views/model/attention views/parts app/window/engine app/window/messages app/window/threads fmt::static)
  triscope_room(app/window/explore kernels/base profiler/explore profiler/store profiler/verdict views/data views/model
    views/model/charts app/window/database app/window/messages app/window/threads fmt::static)
  triscope_room(app/window/tiles views/model/paper app/window/engine app/window/messages app/window/threads)
  triscope_room(app/window kernels/base kernels/base/text profiler/store/open views/model/attention views/model/tables views/panels views/parts views/print
    views/print/canvas views/shell app/window/attention app/window/database app/window/desktop app/window/engine app/window/explore app/window/files
    app/window/look app/window/messages app/window/picture app/window/sweep app/window/threads app/window/tiles
    app/window/undo imgui_and_implot fmt::static)
  triscope_room(app/window/report kernels/base kernels/base/files profiler/explore profiler/paper/layers profiler/record profiler/report
    profiler/store profiler/store/open profiler/supervise profiler/tiles views/data views/model/charts views/model/paper views/shell app/window imgui_and_implot fmt::static Threads::Threads)
  triscope_light_rooms(app/window app/window/engine app/window/desktop app/window/messages app/window/files app/window/look
    app/window/picture app/window/database app/window/sweep app/window/attention app/window/explore app/window/tiles app/window/report)
  add_library(triscope_desktop STATIC app/window/main/frame_loop.cpp app/window/main/window_fit.cpp)    # the same on GLFW and OpenGL
  target_link_libraries(triscope_desktop PUBLIC triscope_app_window triscope_app_stop imgui_platform)
  add_executable(triscope-window app/window/main/window_main.cpp)
  target_link_libraries(triscope-window PRIVATE triscope_desktop triscope_app_window_report CLI11::CLI11)
  add_dependencies(triscope-window triscope-worker triscope-check-file)
endif()
