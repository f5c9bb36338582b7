// Whether a database is built as ours are. Tables, views and indices that a person added beside ours are no concern.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace triscope {

/// Throws `Error` that names the first trigger on one of our tables: it could change what is stored.
void require_no_triggers(SQLite::Database& database, const std::filesystem::path& file);

/// Whether the view `result` must be ours, or will be made anew.
enum class ResultView { own, any };

/// What is done with a database. To write takes more: an index on one of our tables that computes something is
/// evaluated for each row, and may refuse it.
enum class SchemaUse { reading, writing };

/// Throws `Error` that names the first table whose columns or constraints are not ours, or says that the view `result`
/// is another, or names an index on our tables that could hide rows or refuse them. `database` is of the current schema
/// version. Definitions are compared one by one, whatever their order, layout and comments: a migrated file has other
/// text than a new one.
void require_own_schema(SQLite::Database& database, const std::filesystem::path& file, SchemaUse use,
                        ResultView view = ResultView::own);

/// The words of an SQL statement, lower-case where SQLite ignores case, without comments, and without quotes
/// around names where SQLite reads the same without them.
std::vector<std::string> sql_words(std::string_view sql);

/// What stands before the brackets of a CREATE TABLE statement, its columns and constraints, each as its words, and
/// what follows the brackets, marked as such.
std::multiset<std::string> table_definitions(std::string_view sql);

}  // namespace triscope
