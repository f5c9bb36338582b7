#include "app/window/desktop/desktop.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

std::string output_of(const char* command) {
  std::FILE* pipe = popen(command, "r");
  if (!pipe) return {};
  std::string text;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe)) text += buffer;
  pclose(pipe);
  return text;
}

}  // namespace

bool system_prefers_dark() {
  if (const char* theme = std::getenv("GTK_THEME")) return std::strstr(theme, "dark") || std::strstr(theme, "Dark");
  const std::string scheme = output_of("timeout 1 gsettings get org.gnome.desktop.interface color-scheme 2>/dev/null");
  return scheme.find("light") == std::string::npos && scheme.find("default") == std::string::npos;
}

void copy_png_to_clipboard(const std::vector<std::uint8_t>& png) {
  const bool wayland = std::getenv("WAYLAND_DISPLAY") != nullptr;
  const char* tool = wayland ? "wl-copy" : "xclip";
  if (output_of(wayland ? "command -v wl-copy" : "command -v xclip").empty()) {
    throw Error("The picture was not copied", std::string(tool) + " is not installed",
                std::string("install ") + (wayland ? "wl-clipboard" : "xclip") + ", or save the chart as PNG");
  }
  std::FILE* pipe = popen(wayland ? "wl-copy --type image/png" : "xclip -selection clipboard -t image/png -i", "w");
  const bool written = pipe && std::fwrite(png.data(), 1, png.size(), pipe) == png.size();
  if (!pipe || pclose(pipe) != 0 || !written)
    throw Error("The picture was not copied", std::string(tool) + " refused it", "save the chart as PNG instead");
}

}  // namespace triscope
