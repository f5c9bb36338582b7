# Options of our own code. Third-party targets never link triscope_options.
# -Wno-restrict: GCC 12 warns about "text" + std::string of its own library (GCC bug 105651).
add_library(triscope_options INTERFACE)
target_compile_options(triscope_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-missing-field-initializers
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> -Werror>
  # Where files are compiled as one (cmake/Unity.cmake), one file's private names would be shadowed in the next.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>>:-Wshadow>)
if(TRISCOPE_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined> $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=address,undefined)
endif()
