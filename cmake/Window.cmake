# Dear ImGui (docking), ImPlot and, for tests, imgui_test_engine, from the sdist of imgui-bundle, as libraries of ours.
set(imgui_bundle_version 1.93.0)
unpacked_sdist(imgui_bundle-${imgui_bundle_version} ${CMAKE_CURRENT_LIST_DIR}/imgui_bundle.requirements.txt "Dear ImGui"
  "pass -DIMGUI_BUNDLE_SDIST=<imgui_bundle-${imgui_bundle_version}.tar.gz>, or build without the window: -DTRISCOPE_WINDOW=OFF"
  external/imgui/imgui external/implot/implot external/imgui_test_engine/imgui_test_engine)
set(imgui_dir ${sdist_dir}/external/imgui/imgui)
set(implot_dir ${sdist_dir}/external/implot/implot)
set(test_engine_dir ${sdist_dir}/external/imgui_test_engine/imgui_test_engine)
find_package(OpenGL REQUIRED)
find_package(glfw3 3.3 REQUIRED)

add_library(imgui_headers INTERFACE)    # everything that includes imgui.h links this
target_include_directories(imgui_headers SYSTEM INTERFACE ${imgui_dir} ${imgui_dir}/backends ${imgui_dir}/misc/cpp ${implot_dir})
target_compile_definitions(imgui_headers INTERFACE "ImDrawIdx=unsigned int" IMGUI_DISABLE_OBSOLETE_FUNCTIONS)

function(third_party_library name)
  add_library(${name} ${ARGN})
  target_link_libraries(${name} PUBLIC imgui_headers)
  target_compile_options(${name} PRIVATE -w)
endfunction()

# The only four files with test hooks: compiled twice, once for the product and once for the tests.
set(imgui_hooked ${imgui_dir}/imgui.cpp ${imgui_dir}/imgui_tables.cpp ${imgui_dir}/imgui_widgets.cpp ${imgui_dir}/imgui_demo.cpp)
third_party_library(imgui_common OBJECT ${imgui_dir}/imgui_draw.cpp ${imgui_dir}/imgui_stacklayout.cpp
  ${imgui_dir}/misc/cpp/imgui_stdlib.cpp)
third_party_library(imgui STATIC ${imgui_hooked} $<TARGET_OBJECTS:imgui_common>)
third_party_library(implot STATIC ${implot_dir}/implot.cpp ${implot_dir}/implot_items.cpp)
# The number types our charts plot; each one more costs 20 s of compile time.
target_compile_definitions(implot PRIVATE "IMPLOT_CUSTOM_NUMERIC_TYPES=(float)(double)")
third_party_library(imgui_platform STATIC ${imgui_dir}/backends/imgui_impl_glfw.cpp ${imgui_dir}/backends/imgui_impl_opengl3.cpp)
target_link_libraries(imgui_platform PUBLIC glfw OpenGL::GL ${CMAKE_DL_LIBS})
if(TRISCOPE_SANITIZE)
  # The GLFW backend indexes its cursor table with -1 when a plot hides the cursor; harmless, not ours.
  set_source_files_properties(${imgui_dir}/backends/imgui_impl_glfw.cpp PROPERTIES COMPILE_OPTIONS -fno-sanitize=bounds)
  set_source_files_properties(${implot_dir}/implot_items.cpp PROPERTIES COMPILE_OPTIONS -O0)   # 2 GB and 5 min at -O1
endif()

# The font files are part of the program.
file(GLOB font_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/fonts/*.?tf)
set_source_files_properties(views/parts/font_files.cpp PROPERTIES OBJECT_DEPENDS "${font_files}"
  COMPILE_DEFINITIONS "TRISCOPE_FONT_DIR=\"${CMAKE_SOURCE_DIR}/assets/fonts\"")

# What rooms link: Dear ImGui with or without test hooks, as the program asks (property TRISCOPE_TESTABLE), and ImPlot.
add_library(imgui_and_implot INTERFACE)
target_link_libraries(imgui_and_implot INTERFACE imgui_headers implot
  $<IF:$<BOOL:$<TARGET_PROPERTY:TRISCOPE_TESTABLE>>,imgui_testable,imgui>)

if(BUILD_TESTING)
  # imgui_test_engine has a licence of its own (free for open source): tests only, never in the program.
  third_party_library(imgui_testable STATIC ${imgui_hooked} $<TARGET_OBJECTS:imgui_common>)
  target_compile_options(imgui_testable PRIVATE $<$<CONFIG:Release>:-O1>)    # imgui.cpp in 5 s instead of 13
  target_compile_definitions(imgui_testable PUBLIC IMGUI_ENABLE_TEST_ENGINE IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1)
  file(GLOB test_engine_sources ${test_engine_dir}/imgui_test_engine/*.cpp)
  third_party_library(imgui_test_engine STATIC ${test_engine_sources})
  target_include_directories(imgui_test_engine SYSTEM PUBLIC ${test_engine_dir}/imgui_test_engine ${test_engine_dir})
  target_link_libraries(imgui_testable PUBLIC imgui_test_engine)
  target_link_libraries(imgui_test_engine PUBLIC imgui_testable Threads::Threads)   # they call each other
endif()
