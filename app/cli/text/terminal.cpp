#include "app/cli/text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "app/cli/options/before_output.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/output_file.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "kernels/base/text/utf8.hpp"

namespace triscope {
namespace {

int g_output_fault = 0;  ///< errno of the first write to stdout that failed

/// Takes two columns: the ranges of East Asian wide characters and of pictures (Unicode Standard Annex 11), rounded up.
bool is_wide(std::uint32_t code) {
  const auto within = [code](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
  return within(0x1100, 0x115F) || within(0x2E80, 0xA4CF) || within(0xA960, 0xA97F) || within(0xAC00, 0xD7A3) ||
         within(0xF900, 0xFAFF) || within(0xFE30, 0xFE6F) || within(0xFF00, 0xFF60) || within(0xFFE0, 0xFFE6) ||
         within(0x1F300, 0x1FAFF) || within(0x20000, 0x3FFFD);
}

struct Shown {
  std::size_t bytes = 1, columns = 1;
};

/// What a terminal shows first of a text that is not empty; a byte that is no UTF-8 counts as a character.
Shown first_shown(std::string_view text) {
  const Character first = first_character(text);
  return {std::max<std::size_t>(1, first.bytes), is_wide(first.code) ? 2U : 1U};
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

std::size_t terminal_width(std::FILE* stream, std::size_t fallback) {
  if (!is_terminal(stream)) return fallback;
  if (const char* columns = std::getenv("COLUMNS")) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(columns, columns + std::strlen(columns), value);
    if (error == std::errc() && *end == '\0' && value > 0) return value;
  }
  winsize size{};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string_view first_columns(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t used = 0; end < text.size();) {
    const Shown first = first_shown(text.substr(end));
    used += first.columns;
    if (used > width) break;
    end += first.bytes;
  }
  return text.substr(0, end);
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Shown first = first_shown(text);
    width += first.columns;
    text.remove_prefix(first.bytes);
  }
  return width;
}

std::string wrapped_lines(std::string_view text, std::size_t width) {
  constexpr std::size_t kIndent = 4, kNarrowest = 20;
  width = std::max(width, kNarrowest);
  std::string plain = plain_text(text);
  if (width != kUnlimitedWidth) std::ranges::replace(plain, '\t', ' ');
  std::string lines;
  for (std::string_view rest = plain; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    for (std::size_t room = width; display_width(line) > room; room = width - kIndent) {
      std::string_view head = first_columns(line, room);
      const std::size_t blank = head.rfind(' ');
      if (blank != head.npos && head.find_first_not_of(' ') < blank) head = head.substr(0, blank);
      lines += head;
      lines += '\n' + std::string(kIndent, ' ');
      line.remove_prefix(head.size());
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    }
    lines += line;
    lines += '\n';
  }
  return lines;
}

void write_output(std::string_view text) {
  const std::string plain = plain_text(take_before_output()) + plain_text(text);
  if (std::fwrite(plain.data(), 1, plain.size(), stdout) < plain.size() && g_output_fault == 0) g_output_fault = errno;
}

void write_json(std::string_view json) { write_output(plain_json(json)); }

void write_json_line(std::string_view json) { write_output(plain_json(json) + '\n'); }

void write_error(std::string_view sentence) {
  std::fflush(stdout);  // where both are one log, what was printed before stands above it
  std::fputs((plain_line(sentence) + '\n').c_str(), stderr);
}

void say_written(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_regular_file(file, error) && !is_descriptor(end_of_links(file)))
    print_error("written to {}", std::filesystem::absolute(file, error).string());
}

void write_status_line(std::string_view text) {
  std::fprintf(stderr, "\r%s\x1b[K", plain_line(text).c_str());
  std::fflush(stderr);
}

void finish_output() {
  if (std::fflush(stdout) != 0 && g_output_fault == 0) g_output_fault = errno;
  if (std::ferror(stdout) == 0 && g_output_fault == 0) return;
  throw Error("the output could not be written", std::strerror(g_output_fault == 0 ? EIO : g_output_fault),
              "free space or give another file, then run it again");
}

}  // namespace triscope
