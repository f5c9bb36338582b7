#include "views/print/canvas/pdf_font.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "profiler/export/deflate.hpp"
#include "views/print/canvas/web_font.hpp"

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

/// Six letters that begin the name of a font of which only some glyphs are there: others for other glyphs.
std::string subset_tag(const std::map<int, char32_t>& used) {
  std::uint32_t hash = 2166136261U;
  for (const auto& [glyph, letter] : used) hash = (hash ^ static_cast<std::uint32_t>(glyph)) * 16777619U;
  std::string tag;
  for (int n = 0; n < 6; ++n, hash /= 26) tag += static_cast<char>('A' + hash % 26);
  return tag;
}

/// One list of a CFF table: where its elements lie, and where it ends.
struct CffIndex {
  std::vector<std::pair<std::size_t, std::size_t>> elements;  ///< begin and end
  std::size_t end = 0;
};
CffIndex cff_index(std::string_view cff, std::size_t at) {
  CffIndex index;
  const std::size_t count = number_at(cff, at, 2);
  index.end = at + 2;
  if (count == 0) return index;
  const int size = static_cast<int>(number_at(cff, at + 2, 1));
  const auto offset = [&](std::size_t n) { return number_at(cff, at + 3 + n * static_cast<std::size_t>(size), size); };
  const std::size_t base = at + 2 + (count + 1) * static_cast<std::size_t>(size);  // offsets count from 1
  for (std::size_t n = 0; n < count; ++n) index.elements.emplace_back(base + offset(n), base + offset(n + 1));
  index.end = base + offset(count);
  return index;
}

/// Where the outlines begin, by the table's first dictionary.
std::size_t charstrings_of(std::string_view dictionary) {
  constexpr std::uint32_t kCharStrings = 17, kEscape = 12, kReal = 30, kShort = 28, kLong = 29;
  std::uint32_t operand = 0;
  for (std::size_t at = 0; at < dictionary.size();) {
    const std::uint32_t first = number_at(dictionary, at, 1);
    if (first == kCharStrings) return operand;
    if (first <= 21) {  // an operator
      at += first == kEscape ? 2 : 1;
    } else if (first == kShort) {
      operand = number_at(dictionary, at + 1, 2), at += 3;
    } else if (first == kLong) {
      operand = number_at(dictionary, at + 1, 4), at += 5;
    } else if (first == kReal) {
      for (++at; (number_at(dictionary, at, 1) & 15U) != 15; ++at) {
      }
      ++at;
    } else {
      operand = first <= 246 ? first - 139 : 0;
      at += first <= 246 ? 1 : 2;
    }
  }
  return 0;
}

/// The outlines of glyphs that are not used, and the names of all, become bytes that compress to nothing. Every offset
/// stays as it is.
void blank_cff(std::string& cff, const std::map<int, char32_t>& used) {
  constexpr char kEndOfGlyph = 14;
  const CffIndex names = cff_index(cff, number_at(cff, 2, 1)), dictionaries = cff_index(cff, names.end),
                 strings = cff_index(cff, dictionaries.end);
  if (dictionaries.elements.empty()) return;
  const auto [begin, end] = dictionaries.elements.front();
  const std::size_t outlines = charstrings_of(std::string_view(cff).substr(begin, end - begin));
  if (outlines == 0) return;
  const CffIndex glyphs = cff_index(cff, outlines);
  for (std::size_t glyph = 1; glyph < glyphs.elements.size(); ++glyph) {
    if (used.contains(static_cast<int>(glyph))) continue;
    const auto [from, to] = glyphs.elements[glyph];
    std::fill(cff.begin() + static_cast<std::ptrdiff_t>(from), cff.begin() + static_cast<std::ptrdiff_t>(to),
              kEndOfGlyph);
  }
  if (!strings.elements.empty())
    std::fill(cff.begin() + static_cast<std::ptrdiff_t>(strings.elements.front().first),
              cff.begin() + static_cast<std::ptrdiff_t>(strings.end), 'x');
}

/// The same of outlines of the second degree; a glyph that others are made of is used with them.
void blank_glyf(std::string& glyf, std::string_view loca, bool long_offsets, const std::map<int, char32_t>& used) {
  const auto offset = [&](std::size_t glyph) -> std::size_t {
    return long_offsets ? number_at(loca, 4 * glyph, 4) : std::size_t{2} * number_at(loca, 2 * glyph, 2);
  };
  const std::size_t count = loca.size() / (long_offsets ? 4 : 2) - 1;
  std::set<std::size_t> kept{0};
  std::vector<std::size_t> open;
  for (const auto& [glyph, letter] : used) open.push_back(static_cast<std::size_t>(glyph));
  while (!open.empty()) {
    const std::size_t glyph = open.back();
    open.pop_back();
    if (glyph >= count || !kept.insert(glyph).second || offset(glyph) == offset(glyph + 1)) continue;
    std::size_t at = offset(glyph);
    if (number_at(glyf, at, 2) < 0x8000) continue;  // it is not made of others
    constexpr std::uint32_t kWords = 1, kScale = 8, kMore = 0x20, kTwoScales = 0x40, kMatrix = 0x80;
    std::uint32_t flags = kMore;
    for (at += 10; (flags & kMore) != 0;) {
      flags = number_at(glyf, at, 2);
      open.push_back(number_at(glyf, at + 2, 2));
      at += 4 + ((flags & kWords) != 0 ? 4U : 2U);
      at += (flags & kScale) != 0 ? 2U : (flags & kTwoScales) != 0 ? 4U : (flags & kMatrix) != 0 ? 8U : 0U;
    }
  }
  for (std::size_t glyph = 0; glyph < count; ++glyph) {
    if (kept.contains(glyph)) continue;
    std::fill(glyf.begin() + static_cast<std::ptrdiff_t>(offset(glyph)),
              glyf.begin() + static_cast<std::ptrdiff_t>(offset(glyph + 1)), '\0');
  }
}

