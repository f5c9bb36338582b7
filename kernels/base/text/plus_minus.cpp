#include "kernels/base/text/plus_minus.hpp"

namespace triscope {

std::string plus_minus(std::string text) {
  for (std::size_t at = text.find("+-"); at != std::string::npos; at = text.find("+-")) text.replace(at, 2, "±");
  return text;
}

}  // namespace triscope
