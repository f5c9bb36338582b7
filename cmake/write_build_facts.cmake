# Writes build_facts.hpp: cmake -DSOURCE_DIR= -DOUTPUT= -DPROJECT_VERSION= -DCOMPILER= -DFLAGS= -P write_build_facts.cmake
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE triscope_commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE git_failed)
if(git_failed)
  set(triscope_commit "unknown")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_facts.hpp.in ${OUTPUT} @ONLY)
