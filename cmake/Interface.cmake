# libtriscope_attention.so: the C interface (include/triscope/attention.h) with our kernels inside, its CMake package and its
# pkg-config file. They are a component of their own: cmake --install build --component interface.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What is inside must be position-independent. Hidden, it costs nothing: calls within the library stay direct.
set(inside triscope_fmt triscope_kernels_base triscope_kernels_attention triscope_kernels_reference triscope_kernels_cpu)
if(TRISCOPE_CUDA)
  foreach(folder common portable portable/common portable/forward portable/backward hopper hopper/common hopper/choose hopper/forward
      hopper/forward/instances hopper/backward hopper/backward/plan hopper/backward/kernel hopper/backward/instances hopper/backward/around)
    triscope_room_target(kernels/cuda/${folder} room)
    get_target_property(type ${room} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND inside ${room})
    endif()
  endforeach()
endif()
set_target_properties(${inside} triscope_kernels_interface PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_target_properties(${inside} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

add_library(triscope_attention SHARED $<TARGET_OBJECTS:triscope_kernels_interface>)
add_library(triscope::attention ALIAS triscope_attention)
set_target_properties(triscope_attention PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 1 EXPORT_NAME attention LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib LINK_DEPENDS ${CMAKE_SOURCE_DIR}/cmake/interface.map)
target_link_libraries(triscope_attention PRIVATE $<BUILD_INTERFACE:triscope_kernels_interface>)
target_link_options(triscope_attention PRIVATE LINKER:--version-script=${CMAKE_SOURCE_DIR}/cmake/interface.map)
target_include_directories(triscope_attention INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/triscope)
install(TARGETS triscope_attention EXPORT triscope LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT interface
  NAMELINK_COMPONENT interface)
install(FILES ${CMAKE_SOURCE_DIR}/include/triscope/attention.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/triscope COMPONENT interface)
install(EXPORT triscope NAMESPACE triscope:: FILE triscope-config.cmake DESTINATION ${cmake_folder} COMPONENT interface)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/interface/triscope-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/interface/triscope-config-version.cmake DESTINATION ${cmake_folder} COMPONENT interface)

# Folders as seen from the file itself, so that the installed tree may be moved.
file(RELATIVE_PATH from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" from_pkgconfig ${from_pkgconfig})
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/interface/triscope-attention.pc @ONLY CONTENT [=[prefix=${pcfiledir}/@from_pkgconfig@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
Name: triscope-attention
Description: 2-simplicial attention as a C library
Version: @PROJECT_VERSION@
Cflags: -I${prefix}/@CMAKE_INSTALL_INCLUDEDIR@
Libs: -L${libdir} -ltriscope_attention
]=])
install(FILES ${CMAKE_BINARY_DIR}/interface/triscope-attention.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT interface)
