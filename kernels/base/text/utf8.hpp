// UTF-8, one character after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace triscope {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no UTF-8
};

/// The character that `text` begins with; of no bytes where it begins with none, or is empty.
Character first_character(std::string_view text);

}  // namespace triscope
