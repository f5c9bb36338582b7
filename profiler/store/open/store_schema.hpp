// Creating the schema, recognising a Triscope database, and bringing an older one up to date.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace triscope {

inline constexpr std::int64_t kApplicationId = 0x54524953;  // "TRIS"

/// SQL that turns schema version n + 1 into n + 2, at index n. Empty while version 1 is the newest.
std::span<const std::string_view> schema_steps();

/// The version this program writes: 1 + number of steps.
std::int64_t schema_version();

enum class SchemaState { empty, current, older };

/// What `database` holds. Throws `Error` when that is something else, or was written by a newer Triscope.
SchemaState schema_state(SQLite::Database& database, const std::filesystem::path& file);

/// Throws `Error` also when it is empty or older, so that its view `result` cannot be made anew.
void require_current_schema(SQLite::Database& database, const std::filesystem::path& file);

/// Creates the schema in an empty database, or migrates an older one; nothing happens to a current one. `check` may
/// throw on what the database then is: after a migration, before it is committed. Whether it was empty.
bool prepare_schema(
    SQLite::Database& database, const std::filesystem::path& file, const std::function<void()>& check = [] {});

/// Puts our view `result` in the place of what stands under that name.
void make_view_anew(SQLite::Database& database);

/// Applies `steps` from `database`'s user_version on, all in one transaction, after copying the database to
/// `file`.schemaN.bak (a number is added when that exists). On failure the database is as before and the copy is gone.
/// `check` may throw before the commit.
void migrate(
    SQLite::Database& database, const std::filesystem::path& file, std::span<const std::string_view> steps,
    const std::function<void()>& check = [] {});

/// The same steps without copy, for a database in memory.
void apply_steps(SQLite::Database& database, const std::filesystem::path& file,
                 std::span<const std::string_view> steps);

}  // namespace triscope
