// Text in HTML, SVG and XML.
#pragma once

#include <string>
#include <string_view>

namespace triscope {

/// `text` as the content of an element or of an attribute in double or single quotes: what would be markup is written
/// as entities. What `plain_text` writes out is written out; line feeds and tabs become spaces.
std::string markup_text(std::string_view text);

}  // namespace triscope