/// The widths of glyphs that are not used become 0, of those that have an entry of their own.
void blank_widths(std::string& widths, std::size_t glyphs, const std::map<int, char32_t>& used) {
  for (std::size_t glyph = 1; glyph < std::min(glyphs, widths.size() / 4); ++glyph) {
    if (!used.contains(static_cast<int>(glyph)))
      std::fill_n(widths.begin() + static_cast<std::ptrdiff_t>(4 * glyph), 4, '\0');
  }
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
    if (stbtt_FindGlyphIndex(&face_->info, static_cast<int>(letter)) != 0) letters_.try_emplace(letter, glyph);
    digits += fmt::format("{:04X}", glyph);
  }
  return digits;
}

double PdfFont::width(std::string_view words) const {
  int sum = 0;
  for (const char32_t letter : letters_of(words)) sum += advance(glyph_of(letter));
  return sum / 1000.0;
}

std::vector<FontTable> PdfFont::tables(std::span<const std::string_view> needed) const {
  const std::string_view file(reinterpret_cast<const char*>(face_->bytes.data()), face_->bytes.size());
  std::vector<FontTable> tables;
  std::string_view loca;
  bool long_offsets = false;
  for (std::size_t n = 0; n < number_at(file, 4, 2); ++n) {
    const std::string_view entry = file.substr(12 + 16 * n, 16);
    const std::string_view bytes = file.substr(number_at(entry, 8, 4), number_at(entry, 12, 4));
    if (std::ranges::find(needed, entry.substr(0, 4)) != needed.end())
      tables.push_back({std::string(entry.substr(0, 4)), std::string(bytes)});
    if (entry.starts_with("loca")) loca = bytes;
    if (entry.starts_with("head")) long_offsets = number_at(bytes, 50, 2) != 0;
  }
  for (FontTable& table : tables) {
    if (table.tag == "cmap") table.bytes = letter_table(letters_);
    if (table.tag == "hmtx") blank_widths(table.bytes, static_cast<std::size_t>(face_->info.numGlyphs), meanings_);
    if (table.tag == "CFF ") blank_cff(table.bytes, meanings_);
    if (table.tag == "glyf" && !loca.empty()) blank_glyf(table.bytes, loca, long_offsets, meanings_);
  }
  return tables;
}

std::string PdfFont::program() const {
  constexpr std::array<std::string_view, 11> kNeeded{"CFF ", "cmap", "cvt ", "fpgm", "glyf", "head",
                                                     "hhea", "hmtx", "loca", "maxp", "prep"};
  const std::string_view file(reinterpret_cast<const char*>(face_->bytes.data()), face_->bytes.size());
  const std::vector<FontTable> needed = tables(kNeeded);
  std::string directory(file.substr(0, 4)), body;
  std::uint32_t power = 1, exponent = 0;
  while (2 * power <= needed.size()) power *= 2, ++exponent;
  append(directory, static_cast<std::uint32_t>(needed.size()), 2);
  append(directory, 16 * power, 2);
  append(directory, exponent, 2);
  append(directory, 16 * (static_cast<std::uint32_t>(needed.size()) - power), 2);
  for (const FontTable& table : needed) {
    directory += table.tag;
    append(directory, checksum(table.bytes), 4);
    append(directory, static_cast<std::uint32_t>(12 + 16 * needed.size() + body.size()), 4);
    append(directory, static_cast<std::uint32_t>(table.bytes.size()), 4);
    body += table.bytes;
    while (body.size() % 4 != 0) body += '\0';
  }
  return directory + body;
}

std::string PdfFont::woff() const {
  constexpr std::array<std::string_view, 14> kNeeded{"CFF ", "OS/2", "cmap", "cvt ", "fpgm", "glyf", "head",
                                                     "hhea", "hmtx", "loca", "maxp", "name", "post", "prep"};
  const std::string_view file(reinterpret_cast<const char*>(face_->bytes.data()), face_->bytes.size());
  std::vector<FontTable> needed = tables(kNeeded);
  for (FontTable& table : needed) {
    if (table.tag == "post") {  // without the names of glyphs
      table.bytes.resize(32);
      table.bytes.replace(0, 4, std::string("\0\3\0\0", 4));
    }
  }
  std::ranges::sort(needed, {}, &FontTable::tag);
  return web_font(file.substr(0, 4), needed);
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
  const std::string name = subset_tag(meanings_) + "+" + name_of(file_);
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
