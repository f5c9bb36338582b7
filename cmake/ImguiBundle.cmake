# Dear ImGui (docking), ImPlot and, for tests, imgui_test_engine: sources from the PyPI sdist of imgui-bundle, pinned by
# version and hash, unpacked once per user so that every build folder compiles the same paths (ccache hits).
#   -DIMGUI_BUNDLE_SDIST=<imgui_bundle-1.93.0.tar.gz>   use a file that was downloaded elsewhere (no network)
#   -DTRISCOPE_THIRD_PARTY_DIR=<folder>                 where sources are unpacked; default: the user's cache folder
set(imgui_bundle_version 1.93.0)
set(imgui_bundle_sha256 10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf)

if(NOT TRISCOPE_THIRD_PARTY_DIR)
  set(cache_home "$ENV{XDG_CACHE_HOME}")
  if(NOT cache_home)
    set(cache_home "$ENV{HOME}/.cache")
  endif()
  execute_process(COMMAND mkdir -p ${cache_home}/triscope/third_party RESULT_VARIABLE not_writable OUTPUT_QUIET ERROR_QUIET)
  if(not_writable)
    set(cache_home ${CMAKE_BINARY_DIR})
  endif()
  set(TRISCOPE_THIRD_PARTY_DIR ${cache_home}/triscope/third_party CACHE PATH "Where third-party sources are unpacked")
endif()
file(MAKE_DIRECTORY ${TRISCOPE_THIRD_PARTY_DIR})
set(imgui_bundle_dir ${TRISCOPE_THIRD_PARTY_DIR}/imgui_bundle-${imgui_bundle_version})

# pip checks the hash, saves one file, and runs nothing of the package (pip_stub stands in for its build backend).
function(download_imgui_bundle folder)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
  set(python ${Python3_EXECUTABLE})
  execute_process(COMMAND ${python} -m pip --version RESULT_VARIABLE no_pip OUTPUT_QUIET ERROR_QUIET)
  if(no_pip)
    execute_process(COMMAND ${python} -m venv ${folder}/venv COMMAND_ERROR_IS_FATAL ANY)
    set(python ${folder}/venv/bin/python)
  endif()
  message(STATUS "Downloading imgui-bundle ${imgui_bundle_version} (54 MB) ...")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pip_stub ${python} -m pip download --quiet
      --disable-pip-version-check --no-deps --no-build-isolation --no-binary imgui-bundle --require-hashes -d ${folder}
      -r ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/imgui_bundle.requirements.txt
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "The sources of Dear ImGui could not be downloaded with pip (see above). Connect to a package index, "
      "or pass -DIMGUI_BUNDLE_SDIST=<imgui_bundle-${imgui_bundle_version}.tar.gz>, or build without the window: -DTRISCOPE_WINDOW=OFF")
  endif()
endfunction()

file(LOCK ${TRISCOPE_THIRD_PARTY_DIR} DIRECTORY GUARD FILE TIMEOUT 600)
if(NOT EXISTS ${imgui_bundle_dir}/unpacked)
  set(sdist ${IMGUI_BUNDLE_SDIST})
  if(NOT sdist)
    set(sdist ${TRISCOPE_THIRD_PARTY_DIR}/imgui_bundle-${imgui_bundle_version}.tar.gz)
    if(NOT EXISTS ${sdist})
      download_imgui_bundle(${TRISCOPE_THIRD_PARTY_DIR})
    endif()
  endif()
  file(SHA256 ${sdist} found_sha256)
  if(NOT found_sha256 STREQUAL imgui_bundle_sha256)
    message(FATAL_ERROR "${sdist} has SHA-256 ${found_sha256}, expected ${imgui_bundle_sha256}: delete it and configure again")
  endif()
  file(REMOVE_RECURSE ${imgui_bundle_dir})
  set(top imgui_bundle-${imgui_bundle_version}/external)
  file(ARCHIVE_EXTRACT INPUT ${sdist} DESTINATION ${TRISCOPE_THIRD_PARTY_DIR}
    PATTERNS ${top}/imgui/imgui ${top}/implot/implot ${top}/imgui_test_engine/imgui_test_engine)
  file(TOUCH ${imgui_bundle_dir}/unpacked)
endif()

set(imgui_dir ${imgui_bundle_dir}/external/imgui/imgui)
set(implot_dir ${imgui_bundle_dir}/external/implot/implot)
set(test_engine_dir ${imgui_bundle_dir}/external/imgui_test_engine/imgui_test_engine)
