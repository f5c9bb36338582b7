// HTML as text: escaped, without anything that is loaded from elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// Text from anywhere as HTML text or attribute: it shows what it says and does nothing. Control characters are written
/// out (`plain_line`), and "+-" is the sign ±.
std::string html_text(std::string_view text);

struct HtmlTable {
  std::vector<std::string> header;
  std::vector<bool> numeric;                   ///< by column: right-aligned
  std::vector<std::vector<std::string>> rows;  ///< each as long as `header`; cells by `html_text`
  std::string caption;
};
std::string html_table(const HtmlTable& table);

/// A whole page: `title`, then `body`, which is HTML already. Its style stands in it; colours follow the reader's
/// setting and print in black on white. A policy in it forbids the browser to load anything.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace triscope
