// Text from elsewhere (names in a database, output of other programs), made harmless for a terminal or a log.
#pragma once

#include <string>
#include <string_view>

namespace triscope {

/// `text` with everything written out that a terminal would act on or hide: control characters (\x1b), bytes that are
/// no UTF-8 (\xff), marks that turn the direction of writing (\u202e), and characters that are not seen (\u200b).
/// Line feeds and tabs stay.
std::string plain_text(std::string_view text);

/// The same as one line: line feeds and tabs are written out too.
std::string plain_line(std::string_view text);

/// The same JSON, with those characters as JSON escapes (\u001b). Bytes that are no UTF-8 become U+FFFD.
std::string plain_json(std::string_view json);

}  // namespace triscope
