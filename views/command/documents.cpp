#include "views/command/documents.hpp"

#include <algorithm>
#include <array>
#include <utility>

// The linker pulls the pages in as they are; OBJECT_DEPENDS in cmake/Window.cmake rebuilds this when one changes.
#define TRISCOPE_EMBED_PAGE(symbol, file)                                                                            \
  __asm__(".section .rodata\n.global triscope_page_" #symbol "\n.hidden triscope_page_" #symbol                      \
          "\ntriscope_page_" #symbol ":\n.incbin \"" TRISCOPE_DOCS_DIR "/" file "\"\n.global triscope_page_" #symbol \
          "_end\n.hidden triscope_page_" #symbol "_end\ntriscope_page_" #symbol "_end:\n.byte 0\n.previous\n");      \
  extern "C" const char triscope_page_##symbol[], triscope_page_##symbol##_end[];

// NOLINTBEGIN(readability-identifier-naming)
TRISCOPE_EMBED_PAGE(architecture, "architecture.md")
TRISCOPE_EMBED_PAGE(attention, "attention.md")
TRISCOPE_EMBED_PAGE(backward, "backward.md")
TRISCOPE_EMBED_PAGE(baselines, "baselines.md")
TRISCOPE_EMBED_PAGE(command_line, "command-line.md")
TRISCOPE_EMBED_PAGE(gates, "gates.md")
TRISCOPE_EMBED_PAGE(instances, "instances.md")
TRISCOPE_EMBED_PAGE(method, "method.md")
TRISCOPE_EMBED_PAGE(own_kernel, "own-kernel.md")
TRISCOPE_EMBED_PAGE(paper, "paper.md")
TRISCOPE_EMBED_PAGE(schema, "schema.md")
TRISCOPE_EMBED_PAGE(use_it, "use-it.md")
TRISCOPE_EMBED_PAGE(window, "window.md")
// NOLINTEND(readability-identifier-naming)

namespace triscope {
namespace {

std::string_view page_text(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// `code` and **words** without their marks, [words](page.md) as "words".
std::string without_marks(std::string_view line) {
  std::string text;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '`' || line.substr(at, 2) == "**") {
      at += line[at] == '`' ? 0 : 1;
    } else if (line[at] == '[' && line.find("](", at) != std::string_view::npos) {
      const std::size_t middle = line.find("](", at), end = line.find(')', middle);
      text += without_marks(line.substr(at + 1, middle - at - 1));
      at = end == std::string_view::npos ? line.size() : end;
    } else if (line[at] != '*' || (at + 1 < line.size() && line[at + 1] == ' ')) {
      text += line[at];
    }
  }
  return text;
}

bool begins_anew(std::string_view line) {
  const bool number = !line.empty() && line.front() >= '0' && line.front() <= '9' && line.find(". ") < 3;
  return line.starts_with("* ") || line.starts_with("- ") || line.starts_with("|") || number;
}

/// "| a | b |" as "a  ·  b"; empty where all of its cells are.
std::string row_of_table(std::string_view line) {
  std::string row;
  for (std::size_t begin = line.find('|') + 1; begin < line.size();) {
    const std::size_t end = std::min(line.find('|', begin), line.size());
    const std::string_view cell = line.substr(begin, end - begin);
    const std::size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
    if (first != std::string_view::npos)
      row.append(row.empty() ? "" : "  ·  ").append(without_marks(cell.substr(first, last - first + 1)));
    begin = end + 1;
  }
  return row;
}

}  // namespace

std::span<const Document> documents() {
#define TRISCOPE_PAGE(symbol, file) \
  Document { file, page_text(triscope_page_##symbol, triscope_page_##symbol##_end) }
  static const std::array kDocuments{TRISCOPE_PAGE(window, "window.md"),
                                     TRISCOPE_PAGE(command_line, "command-line.md"),
                                     TRISCOPE_PAGE(method, "method.md"),
                                     TRISCOPE_PAGE(attention, "attention.md"),
                                     TRISCOPE_PAGE(paper, "paper.md"),
                                     TRISCOPE_PAGE(baselines, "baselines.md"),
                                     TRISCOPE_PAGE(use_it, "use-it.md"),
                                     TRISCOPE_PAGE(own_kernel, "own-kernel.md"),
                                     TRISCOPE_PAGE(gates, "gates.md"),
                                     TRISCOPE_PAGE(instances, "instances.md"),
                                     TRISCOPE_PAGE(backward, "backward.md"),
                                     TRISCOPE_PAGE(schema, "schema.md"),
                                     TRISCOPE_PAGE(architecture, "architecture.md")};
#undef TRISCOPE_PAGE
  return kDocuments;
}

const Document* find_document(std::string_view page) {
  const auto found = std::ranges::find(documents(), page, &Document::page);
  return found == documents().end() ? nullptr : &*found;
}

std::vector<DocumentPart> parts_of(std::string_view text) {
  std::vector<DocumentPart> parts;
  bool fenced = false, joins = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("```")) {
      fenced = !fenced;
      joins = false;
      continue;
    }
    const std::size_t level = line.find_first_not_of('#');
    if (!fenced && level != std::string_view::npos && level > 0 && line[level] == ' ') {
      parts.push_back({without_marks(line.substr(level + 1)), static_cast<int>(level), {}});
      joins = false;
      continue;
    }
    if (parts.empty() || line.starts_with("![") || line.starts_with("|---") || line.empty()) {
      joins = false;
      continue;
    }
    std::vector<std::string>& lines = parts.back().lines;
    if (!fenced && line.starts_with("|")) {
      if (std::string row = row_of_table(line); !row.empty()) lines.push_back(std::move(row));
      joins = false;
    } else if (fenced || line.starts_with("    ")) {
      lines.emplace_back(line);
      joins = false;
    } else if (joins && !begins_anew(line)) {
      lines.back() += " " + without_marks(line.substr(std::min(line.find_first_not_of(' '), line.size())));
    } else {
      lines.push_back(without_marks(line));
      joins = true;
    }
  }
  return parts;
}

}  // namespace triscope
