// A font of the program inside a picture for print: its glyphs by number, their widths, and what they mean as text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "views/parts/font_files.hpp"
#include "views/print/canvas/web_font.hpp"

namespace triscope {

class PdfFont {
 public:
  explicit PdfFont(FontFile file);
  ~PdfFont();

  /// Glyph numbers of UTF-8 text, four hexadecimal digits each, as `Tj` takes them. Remembers what is used.
  std::string glyphs(std::string_view words);
  /// In sizes of the font.
  double width(std::string_view words) const;
  bool used() const { return !meanings_.empty(); }

  /// The font's objects, to be numbered from `first` on; the first is what a page's resources name.
  std::vector<std::string> objects(std::size_t first) const;
  /// A WOFF file of the glyphs that are used, for an SVG.
  std::string woff() const;

 private:
  struct Face;
  int glyph_of(char32_t letter) const;
  int advance(int glyph) const;  ///< thousandths of the font's size
  /// Those of these tables that the file has, without what is only of glyphs that are not used.
  std::vector<FontTable> tables(std::span<const std::string_view> needed) const;
  std::string program() const;  ///< the font file without what the PDF does not need of it
  std::string to_unicode() const;

  FontFile file_;
  std::unique_ptr<Face> face_;
  std::map<int, char32_t> meanings_;  ///< of the glyphs that are used
  std::map<char32_t, int> letters_;   ///< that are used, and their glyphs
};

/// The letters of UTF-8 text; what is none is left out.
std::u32string letters_of(std::string_view words);

/// A stream object's body; `words` stand in its dictionary.
std::string pdf_stream(std::string_view bytes, const std::string& words = {});

}  // namespace triscope
