// Moving values between C++ and SQLite statements one after the other, so that SQL lists and code keep the same order.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace triscope {

/// Binds parameters 1, 2, ... Empty optionals and numbers that are not finite become NULL (SQLite has no NaN).
class Binder {
 public:
  explicit Binder(SQLite::Statement& statement) : statement_(statement) { statement_.reset(); }

  Binder& operator<<(std::integral auto value) {
    statement_.bind(next_++, static_cast<std::int64_t>(value));
    return *this;
  }
  Binder& operator<<(double value) {
    if (std::isfinite(value))
      statement_.bind(next_++, value);
    else
      statement_.bind(next_++);
    return *this;
  }
  Binder& operator<<(std::string_view value) {
    statement_.bind(next_++, std::string(value));
    return *this;
  }
  Binder& operator<<(const std::string& value) { return *this << std::string_view(value); }
  Binder& operator<<(const char* value) { return *this << std::string_view(value); }
  template <typename Value>
  Binder& operator<<(const std::optional<Value>& value) {
    if (value) return *this << *value;
    statement_.bind(next_++);
    return *this;
  }

 private:
  SQLite::Statement& statement_;
  int next_ = 1;
};

/// Reads columns 0, 1, ... of the row a statement stands on.
class RowReader {
 public:
  explicit RowReader(const SQLite::Statement& statement) : statement_(statement) {}

  std::int64_t integer() { return statement_.getColumn(next_++).getInt64(); }
  bool boolean() { return integer() != 0; }
  std::string text() { return statement_.getColumn(next_++).getString(); }
  double real(double when_null) { return optional_real().value_or(when_null); }
  std::optional<double> optional_real() {
    const SQLite::Column column = statement_.getColumn(next_++);
    return column.isNull() ? std::nullopt : std::optional(column.getDouble());
  }
  std::optional<std::int64_t> optional_integer() {
    const SQLite::Column column = statement_.getColumn(next_++);
    return column.isNull() ? std::nullopt : std::optional(column.getInt64());
  }
  /// A value stored by name; a name this program does not know counts as damage.
  template <typename Parse>
  auto named(Parse&& parse) {
    const std::string name = text();
    const auto value = parse(name);
    if (!value) throw SQLite::Exception("unknown value \"" + name + "\"", SQLITE_CORRUPT);
    return *value;
  }

 private:
  const SQLite::Statement& statement_;
  int next_ = 0;
};

}  // namespace triscope
