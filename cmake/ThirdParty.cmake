# Libraries from the system's packages; static or header-only, so that the programs run on a bare compute node.
include(Sdist)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt 9 REQUIRED)
add_library(triscope_fmt STATIC ${CMAKE_SOURCE_DIR}/cmake/fmt/format.cpp)   # why: see there
add_library(fmt::static ALIAS triscope_fmt)
get_target_property(fmt_include fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(triscope_fmt SYSTEM PUBLIC ${fmt_include})
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)

if(TRISCOPE_SANITIZE)
  # The sanitizers see only what was compiled with them.
  enable_language(C)
  unpacked_sdist(sqlean_py-3.50.4.5 ${CMAKE_CURRENT_LIST_DIR}/sqlite.requirements.txt "SQLite"
    "pass -DSQLEAN_PY_SDIST=<sqlean_py-3.50.4.5.tar.gz>" sqlite)
  set(TRISCOPE_SQLITE3_INCLUDE ${sdist_dir}/sqlite)
  add_library(triscope_sqlite STATIC ${sdist_dir}/sqlite/sqlite3.c ${CMAKE_SOURCE_DIR}/cmake/sqlite/no_extensions.c)
  target_compile_options(triscope_sqlite PRIVATE -w -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_compile_definitions(triscope_sqlite PRIVATE SQLITE_ENABLE_COLUMN_METADATA)
  target_include_directories(triscope_sqlite SYSTEM PUBLIC ${sdist_dir}/sqlite)
  target_link_libraries(triscope_sqlite PUBLIC m ${CMAKE_DL_LIBS} Threads::Threads)
  add_library(SQLite::SQLite3 ALIAS triscope_sqlite)
else()
  find_library(TRISCOPE_SQLITE3_STATIC libsqlite3.a REQUIRED)
  find_path(TRISCOPE_SQLITE3_INCLUDE sqlite3.h REQUIRED)
  add_library(SQLite::SQLite3 STATIC IMPORTED)
  set_target_properties(SQLite::SQLite3 PROPERTIES IMPORTED_LOCATION ${TRISCOPE_SQLITE3_STATIC}
    INTERFACE_INCLUDE_DIRECTORIES ${TRISCOPE_SQLITE3_INCLUDE} INTERFACE_LINK_LIBRARIES "m;${CMAKE_DL_LIBS};Threads::Threads")
endif()
find_package(SQLiteCpp 3.2 REQUIRED)

find_library(TRISCOPE_LIBMD_STATIC libmd.a REQUIRED)
find_path(TRISCOPE_LIBMD_INCLUDE sha2.h REQUIRED)
add_library(libmd::libmd STATIC IMPORTED)
set_target_properties(libmd::libmd PROPERTIES IMPORTED_LOCATION ${TRISCOPE_LIBMD_STATIC}
  INTERFACE_INCLUDE_DIRECTORIES ${TRISCOPE_LIBMD_INCLUDE})

find_library(TRISCOPE_ZLIB_STATIC libz.a REQUIRED)
find_path(TRISCOPE_ZLIB_INCLUDE zlib.h REQUIRED)
add_library(zlib::zlib STATIC IMPORTED)
set_target_properties(zlib::zlib PROPERTIES IMPORTED_LOCATION ${TRISCOPE_ZLIB_STATIC}
  INTERFACE_INCLUDE_DIRECTORIES ${TRISCOPE_ZLIB_INCLUDE})

# Headers only. Not by find_package: Boost's own target adds a definition to every file that its users reach.
find_path(TRISCOPE_BOOST_INCLUDE boost/math/distributions/students_t.hpp REQUIRED)
add_library(Boost::math INTERFACE IMPORTED)
set_target_properties(Boost::math PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${TRISCOPE_BOOST_INCLUDE})

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
endif()
