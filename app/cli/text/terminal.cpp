#include "app/cli/text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/base/files/output_file.hpp"
#include "kernels/base/text/plain_text.hpp"

namespace triscope {
namespace {

int g_output_fault = 0;  ///< errno of the first write to stdout that failed

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

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  return width;
}

void write_output(std::string_view text) {
  const std::string plain = plain_text(text);
  if (std::fwrite(plain.data(), 1, plain.size(), stdout) < plain.size() && g_output_fault == 0) g_output_fault = errno;
}

void write_json(std::string_view json) { write_output(plain_json(json)); }

void write_json_line(std::string_view json) { write_output(plain_json(json) + '\n'); }

void write_error(std::string_view sentence) { std::fputs((plain_line(sentence) + '\n').c_str(), stderr); }

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
