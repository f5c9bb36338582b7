#include "views/parts/font_files.hpp"

// The linker pulls the files in as they are; OBJECT_DEPENDS in cmake/Window.cmake rebuilds this when one changes.
#define TRISCOPE_EMBED(symbol, file)                                                                                  \
  __asm__(".section .rodata\n.balign 16\n.global " #symbol "\n.hidden " #symbol "\n" #symbol                          \
          ":\n.incbin \"" TRISCOPE_FONT_DIR "/" file "\"\n.global " #symbol "_end\n.hidden " #symbol "_end\n" #symbol \
          "_end:\n.byte 0\n.previous\n")

TRISCOPE_EMBED(triscope_font_text, "Inter-Regular.otf");
TRISCOPE_EMBED(triscope_font_heading, "Inter-SemiBold.otf");
TRISCOPE_EMBED(triscope_font_numbers, "JetBrainsMono-Regular.ttf");

// Labels of the assembler above.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
extern const unsigned char triscope_font_text[], triscope_font_text_end[];
extern const unsigned char triscope_font_heading[], triscope_font_heading_end[];
extern const unsigned char triscope_font_numbers[], triscope_font_numbers_end[];
}
// NOLINTEND(readability-identifier-naming)

namespace triscope {

std::span<const unsigned char> font_file(FontFile file) {
  switch (file) {
    case FontFile::text:
      return {triscope_font_text, triscope_font_text_end};
    case FontFile::heading:
      return {triscope_font_heading, triscope_font_heading_end};
    case FontFile::numbers:
      return {triscope_font_numbers, triscope_font_numbers_end};
  }
  return {};
}

}  // namespace triscope
