#include "kernels/base/files/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqliteHeader("SQLite format 3\0", 16);

struct Kind {
  const char* noun;                  ///< "a PNG picture"
  std::vector<std::string> endings;  ///< of its names; the first is the usual one
  bool (*begins)(std::string_view);  ///< whether a file that begins so can be of this kind
};

bool is_text(std::string_view head) {
  return head.find('\0') == std::string_view::npos && !head.starts_with("\x89PNG") && !head.starts_with("%PDF") &&
         !head.starts_with("PK\x03\x04");
}

/// What comes after a byte-order mark and empty space.
std::string_view first_word(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head;
}

/// The first line of a table has a comma or, where there is one column, is one word.
bool is_csv(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return is_text(head) && (line.find(',') != line.npos || (!line.empty() && line.find_first_of(" \t") == line.npos));
}

bool is_json(std::string_view head) {
  return is_text(head) && (first_word(head).starts_with('{') || first_word(head).starts_with('['));
}

bool is_page(std::string_view head) { return is_text(head) && first_word(head).starts_with('<'); }

/// Its element comes first, or after lines that say what the file is.
bool is_svg(std::string_view head) {
  const std::string_view word = first_word(head);
  return is_text(head) && (word.starts_with("<svg") ||
                           ((word.starts_with("<?xml") || word.starts_with("<!")) && word.find("<svg") != word.npos));
}

/// A table, at the start or below one line that is no heading, and an empty one.
bool is_markdown(std::string_view head) {
  const std::size_t end = head.find('\n');
  const bool below = end != head.npos && !head.starts_with('#') && head.substr(end).starts_with("\n\n| ");
  return is_text(head) && (head.starts_with("| ") || below);
}

bool is_latex(std::string_view head) {
  return is_text(head) &&
         (head.starts_with("\\begin{tabular}") || head.starts_with("% needs \\usepackage{booktabs}\n"));
}

const Kind& facts_of(FileKind kind) {
  static const auto is_tensors = [](std::string_view head) { return head.size() > 8 && head[8] == '{'; };
  static const std::array<Kind, 11> kinds{
      Kind{"a PNG picture", {".png"}, [](std::string_view head) { return head.starts_with("\x89PNG\r\n\x1a\n"); }},
      Kind{"an array", {".npy"}, [](std::string_view head) { return head.starts_with("\x93NUMPY"); }},
      Kind{"a CSV table", {".csv", ".txt"}, is_csv},
      Kind{"JSON", {".json", ".txt"}, is_json},
      Kind{"a Markdown table", {".md", ".markdown", ".txt"}, is_markdown},
      Kind{"a LaTeX table", {".tex", ".latex", ".txt"}, is_latex},
      Kind{"tensors", {".safetensors"}, is_tensors},
      Kind{"a database",
           {".db", ".sqlite", ".sqlite3"},
           [](std::string_view head) { return head.starts_with(kSqliteHeader); }},
      Kind{"an HTML page", {".html", ".htm"}, is_page},
      Kind{"an SVG picture", {".svg"}, is_svg},
      Kind{"a PDF", {".pdf"}, [](std::string_view head) { return head.starts_with("%PDF-"); }}};
  return kinds[static_cast<std::size_t>(kind)];
}

/// The first bytes of a file; empty also when it cannot be read.
std::string first_bytes(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) return "";
  std::array<char, 4096> bytes{};
  const ssize_t count = ::pread(descriptor, bytes.data(), bytes.size(), 0);
  ::close(descriptor);
  return std::string(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
}

std::string lower_ending(const fs::path& file) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return ending;
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why, const std::string& fix,
                         ExitCode code = ExitCode::usage) {
  throw Error(fmt::format("cannot write '{}'", file.string()), why, fix, code);
}

void require_folder(const fs::path& file, const fs::path& target) {
  const fs::path folder = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  refuse(file, fmt::format("there is no folder '{}'", folder.string()), "create the folder first",
         ExitCode::environment);
}

}  // namespace

bool is_descriptor(const fs::path& file) {
  std::error_code error;
  const fs::path folder = fs::canonical(file.parent_path(), error);
  return !error && folder.filename() == "fd" && folder.string().starts_with("/proc/");
}

fs::path end_of_links(const fs::path& given) {
  fs::path file = given;
  constexpr int kMostLinks = 40;  // Linux's own limit
  std::error_code error;
  for (int links = 0; links < kMostLinks && fs::is_symlink(fs::symlink_status(file, error)); ++links) {
    if (is_descriptor(file)) break;
    const fs::path target = fs::read_symlink(file, error);
    file = target.is_absolute() ? target : file.parent_path() / target;
  }
  if (fs::is_symlink(fs::symlink_status(file, error)) && !is_descriptor(file))
    refuse(given, "its symbolic links lead to each other and to no file", "remove the links, or name another file",
           ExitCode::environment);
  return file;
}

void refuse_database_files(const fs::path& given, const fs::path& target, bool may_be_database) {
  for (const fs::path& path : {given, target}) {
    fs::path name = path.lexically_normal();
    if (!name.has_filename()) name = name.parent_path();  // a slash at the end
    for (const char* ending : {"-wal", "-shm", "-journal", ".lock", ".spool"}) {
      if (!name.filename().string().ends_with(ending)) continue;
      refuse(given, fmt::format("names that end in {} belong to the database they stand beside", ending),
             "name another file");
    }
  }
  std::error_code ignored;
  if (may_be_database || !fs::is_regular_file(target, ignored)) return;
  if (first_bytes(target).starts_with(kSqliteHeader))
    refuse(given, "it is a database, and writing would destroy it", "name another file");
}

void require_output(const fs::path& file, FileKind kind, std::string_view option) {
  if (file.empty()) throw Error(fmt::format("{} ''", option), "the name is empty", "name a file", ExitCode::usage);
  const fs::path target = end_of_links(file);
  refuse_database_files(file, target, kind == FileKind::database);
  std::error_code ignored;
  const fs::file_status status = fs::status(target, ignored);
  if (fs::is_directory(status)) refuse(file, "it is a folder", "name a file in it");
  if (is_descriptor(target) || (fs::exists(status) && !fs::is_regular_file(status))) return;
  const Kind& facts = facts_of(kind);
  const std::string fix = fmt::format("name a file that ends in {}", fmt::join(facts.endings, " or "));
  const std::string ending = lower_ending(file);
  const bool named_so = std::find(facts.endings.begin(), facts.endings.end(), ending) != facts.endings.end();
  if (!fs::exists(status)) {
    if (!named_so && !ending.empty())
      refuse(file, fmt::format("{} writes {}, and the name ends in {}", option, facts.noun, ending), fix);
    return require_folder(file, target);
  }
  const std::string head = first_bytes(target);
  // A name in .txt says nothing of what is there, and it may be somebody's notes.
  if (named_so && ending == ".txt" && !head.empty())
    refuse(file, "it is there already, and a name in .txt does not say of what kind it is",
           fmt::format("name a file that ends in {}, or remove this one", facts.endings.front()));
  // A database is known by its first bytes alone.
  const bool of_kind = head.empty() ? named_so : facts.begins(head) && (named_so || kind == FileKind::database);
  if (!of_kind) refuse(file, fmt::format("it is there already, and it is not {}", facts.noun), fix);
  if (::access(target.c_str(), W_OK) != 0)
    refuse(file, "it is read-only", "make it writable, or name another file", ExitCode::environment);
}

}  // namespace triscope
