// Strings that repeat thousands of times stand once in the table `text`; other tables hold their row ids.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace triscope {

/// Row ids of texts, which are written when they are new; remembered as long as this lives, which must not be longer
/// than one transaction. Prepares its statements when the first text is asked for.
class InternedTexts {
 public:
  explicit InternedTexts(SQLite::Database& database) : database_(database) {}

  std::int64_t id(const std::string& value);
  SQLite::Database& database() const { return database_; }

 private:
  SQLite::Database& database_;
  std::optional<SQLite::Statement> insert_;
  std::optional<SQLite::Statement> find_;
  std::map<std::string, std::int64_t> ids_;
};

}  // namespace triscope
