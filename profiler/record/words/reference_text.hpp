// Which texts of what rows stand beside are no kernel's id.
#pragma once

#include <string_view>

namespace triscope {

/// Whether what rows stand beside is a kernel of this id. "auto", "none", "paper" and what begins as a row, a sweep or
/// a database does are other references, whatever a kernel is called.
inline bool names_a_kernel(std::string_view reference) {
  for (const char* word : {"", "auto", "none", "paper"})
    if (reference == word) return false;
  for (const char* prefix : {"row:", "sweep:", "database:"})
    if (reference.starts_with(prefix)) return false;
  return true;
}

}  // namespace triscope
