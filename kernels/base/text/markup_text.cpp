#include "kernels/base/text/markup_text.hpp"

#include "kernels/base/text/plain_text.hpp"

namespace triscope {

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : plain_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c == '\n' || c == '\t' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace triscope
