#include "views/print/pdf_font.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "profiler/export/deflate.hpp"

#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <imstb_truetype.h>
#pragma GCC diagnostic pop

namespace triscope {

struct PdfFont::Face {
  std::span<const unsigned char> bytes;
  stbtt_fontinfo info{};
  double per_em = 1000;
};

namespace {

const char* name_of(FontFile file) {
  switch (file) {
    case FontFile::text:
      return "Inter-Regular";
    case FontFile::heading:
      return "Inter-SemiBold";
    case FontFile::numbers:
      return "JetBrainsMono-Regular";
  }
  return "";
}

/// Outlines of Bezier curves of the third degree (CFF), or of the second.
bool is_cff(FontFile file) { return file != FontFile::numbers; }

std::uint32_t number_at(std::string_view bytes, std::size_t at, int count) {
  std::uint32_t number = 0;
  for (int n = 0; n < count; ++n)
    number = number << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(n)]);
  return number;
}

void append(std::string& bytes, std::uint32_t number, int count) {
  for (int n = count - 1; n >= 0; --n) bytes += static_cast<char>(number >> (8 * n) & 255);
}

/// `letter` as the four or eight hexadecimal digits of UTF-16.
std::string utf16(char32_t letter) {
  if (letter < 0x10000) return fmt::format("{:04X}", static_cast<std::uint32_t>(letter));
  const auto rest = static_cast<std::uint32_t>(letter) - 0x10000;
  return fmt::format("{:04X}{:04X}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

}  // namespace

std::u32string letters_of(std::string_view words) {
  std::u32string letters;
  for (std::size_t at = 0; at < words.size();) {
    const auto first = static_cast<unsigned char>(words[at]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || at + length > words.size()) {
      ++at;
      continue;
    }
    char32_t letter = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t n = 1; n < length; ++n) letter = letter << 6 | (static_cast<unsigned char>(words[at + n]) & 0x3FU);
    letters += letter;
    at += length;
  }
  return letters;
}

std::string pdf_stream(std::string_view bytes, const std::string& words) {
  return fmt::format("<< /Length {}{}{} >>\nstream\n{}\nendstream", bytes.size(), words.empty() ? "" : " ", words,
                     bytes);
}

PdfFont::PdfFont(FontFile file) : file_(file), face_(std::make_unique<Face>()) {
  face_->bytes = font_file(file);
  stbtt_InitFont(&face_->info, face_->bytes.data(), 0);
  face_->per_em = std::round(1 / stbtt_ScaleForMappingEmToPixels(&face_->info, 1));
}

PdfFont::~PdfFont() = default;

int PdfFont::glyph_of(char32_t letter) const {
  const int glyph = stbtt_FindGlyphIndex(&face_->info, static_cast<int>(letter));
  return glyph != 0 ? glyph : stbtt_FindGlyphIndex(&face_->info, '?');
}

int PdfFont::advance(int glyph) const {
  int width = 0, bearing = 0;
  stbtt_GetGlyphHMetrics(&face_->info, glyph, &width, &bearing);
  return static_cast<int>(std::lround(1000 * width / face_->per_em));
}

std::string PdfFont::glyphs(std::string_view words) {
  std::string digits;
  for (const char32_t letter : letters_of(words)) {
    const int glyph = glyph_of(letter);
    meanings_.try_emplace(glyph, letter);
    digits += fmt::format("{:04X}", glyph);
  }
  return digits;
}

double PdfFont::width(std::string_view words) const {
  int sum = 0;
  for (const char32_t letter : letters_of(words)) sum += advance(glyph_of(letter));
  return sum / 1000.0;
}

