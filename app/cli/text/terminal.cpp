#include "app/cli/text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "kernels/base/error.hpp"

namespace triscope {

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

Error output_error(int code) {
  return Error("the output could not be written", std::strerror(code),
               "free space or give another file, then run it again");
}

void finish_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw output_error(errno);
}

}  // namespace triscope
