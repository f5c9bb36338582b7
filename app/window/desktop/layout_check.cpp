#include "app/window/desktop/layout_check.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace triscope {
namespace {

constexpr std::size_t kLongestLayout = 1 << 18, kLongestLine = 400;  // bytes; a usual layout has 3,000
constexpr std::int64_t kLargestCoordinate = 32'767;                  // Dear ImGui keeps 16 bits
constexpr std::int64_t kMostColumns = 512;                           // IMGUI_TABLE_MAX_COLUMNS
constexpr std::uint32_t kLargestNode = 0xFFFF;  // Dear ImGui counts nodes from 1; only a dock space has a hash
constexpr int kDeepestNode = 32;

/// Takes one line apart from its front.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  void skip_blanks() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// A whole number within the bounds, without a zero before it: Dear ImGui takes those for octal.
  bool number(std::int64_t least, std::int64_t most, std::int64_t* value = nullptr) {
    const std::string_view digits = rest_.substr(rest_.starts_with('-') ? 1 : 0);
    if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') return false;
    std::int64_t found = 0;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), found);
    if (fault != std::errc() || found < least || found > most) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (value) *value = found;
    return true;
  }
  /// A positive number with a fraction, as %g and %.4f write it.
  bool fraction() {
    float found = 0;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), found);
    if (fault != std::errc() || !(found >= 0 && found < 1e6F)) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  /// 0x and eight digits, not 0.
  bool id(std::uint32_t* value = nullptr) {
    std::uint32_t found = 0;
    if (!take("0x") || rest_.size() < 8) return false;
    const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + 8, found, 16);
    if (fault != std::errc() || end != rest_.data() + 8 || found == 0) return false;
    rest_.remove_prefix(8);
    if (value) *value = found;
    return true;
  }
  bool pair(std::int64_t least) {
    return number(least, kLargestCoordinate) && take(",") && number(least, kLargestCoordinate);
  }

 private:
  std::string_view rest_;
};

/// `dock` becomes the node that a window is docked into.
bool is_window_entry(Line line, std::uint32_t& dock) {
  bool good = false;
  if (line.take("Pos=") || line.take("ViewportPos=")) {
    good = line.pair(-kLargestCoordinate);
  } else if (line.take("Size=")) {
    good = line.pair(0);
  } else if (line.take("Collapsed=") || line.take("IsChild=")) {
    good = line.number(0, 1);
  } else if (line.take("ViewportId=") || line.take("ClassId=")) {
    good = line.id();
  } else if (line.take("DockId=")) {
    good = line.id(&dock) && (!line.take(",") || line.number(-1, kLargestCoordinate));
  } else if (line.take("LastUsed=")) {
    good = line.number(0, 99'991'231);
  }
  return good && line.done();
}

/// -1 stands for what is not known, also of columns that were added since.
bool is_table_entry(Line line, std::int64_t columns) {
  if (line.take("RefScale=")) return line.fraction() && line.done();
  if (line.take("LastUsed=")) return line.number(0, 99'991'231) && line.done();
  if (!line.take("Column ") || !line.number(0, columns - 1)) return false;
  const auto has = [&line](std::string_view name) {
    line.skip_blanks();
    return line.take(name);
  };
  if (has("UserID=") && !line.id()) return false;
  if (has("Weight=") && !line.fraction()) return false;
  if (has("Width=") && !line.number(0, kLargestCoordinate)) return false;
  if (has("Visible=") && !line.number(-1, 1)) return false;
  if (has("Order=") && !line.number(-1, columns - 1)) return false;
  if (has("Sort=") && !(line.number(0, columns - 1) && (line.take("v") || line.take("^")))) return false;
  if (has("ID=") && !line.id()) return false;
  line.skip_blanks();
  return line.done();
}

/// The dock nodes so far.
class DockTree {
 public:
  /// Why this line is no node that fits to those before; empty when it is.
  std::string add(Line line) {
    constexpr const char* kNoNode = "it is no dock node";
    line.skip_blanks();
    const bool space = line.take("DockSpace");
    if (!space && !line.take("DockNode")) return kNoNode;
    line.skip_blanks();
    std::uint32_t id = 0, parent = 0;
    if (!line.take("ID=") || !line.id(&id)) return kNoNode;
    if (line.take(" Parent=") && !line.id(&parent)) return kNoNode;
    if (parent == 0) {
      if (line.take(" Window=") && !line.id()) return kNoNode;
      if (!line.take(" Pos=") || !line.pair(-kLargestCoordinate) || !line.take(" Size=") || !line.pair(0))
        return kNoNode;
    } else if (line.take(" SizeRef=") && !line.pair(0)) {
      return kNoNode;
    }
    Node node{.root = id, .split = line.take(" Split=")};
    if (node.split && !line.take("X") && !line.take("Y")) return kNoNode;
    const bool fixed = line.take(" NoResize=1"), central = line.take(" CentralNode=1");
    for (const char* flag : {" NoTabBar=1", " HiddenTabBar=1", " NoWindowMenuButton=1", " NoCloseButton=1"})
      (void)line.take(flag);
    if (line.take(" Selected=") && !line.id()) return kNoNode;
    if (!line.done() || (fixed && space)) return kNoNode;
    return place(id, parent, node, space, central);
  }

