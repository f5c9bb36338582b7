// A list as people type it: "512x32, 256x64".
#pragma once

#include <string_view>
#include <vector>

namespace triscope {

/// What stands between the commas of `text`, without the blanks around it. Empty items are kept: the reader refuses
/// them.
std::vector<std::string_view> list_items(std::string_view text);

/// What stands between commas, semicolons and blanks, for lists that may have any of these. No item is empty.
std::vector<std::string_view> list_words(std::string_view text);

}  // namespace triscope
