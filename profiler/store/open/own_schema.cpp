#include "profiler/store/open/own_schema.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <span>
#include <utility>

#include "kernels/base/error.hpp"
#include "schema_sql.hpp"

namespace triscope {
namespace {

struct SchemaObject {
  std::string type, sql;
};

std::map<std::string, SchemaObject> objects_of(SQLite::Database& database) {
  std::map<std::string, SchemaObject> objects;
  SQLite::Statement query(database, "SELECT lower(name), type, ifnull(sql, '') FROM sqlite_schema");
  while (query.executeStep()) {
    std::string sql = query.getColumn(2).getString();
    sql.resize(std::min(sql.size(), sql.find('\0')));  // SQLite reads as far as that, whatever stands behind it
    objects[query.getColumn(0).getString()] = {query.getColumn(1).getString(), std::move(sql)};
  }
  return objects;
}

// What a new database holds, without what SQLite adds by itself.
const std::map<std::string, SchemaObject>& own_objects() {
  static const std::map<std::string, SchemaObject> own = [] {
    SQLite::Database fresh(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    fresh.exec(kSchemaSql);
    std::map<std::string, SchemaObject> objects = objects_of(fresh);
    std::erase_if(objects, [](const auto& object) { return object.first.starts_with("sqlite_"); });
    return objects;
  }();
  return own;
}

// A name from a file as part of a sentence.
std::string shown(const std::string& name) {
  constexpr std::size_t kLongest = 60;
  std::string text;
  for (const char c : name.substr(0, kLongest)) text += c >= ' ' && c < 0x7f ? c : '?';
  return name.size() > kLongest ? text + "..." : text;
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Where the comment or space at `start` ends; `start` when there is none.
std::size_t after_blank(std::string_view sql, std::size_t start) {
  if (std::isspace(static_cast<unsigned char>(sql[start])) != 0) return start + 1;
  if (sql.substr(start).starts_with("--")) return std::min(sql.find('\n', start), sql.size());
  if (!sql.substr(start).starts_with("/*")) return start;
  const std::size_t end = sql.find("*/", start + 2);
  return end == std::string_view::npos ? sql.size() : end + 2;
}

// Where the quoted text that begins at `start` ends; a doubled quote is one of its characters.
std::size_t after_quoted(std::string_view sql, std::size_t start) {
  const char quote = sql[start] == '[' ? ']' : sql[start];
  for (std::size_t end = start + 1; end < sql.size(); ++end) {
    if (sql[end] != quote) continue;
    if (quote == ']' || end + 1 == sql.size() || sql[end + 1] != quote) return end + 1;
    ++end;
  }
  return sql.size();
}

// What stands between two quotes as a word: without them where SQLite then reads the same. A keyword, a number or a
// text with other characters is a name in quotes and something else without; where no such column is, it is a text.
std::string quoted_word(std::string_view inside) {
  const std::string name = lower(inside);
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const bool same = !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
                    std::ranges::all_of(name, plain) &&
                    sqlite3_keyword_check(name.data(), static_cast<int>(name.size())) == 0;
  return same ? name : '"' + name + '"';
}

// Whether `words`, from `at` on, are a condition that SQLite can compute for every row: columns and constants compared
// with each other, "samples > 1 AND status IN ('ok', 'failed')". Functions, other operators and casts may fail.
bool cannot_fail(std::span<const std::string> condition) {
  static const std::set<std::string> operators = {"=", "<", ">", "!", ",", "(", ")"};
  static const std::set<std::string> keywords = {"and", "or",      "not",     "is",    "null",
                                                 "in",  "between", "notnull", "isnull"};
  for (std::size_t at = 0; at < condition.size(); ++at) {
    const std::string& word = condition[at];
    const bool before_bracket = at + 1 < condition.size() && condition[at + 1] == "(";
    if (operators.contains(word) || word.front() == '\'' || keywords.contains(word)) continue;
    if (word == "-" && at + 1 < condition.size() && std::isdigit(static_cast<unsigned char>(condition[at + 1][0])) != 0)
      continue;
    const bool is_quoted = word.front() == '"';
    if (!is_quoted && !is_name_character(word.front())) return false;
    if (before_bracket) return false;  // a function
    if (!is_quoted && sqlite3_keyword_check(word.data(), static_cast<int>(word.size())) != 0) return false;
  }
  return true;
}

// Whether an index on one of our tables may refuse a row that the table takes. One of columns does not, by whatever
// rule of SQLite they are sorted, nor one of some of the rows: CREATE INDEX name ON table (column COLLATE nocase,
// column DESC) WHERE column > 1. One that is unique or computes something may.
bool may_refuse_rows(const std::vector<std::string>& index) {
  constexpr std::size_t kBracket = 5;
  if (index.size() <= kBracket || index[1] != "index" || index[kBracket] != "(") return true;
  std::size_t words = 0, at = kBracket + 1;  // `words` of one column
  for (; at < index.size() && index[at] != ")"; ++at) {
    const std::string &word = index[at], &before = index[at - 1];
    words = word == "," ? 0 : words + 1;
    const bool column = words == 1 && (is_name_character(word.front()) || word.front() == '"');
    const bool rule = before == "collate" && (word == "nocase" || word == "binary" || word == "rtrim");
    if (words > 0 && !column && word != "asc" && word != "desc" && word != "collate" && !rule) return true;
  }
  const std::size_t rest = at + 1;
  if (rest >= index.size()) return at >= index.size();
  return index[rest] != "where" || !cannot_fail(std::span(index).subspan(rest + 1));
}

// One that is unique promises that equal rows do not come; made by hand it may be wrong, and then rows are not found.
bool may_hide_rows(const std::vector<std::string>& index) { return index.size() > 1 && index[1] == "unique"; }

void require_harmless_indices(SQLite::Database& database, const std::string& what, SchemaUse use) {
  SQLite::Statement query(database,
                          "SELECT name, lower(tbl_name), sql FROM sqlite_schema WHERE type = 'index' AND sql > ''");
  while (query.executeStep()) {
    const std::string name = query.getColumn(0).getString(), table = query.getColumn(1).getString();
    if (!own_objects().contains(table)) continue;
    const std::vector<std::string> words = sql_words(query.getColumn(2).getString());
    const auto own = own_objects().find(lower(name));
    if (own != own_objects().end() && words == sql_words(own->second.sql)) continue;
    const bool hides = may_hide_rows(words);
    if (!hides && (use == SchemaUse::reading || !may_refuse_rows(words))) continue;
    throw Error(what,
                fmt::format("its table {} has an index that is not Triscope's (\"{}\"), which could {}", shown(table),
                            shown(name), hides ? "hide rows or refuse them" : "refuse what is stored"),
                "drop the index with sqlite3 if you know what it is for; otherwise do not use this file");
  }
}

}  // namespace

std::vector<std::string> sql_words(std::string_view sql) {
  std::vector<std::string> words;
  for (std::size_t start = 0; start < sql.size();) {
    std::size_t end = after_blank(sql, start);
    if (end != start) {
      start = end;
      continue;
    }
    if (sql[start] == '\'') {
      end = after_quoted(sql, start);
      words.emplace_back(sql.substr(start, end - start));
    } else if (sql[start] == '"' || sql[start] == '`' || sql[start] == '[') {
      end = after_quoted(sql, start);
      words.push_back(quoted_word(sql.substr(start + 1, end >= start + 2 ? end - start - 2 : 0)));
    } else if (is_name_character(sql[start])) {
      end = start;
      while (end < sql.size() && is_name_character(sql[end])) ++end;
      words.push_back(lower(sql.substr(start, end - start)));
    } else {
      end = start + 1;
      words.emplace_back(1, sql[start]);
    }
    start = end;
  }
  while (!words.empty() && words.back() == ";") words.pop_back();
  return words;
}

std::multiset<std::string> table_definitions(std::string_view sql) {
  std::multiset<std::string> definitions;
  std::string definition;
  int depth = 0;
  bool options = false;  // behind the brackets
  const auto end_definition = [&] {
    if (!definition.empty()) definitions.insert(definition);
    definition.clear();
  };
  for (const std::string& word : sql_words(sql)) {
    if (word == ")") --depth;
    const bool around_columns = depth == 0 && (word == "(" || word == ")");
    if (around_columns || (word == "," && depth <= 1)) {
      end_definition();
      options = options || word == ")";
    } else {
      if (definition.empty() && options) definition = ")\n";  // a column of that name is another thing
      definition += word + '\n';
    }
    if (word == "(") ++depth;
  }
  end_definition();
  return definitions;
}

void require_no_triggers(SQLite::Database& database, const std::filesystem::path& file) {
  SQLite::Statement query(database, "SELECT name, lower(tbl_name) FROM sqlite_schema WHERE type = 'trigger'");
  while (query.executeStep()) {
    const std::string name = query.getColumn(0).getString(), table = query.getColumn(1).getString();
    if (!own_objects().contains(table)) continue;
    throw Error(
        fmt::format("cannot use {}", file.string()),
        fmt::format("its table {} has a trigger that is not Triscope's (\"{}\"), which could change what is stored",
                    shown(table), shown(name)),
        "drop the trigger with sqlite3 if you know what it is for; otherwise do not use this file");
  }
}

void require_own_schema(SQLite::Database& database, const std::filesystem::path& file, SchemaUse use, ResultView view) {
  const std::string what = fmt::format("cannot use {}", file.string());
  const std::map<std::string, SchemaObject> objects = objects_of(database);
  require_harmless_indices(database, what, use);
  for (const auto& [name, own] : own_objects()) {
    const auto found = objects.find(name);
    const bool same_type = found != objects.end() && found->second.type == own.type;
    if (own.type == "view") {
      if (view == ResultView::any) continue;
      if (same_type && sql_words(found->second.sql) == sql_words(own.sql)) continue;
      throw Error(what, fmt::format("its view {} is not the one that Triscope makes, so it may say anything", name),
                  "make it anew from the tables with `triscope doctor --rebuild-view --db FILE`");
    }
    if (own.type == "index" && !sql_words(own.sql).empty() && sql_words(own.sql).at(1) != "unique") continue;
    if (same_type && own.type == "index" && sql_words(found->second.sql) == sql_words(own.sql)) continue;
    if (same_type && own.type == "table" && table_definitions(found->second.sql) == table_definitions(own.sql))
      continue;
    throw Error(what,
                found == objects.end() ? fmt::format("it has no {} {}", own.type, name)
                                       : fmt::format("its {} {} is not built as Triscope builds it", own.type, name),
                "name another file; this one was left as it is");
  }
}

}  // namespace triscope
