// Text in HTML, SVG and XML.
#pragma once

#include <string>
#include <string_view>

namespace triscope {

/// `text` as the content of an element or of an attribute in double or single quotes: what would be markup is written
/// as entities. XML has no control characters, so they become spaces.
std::string markup_text(std::string_view text);

}  // namespace triscope
