// A font of the program inside a PDF: its glyphs by number, their widths, and what they mean as text.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "views/parts/font_files.hpp"

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

 private:
  struct Face;
  int glyph_of(char32_t letter) const;
  int advance(int glyph) const;  ///< thousandths of the font's size
  std::string program() const;   ///< the font file without what the PDF does not need of it
  std::string to_unicode() const;

  FontFile file_;
  std::unique_ptr<Face> face_;
  std::map<int, char32_t> meanings_;  ///< of the glyphs that are used
};

/// The letters of UTF-8 text; what is none is left out.
std::u32string letters_of(std::string_view words);

/// A stream object's body; `words` stand in its dictionary.
std::string pdf_stream(std::string_view bytes, const std::string& words = {});

}  // namespace triscope