  bool has(std::uint32_t id) const { return nodes_.contains(id); }

  /// Why the tree is not complete; empty when it is.
  std::string unfinished() const {
    for (const auto& [id, node] : nodes_) {
      if (node.split && node.children != 2)
        return fmt::format("dock node {:#010x} is split into {} parts, not 2", id, node.children);
    }
    return {};
  }

 private:
  struct Node {
    std::uint32_t root = 0;
    bool split = false;
    int children = 0, depth = 0;
  };

  std::string place(std::uint32_t id, std::uint32_t parent, Node node, bool space, bool central) {
    if (nodes_.contains(id)) return fmt::format("there are two dock nodes {:#010x}", id);
    if (space == (id <= kLargestNode) || (space && parent != 0)) return "its number is none that a dock node has";
    if (parent != 0) {
      const auto above = nodes_.find(parent);
      if (above == nodes_.end()) return fmt::format("its parent {:#010x} does not come before it", parent);
      if (!above->second.split || ++above->second.children > 2)
        return fmt::format("its parent {:#010x} is not split into two", parent);
      node.root = above->second.root;
      node.depth = above->second.depth + 1;
      if (node.depth > kDeepestNode) return "the dock nodes are nested too deeply";
    }
    if (central && (node.split || !centres_.insert(node.root).second)) return "it cannot be the centre";
    nodes_.emplace(id, node);
    return {};
  }

  std::map<std::uint32_t, Node> nodes_;
  std::set<std::uint32_t> centres_;  ///< roots that have a central node
};

/// Reads section by section.
class Reader {
 public:
  std::string fault_of(std::string_view line) {
    if (line.empty()) return {};
    if (line.size() > kLongestLine) return "it is too long";
    for (const char c : line) {
      if (static_cast<unsigned char>(c) < 0x20) return "it holds a control character";
    }
    if (line.starts_with('[')) return begin_section(line);
    switch (section_) {
      case Section::window:
        return is_window_entry(Line(line), docks_.emplace_back()) ? "" : "it is no entry of a window";
      case Section::table:
        return is_table_entry(Line(line), columns_) ? "" : "it is no entry of a table";
      case Section::docking:
        return tree_.add(Line(line));
      case Section::none:
        break;
    }
    return "it belongs to no section";
  }
  std::string unfinished() const {
    for (const std::uint32_t dock : docks_) {
      // A counted node may be gone; Dear ImGui then makes it anew.
      if (dock > kLargestNode && !tree_.has(dock)) return fmt::format("there is no dock space {:#010x}", dock);
    }
    return tree_.unfinished();
  }

 private:
  enum class Section { none, window, table, docking };

  std::string begin_section(std::string_view line) {
    Line rest(line);
    if (rest.take("[Window][")) {
      section_ = Section::window;
      // Of "panel###id" Dear ImGui keeps what stands behind: it would write a section without a name.
      if (line.ends_with(']') && line.size() > std::string_view("[Window][]").size() && !line.ends_with("###]"))
        return {};
    } else if (rest.take("[Table][")) {
      section_ = Section::table;
      if (rest.id() && rest.take(",") && rest.number(1, kMostColumns, &columns_) && rest.take("]") && rest.done())
        return {};
    } else if (line == "[Docking][Data]" && !has_docking_) {
      section_ = Section::docking;
      has_docking_ = true;
      return {};
    }
    return "it begins no section that is known";
  }

  Section section_ = Section::none;
  std::int64_t columns_ = 0;
  bool has_docking_ = false;
  DockTree tree_;
  std::vector<std::uint32_t> docks_;  ///< named by windows; 0: none
};

}  // namespace

std::string layout_fault(std::string_view layout) {
  if (layout.size() > kLongestLayout) return fmt::format("it is longer than {} bytes", kLongestLayout);
  Reader reader;
  for (std::size_t number = 1; !layout.empty(); ++number) {
    const std::size_t end = layout.find('\n');
    if (const std::string fault = reader.fault_of(layout.substr(0, end)); !fault.empty())
      return fmt::format("line {}: {}", number, fault);
    layout.remove_prefix(end == std::string_view::npos ? layout.size() : end + 1);
  }
  return reader.unfinished();
}

}  // namespace triscope
