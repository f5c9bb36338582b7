# Versions of what is compiled in, for kernels/base/third_party.cpp.
file(STRINGS ${TRISCOPE_SQLITE3_INCLUDE}/sqlite3.h sqlite_version REGEX "^#define SQLITE_VERSION +\"")
string(REGEX REPLACE ".*\"([0-9.]+)\".*" "\\1" sqlite_version "${sqlite_version}")
cmake_path(GET TRISCOPE_LIBMD_STATIC PARENT_PATH libmd_folder)
file(STRINGS ${libmd_folder}/pkgconfig/libmd.pc libmd_version REGEX "^Version:")
string(REGEX REPLACE "^Version: *" "" libmd_version "${libmd_version}")
file(STRINGS ${TRISCOPE_ZLIB_INCLUDE}/zlib.h zlib_version REGEX "^#define ZLIB_VERSION ")
string(REGEX REPLACE ".*\"([^\"]+)\".*" "\\1" zlib_version "${zlib_version}")
file(STRINGS ${TRISCOPE_BOOST_INCLUDE}/boost/version.hpp boost_version REGEX "^#define BOOST_LIB_VERSION ")
string(REGEX REPLACE ".*\"([0-9]+)_([0-9]+).*\"" "\\1.\\2" boost_version "${boost_version}")
set(part_versions "TRISCOPE_FMT_VERSION=\"${fmt_VERSION}\"" "TRISCOPE_JSON_VERSION=\"${nlohmann_json_VERSION}\""
  "TRISCOPE_CLI11_VERSION=\"${CLI11_VERSION}\"" "TRISCOPE_SQLITE_VERSION=\"${sqlite_version}\""
  "TRISCOPE_SQLITECPP_VERSION=\"${SQLiteCpp_VERSION}\"" "TRISCOPE_LIBMD_VERSION=\"${libmd_version}\""
  "TRISCOPE_ZLIB_VERSION=\"${zlib_version}\"" "TRISCOPE_BOOST_VERSION=\"${boost_version}\"")
if(TRISCOPE_CUDA)
  list(APPEND part_versions "TRISCOPE_CUDA_VERSION=\"${CUDAToolkit_VERSION}\"")
endif()
if(TRISCOPE_WINDOW)
  list(APPEND part_versions "TRISCOPE_IMGUI_BUNDLE_VERSION=\"${imgui_bundle_version}\"" "TRISCOPE_GLFW_VERSION=\"${glfw3_VERSION}\"")
endif()
set_source_files_properties(kernels/base/third_party.cpp PROPERTIES COMPILE_DEFINITIONS "${part_versions}")
