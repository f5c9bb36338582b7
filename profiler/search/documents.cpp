#include "profiler/search/documents.hpp"

#include <algorithm>
#include <array>
#include <utility>

// The linker pulls the pages in as they are; OBJECT_DEPENDS in profiler/rooms.cmake rebuilds this when one changes.
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

/// `code`, *words* and **words** without their marks, [words](page.md) as "words". A star between blanks is none.
std::string without_marks(std::string_view line) {
  std::string text;
  const auto is_blank = [&](std::size_t at) { return at >= line.size() || line[at] == ' '; };
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::size_t code_end = line[at] == '`' ? line.find('`', at + 1) : std::string_view::npos;
    if (code_end != std::string_view::npos) {
      text += line.substr(at + 1, code_end - at - 1);
      at = code_end;
    } else if (line[at] == '[' && line.find("](", at) != std::string_view::npos) {
      const std::size_t middle = line.find("](", at), end = line.find(')', middle);
      text += without_marks(line.substr(at + 1, middle - at - 1));
      at = end == std::string_view::npos ? line.size() : end;
    } else if (line[at] != '*' || (is_blank(at - 1) && is_blank(at + 1))) {
      text += line[at];
    }
  }
  return text;
}

bool begins_anew(std::string_view line) {
  const bool number = !line.empty() && line.front() >= '0' && line.front() <= '9' && line.find(". ") < 3;
  return line.starts_with("* ") || line.starts_with("- ") || line.starts_with("|") || number;
}

/// Whether a line goes on with the paragraph or the item above it.
bool continues(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first != std::string_view::npos && first < 4 && line[first] != '#' && !line.starts_with("```") &&
         !line.starts_with("![") && !begins_anew(line);
}

/// "| a | b |" as "a  ·  b"; empty where all of its cells are. A "\|" is no end of a cell.
std::string row_of_table(std::string_view line) {
  std::vector<std::string> cells(1);
  for (std::size_t at = line.find('|') + 1; at < line.size(); ++at) {
    if (line[at] == '|') {
      cells.emplace_back();
    } else if (line.substr(at, 2) != "\\|") {
      cells.back() += line[at];
    } else {
      cells.back() += line[++at];
    }
  }
  std::string row;
  for (const std::string& cell : cells) {
    const std::size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
    if (first == std::string::npos) continue;
    row.append(row.empty() ? "" : "  ·  ").append(without_marks(cell.substr(first, last - first + 1)));
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
  // Emphasis, code and links go on over the lines of a paragraph.
  const auto end_paragraph = [&] {
    if (std::exchange(joins, false)) parts.back().lines.back() = without_marks(parts.back().lines.back());
  };
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (joins && !fenced && continues(line)) {
      parts.back().lines.back().append(" ").append(line.substr(line.find_first_not_of(' ')));
      continue;
    }
    end_paragraph();
    if (line.starts_with("```")) {
      fenced = !fenced;
      continue;
    }
    const std::size_t level = line.find_first_not_of('#');
    if (!fenced && level != std::string_view::npos && level > 0 && line[level] == ' ') {
      parts.push_back({without_marks(line.substr(level + 1)), static_cast<int>(level), {}});
      continue;
    }
    if (parts.empty() || line.starts_with("![") || line.starts_with("|---") || line.empty()) continue;
    std::vector<std::string>& lines = parts.back().lines;
    if (!fenced && line.starts_with("|")) {
      if (std::string row = row_of_table(line); !row.empty()) lines.push_back(std::move(row));
    } else {
      lines.emplace_back(line);
      joins = !fenced && !line.starts_with("    ");
    }
  }
  end_paragraph();
  return parts;
}

const std::vector<DocumentHeading>& document_headings() {
  static const std::vector<DocumentHeading> kHeadings = [] {
    std::vector<DocumentHeading> made;
    for (const Document& document : documents()) {
      for (const DocumentPart& part : parts_of(document.text))
        made.push_back({std::string(document.page), part.heading});
    }
    return made;
  }();
  return kHeadings;
}

}  // namespace triscope
