# Sources from sdists on PyPI, pinned by version and hash and unpacked once per user, so that every build folder compiles the
# same paths (ccache hits).
#   -DTRISCOPE_THIRD_PARTY_DIR=<folder>   where they are unpacked; default: the user's cache folder
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

# pip checks the hash, saves one file, and runs nothing of the package (pip_stub stands in for its build backend).
function(download_sdist requirements what)
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
  set(python ${Python3_EXECUTABLE})
  execute_process(COMMAND ${python} -m pip --version RESULT_VARIABLE no_pip OUTPUT_QUIET ERROR_QUIET)
  if(no_pip)
    execute_process(COMMAND ${python} -m venv ${TRISCOPE_THIRD_PARTY_DIR}/venv COMMAND_ERROR_IS_FATAL ANY)
    set(python ${TRISCOPE_THIRD_PARTY_DIR}/venv/bin/python)
  endif()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pip_stub ${python} -m pip download --quiet
      --disable-pip-version-check --no-deps --no-build-isolation --use-pep517 --no-binary :all: --require-hashes -d ${TRISCOPE_THIRD_PARTY_DIR}
      -r ${requirements}
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "The sources of ${what} could not be downloaded with pip (see above). Connect to a package index, or ${ARGN}")
  endif()
endfunction()

# unpacked_sdist(NAME REQUIREMENTS WHAT INSTEAD PATTERN...): downloads NAME.tar.gz (unless the variable NAME_SDIST, in capital
# letters, names a file) and unpacks what lies under the patterns. `sdist_dir` is set to the folder. INSTEAD is what to do
# without a network.
function(unpacked_sdist name requirements what instead)
  set(folder ${TRISCOPE_THIRD_PARTY_DIR}/${name})
  set(sdist_dir ${folder} PARENT_SCOPE)
  file(LOCK ${TRISCOPE_THIRD_PARTY_DIR} DIRECTORY GUARD FUNCTION TIMEOUT 600)
  if(EXISTS ${folder}/unpacked)
    return()
  endif()
  file(STRINGS ${requirements} pinned REGEX "--hash=sha256:")
  string(REGEX REPLACE ".*--hash=sha256:" "" sha256 "${pinned}")
  string(REGEX REPLACE "-[0-9.]+$" "" variable ${name})
  string(TOUPPER ${variable}_SDIST variable)
  set(sdist ${${variable}})
  if(NOT sdist)
    set(sdist ${TRISCOPE_THIRD_PARTY_DIR}/${name}.tar.gz)
    if(NOT EXISTS ${sdist})
      message(STATUS "Downloading ${what} (${name}) ...")
      download_sdist(${requirements} ${what} ${instead})
    endif()
  endif()
  file(SHA256 ${sdist} found_sha256)
  if(NOT found_sha256 STREQUAL sha256)
    message(FATAL_ERROR "${sdist} has SHA-256 ${found_sha256}, expected ${sha256}: delete it and configure again")
  endif()
  file(REMOVE_RECURSE ${folder})
  list(TRANSFORM ARGN PREPEND ${name}/)
  file(ARCHIVE_EXTRACT INPUT ${sdist} DESTINATION ${TRISCOPE_THIRD_PARTY_DIR} PATTERNS ${ARGN})
  file(TOUCH ${folder}/unpacked)
endfunction()
