// The documentation, which is part of the program: its pages as they stand in docs/.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

struct Document {
  std::string_view page;  ///< "method.md"
  std::string_view text;  ///< Markdown
};
std::span<const Document> documents();
/// The page of this name; null: there is none.
const Document* find_document(std::string_view page);

/// A part of a page under one heading.
struct DocumentPart {
  std::string heading;  ///< "Unclear rows measured longer"
  int level = 1;        ///< of the heading: 1 is the page's own
  /// Paragraphs, lines of lists and of tables, without the marks of Markdown; what is indented or fenced as it stands.
  std::vector<std::string> lines;
};
std::vector<DocumentPart> parts_of(std::string_view text);

struct DocumentHeading {
  std::string page;  ///< "method.md"
  std::string heading;
};
/// Of all pages, as they stand there.
const std::vector<DocumentHeading>& document_headings();

}  // namespace triscope
