// What the paper writes down: its formulas, algorithms, the construction of its theorem and what its listings fix, as
// lines of plain text, mended where an erratum says so (assets/paper/formulas.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// A sentence, and the lines of formulas or code that it is about.
struct WrittenBlock {
  std::string says;
  std::vector<std::string> lines;  ///< each as it stands, blanks at its begin too; may be none
};

struct WrittenPart {
  std::string id;  ///< "algorithm2", as `PartName`; "backward" where the paper has no number for it
  std::string title;
  std::vector<WrittenBlock> blocks;
  std::vector<std::string> errata;  ///< ids of what is wrong in it as printed
  std::string more;                 ///< commands that go on with it, parted by "; "
};

/// In the paper's order.
const std::vector<WrittenPart>& written_parts();
/// Null: the paper writes no part of that id.
const WrittenPart* find_written_part(std::string_view id);

/// "Errata: grad-scale, kv2-bias."; empty: it has none.
std::string errata_of(const WrittenPart& part);

}  // namespace triscope
