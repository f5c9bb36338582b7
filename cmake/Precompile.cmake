# triscope_precompile(TARGET HEADER...): the headers that most files of a target include are read once.
# Not beside ccache, which knows a compiled file again by what it includes: a precompiled header would be one more thing that
# must be the same. So files are compiled without it as well, and each still includes what it uses.
function(triscope_precompile target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/)
  target_precompile_headers(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${ARGN}>)
endfunction()
