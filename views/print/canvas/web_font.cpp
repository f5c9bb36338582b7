#include "views/print/canvas/web_font.hpp"

#include <algorithm>
#include <vector>

#include "profiler/export/deflate.hpp"

namespace triscope {
namespace {

void pad(std::string& bytes) {
  while (bytes.size() % 4 != 0) bytes += '\0';
}

}  // namespace

std::uint32_t number_at(std::string_view bytes, std::size_t at, int count) {
  std::uint32_t number = 0;
  for (int n = 0; n < count; ++n)
    number = number << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(n)]);
  return number;
}

void append(std::string& bytes, std::uint32_t number, int count) {
  for (int n = count - 1; n >= 0; --n) bytes += static_cast<char>(number >> (8 * n) & 255);
}

std::uint32_t checksum(std::string_view table) {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < table.size(); ++at)
    sum += static_cast<std::uint32_t>(static_cast<unsigned char>(table[at])) << (8 * (3 - at % 4));
  return sum;
}

std::string letter_table(const std::map<char32_t, int>& glyphs) {
  struct Segment {
    std::uint32_t first, last, delta;
  };
  std::vector<Segment> segments;  // format 4: a letter's glyph is the letter and its segment's delta, modulo 2^16
  for (const auto& [letter, glyph] : glyphs) {
    const auto code = static_cast<std::uint32_t>(letter);
    if (code >= 0xFFFF) break;
    const std::uint32_t delta = (static_cast<std::uint32_t>(glyph) - code) & 0xFFFFU;
    if (!segments.empty() && segments.back().last + 1 == code && segments.back().delta == delta) {
      segments.back().last = code;
    } else {
      segments.push_back({code, code, delta});
    }
  }
  segments.push_back({0xFFFF, 0xFFFF, 1});
  const auto count = static_cast<std::uint32_t>(segments.size());
  std::uint32_t power = 1, exponent = 0;
  while (2 * power <= count) power *= 2, ++exponent;
  std::string table;
  for (const std::uint32_t number : {0U, 1U, 3U, 1U}) append(table, number, 2);  // version, one table, Windows, Unicode
  append(table, 12, 4);
  for (const std::uint32_t number : {4U, 16 + 8 * count, 0U, 2 * count, 2 * power, exponent, 2 * (count - power)})
    append(table, number, 2);
  for (const Segment& one : segments) append(table, one.last, 2);
  append(table, 0, 2);
  for (const Segment& one : segments) append(table, one.first, 2);
  for (const Segment& one : segments) append(table, one.delta, 2);
  for (std::size_t n = 0; n < segments.size(); ++n) append(table, 0, 2);
  return table;
}

std::string web_font(std::string_view flavour, std::span<const FontTable> tables) {
  constexpr std::uint32_t kHeader = 44, kEntry = 20, kMagic = 0xB1B0AFBAU;
  // The whole font's checksum stands in its table "head"; it counts that entry as 0.
  std::vector<FontTable> all(tables.begin(), tables.end());
  const auto count = static_cast<std::uint32_t>(all.size());
  std::uint32_t plain = 12 + 16 * count, power = 1, exponent = 0;
  while (2 * power <= count) power *= 2, ++exponent;
  std::string directory(flavour);
  for (const std::uint32_t number : {count, 16 * power, exponent, 16 * (count - power)}) append(directory, number, 2);
  std::uint32_t sum = 0;
  for (FontTable& table : all) {
    if (table.tag == "head") std::fill_n(table.bytes.begin() + 8, 4, '\0');
    directory += table.tag;
    append(directory, checksum(table.bytes), 4);
    append(directory, plain, 4);
    append(directory, static_cast<std::uint32_t>(table.bytes.size()), 4);
    sum += checksum(table.bytes);
    plain += static_cast<std::uint32_t>((table.bytes.size() + 3) / 4 * 4);
  }
  sum += checksum(directory);
  std::string entries, body;
  for (FontTable& table : all) {
    const std::uint32_t own = checksum(table.bytes);
    if (table.tag == "head") {
      std::string adjustment;
      append(adjustment, kMagic - sum, 4);
      table.bytes.replace(8, 4, adjustment);
    }
    std::string packed = deflated(table.bytes);
    if (packed.size() >= table.bytes.size()) packed = table.bytes;
    entries += table.tag;
    append(entries, kHeader + kEntry * count + static_cast<std::uint32_t>(body.size()), 4);
    append(entries, static_cast<std::uint32_t>(packed.size()), 4);
    append(entries, static_cast<std::uint32_t>(table.bytes.size()), 4);
    append(entries, own, 4);
    body += packed;
    pad(body);
  }
  std::string file = "wOFF" + std::string(flavour);
  append(file, kHeader + kEntry * count + static_cast<std::uint32_t>(body.size()), 4);
  append(file, count, 2);
  append(file, 0, 2);
  append(file, plain, 4);
  append(file, 0x00010000, 4);                     // the font's version
  for (int n = 0; n < 5; ++n) append(file, 0, 4);  // no metadata, no private data
  return file + entries + body;
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t three = 0;
    for (std::size_t n = 0; n < 3; ++n)
      three = three << 8 | (n < left ? static_cast<unsigned char>(bytes[at + n]) : 0U);
    for (std::size_t n = 0; n < 4; ++n) text += n <= left ? kDigits[three >> (18 - 6 * n) & 63] : '=';
  }
  return text;
}

}  // namespace triscope