std::string PdfFont::program() const {
  constexpr std::array<std::string_view, 11> kNeeded{"CFF ", "cmap", "cvt ", "fpgm", "glyf", "head",
                                                     "hhea", "hmtx", "loca", "maxp", "prep"};
  const std::string_view file(reinterpret_cast<const char*>(face_->bytes.data()), face_->bytes.size());
  std::vector<std::pair<std::string_view, std::string_view>> tables;  // the entry of the directory, and the table
  for (std::size_t n = 0; n < number_at(file, 4, 2); ++n) {
    const std::string_view entry = file.substr(12 + 16 * n, 16);
    if (std::ranges::find(kNeeded, entry.substr(0, 4)) != kNeeded.end())
      tables.emplace_back(entry, file.substr(number_at(entry, 8, 4), number_at(entry, 12, 4)));
  }
  std::string directory(file.substr(0, 4)), body;
  std::uint32_t power = 1, exponent = 0;
  while (2 * power <= tables.size()) power *= 2, ++exponent;
  append(directory, static_cast<std::uint32_t>(tables.size()), 2);
  append(directory, 16 * power, 2);
  append(directory, exponent, 2);
  append(directory, 16 * (static_cast<std::uint32_t>(tables.size()) - power), 2);
  for (const auto& [entry, table] : tables) {
    directory += entry.substr(0, 8);
    append(directory, static_cast<std::uint32_t>(12 + 16 * tables.size() + body.size()), 4);
    directory += entry.substr(12);
    body += table;
    while (body.size() % 4 != 0) body += '\0';
  }
  return directory + body;
}

std::string PdfFont::to_unicode() const {
  std::string text =
      "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
      "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
      "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n";
  constexpr std::size_t kMost = 100;  // lines of a block
  for (auto first = meanings_.begin(); first != meanings_.end();) {
    const auto left = static_cast<std::size_t>(std::distance(first, meanings_.end()));
    const std::size_t count = std::min(kMost, left);
    text += fmt::format("{} beginbfchar\n", count);
    for (std::size_t n = 0; n < count; ++n, ++first)
      text += fmt::format("<{:04X}> <{}>\n", first->first, utf16(first->second));
    text += "endbfchar\n";
  }
  return text + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n";
}

std::vector<std::string> PdfFont::objects(std::size_t first) const {
  const char* name = name_of(file_);
  int ascent = 0, descent = 0, gap = 0, x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  stbtt_GetFontVMetrics(&face_->info, &ascent, &descent, &gap);
  stbtt_GetFontBoundingBox(&face_->info, &x0, &y0, &x1, &y1);
  const auto em = [&](int units) { return static_cast<int>(std::lround(1000 * units / face_->per_em)); };
  std::string widths;
  for (const auto& [glyph, letter] : meanings_) widths += fmt::format("{} [{}] ", glyph, advance(glyph));
  const std::string program_bytes = program(), packed = deflated(program_bytes);
  const std::string file_words = is_cff(file_) ? "/Filter /FlateDecode /Subtype /OpenType"
                                               : fmt::format("/Filter /FlateDecode /Length1 {}", program_bytes.size());
  return {
      fmt::format("<< /Type /Font /Subtype /Type0 /BaseFont /{} /Encoding /Identity-H /DescendantFonts [{} 0 R] "
                  "/ToUnicode {} 0 R >>",
                  name, first + 1, first + 4),
      fmt::format("<< /Type /Font /Subtype /{} /BaseFont /{} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
                  "/Supplement 0 >> /FontDescriptor {} 0 R /DW 1000 /W [{}]{} >>",
                  is_cff(file_) ? "CIDFontType0" : "CIDFontType2", name, first + 2, widths,
                  is_cff(file_) ? "" : " /CIDToGIDMap /Identity"),
      fmt::format("<< /Type /FontDescriptor /FontName /{} /Flags 4 /FontBBox [{} {} {} {}] /ItalicAngle 0 /Ascent {} "
                  "/Descent {} /CapHeight {} /StemV 80 /{} {} 0 R >>",
                  name, em(x0), em(y0), em(x1), em(y1), em(ascent), em(descent), em(ascent),
                  is_cff(file_) ? "FontFile3" : "FontFile2", first + 3),
      pdf_stream(packed, file_words),
      pdf_stream(to_unicode()),
  };
}

}  // namespace triscope
