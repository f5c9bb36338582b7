// Moving values between C++ and SQLite statements one after the other.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/base/text/text_beginning.hpp"
#include "profiler/store/stored_text.hpp"

namespace triscope {

/// A row holds what Triscope never stores; `what()` says what.
class UnusableRow : public SQLite::Exception {
 public:
  explicit UnusableRow(const std::string& fault) : SQLite::Exception(fault, SQLITE_CORRUPT) {}
};

/// Bytes of the longest name that is believed: of a kernel, an instance, a device, a host. What Triscope stores is
/// shorter.
inline constexpr std::size_t kLongestName = 1000;

/// Binds parameters 1, 2, ... Empty optionals and numbers that are not finite become NULL (SQLite has no NaN);
/// enumerations are stored by name.
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
  Binder& operator<<(const std::string& value) {
    statement_.bind(next_++, value);
    return *this;
  }
  Binder& operator<<(std::string_view value) { return *this << std::string(value); }
  Binder& operator<<(const char* value) { return *this << std::string(value); }
  template <typename Enum>
  requires std::is_enum_v<Enum> Binder& operator<<(Enum value) { return *this << to_string(value); }
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

/// Reads columns 0, 1, ... of the row a statement stands on, and of the next one after `next_row`. NULL is an empty
/// optional, NaN, 0 or an empty text. Text is one line of valid UTF-8, whatever is stored. Throws `UnusableRow` on a
/// value of another type or range, and on a name that is too long.
class RowReader {
 public:
  explicit RowReader(const SQLite::Statement& statement) : statement_(statement) {}
  void next_row() { next_ = 0; }

  template <typename Value>
  RowReader& operator>>(Value& value) {
    value = value_of<Value>(column());
    return *this;
  }
  template <typename Value>
  Value next() {
    return value_of<Value>(column());
  }
  /// A line that is no name and may be long: a command, a reason.
  std::string next_long_line() { return as_one_line(text_of(column())); }
  /// A text that a person wrote, with its lines.
  std::string next_lines() { return text_of(column()); }
  /// A value stored by name; a name this program does not know counts as damage.
  template <typename Parse>
  auto named(Parse&& parse) {
    const SQLite::Column& stored = column();
    const auto name = value_of<std::string>(stored);
    const auto value = parse(name);
    if (!value) {
      throw UnusableRow(
          fmt::format("its {} is \"{}\", which Triscope does not know", stored.getName(), beginning_of(name, 40)));
    }
    return *value;
  }

 private:
  [[noreturn]] static void refuse(const SQLite::Column& column, const char* what) {
    throw UnusableRow(std::string("its ") + column.getName() + " is no " + what);
  }
  template <typename Value>
  static Value value_of(const SQLite::Column& column) {
    const int type = column.getType();
    if constexpr (requires { typename Value::value_type; } && !std::same_as<Value, std::string>) {  // optional
      return type == SQLITE_NULL ? Value() : Value(value_of<typename Value::value_type>(column));
    } else if constexpr (std::same_as<Value, bool>) {
      return column.getInt64() != 0;
    } else if constexpr (std::integral<Value>) {
      if (type == SQLITE_NULL) return 0;
      const std::int64_t stored = column.getInt64();
      if (type != SQLITE_INTEGER || !(std::unsigned_integral<Value> || std::in_range<Value>(stored)))
        refuse(column, "whole number in its range");
      return static_cast<Value>(stored);
    } else if constexpr (std::same_as<Value, double>) {
      if (type == SQLITE_NULL) return std::numeric_limits<double>::quiet_NaN();
      if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) refuse(column, "number");
      return column.getDouble();
    } else {
      static_assert(std::same_as<Value, std::string>, "what type of SQLite is it?");
      return name_of(column);
    }
  }
  static std::string name_of(const SQLite::Column& column) {
    std::string name = as_one_line(text_of(column));
    if (name.size() <= kLongestName) return name;
    throw UnusableRow(
        fmt::format("its {} has {} bytes, and a name at most {}", column.getName(), name.size(), kLongestName));
  }
  static std::string text_of(const SQLite::Column& column) {
    const int type = column.getType();
    if (type == SQLITE_NULL) return {};
    if (type != SQLITE_TEXT) refuse(column, "text");
    return as_utf8(column.getString());
  }

  /// Kept: one that is made anew for each value of a million costs more than reading it.
  const SQLite::Column& column() {
    if (next_ == columns_.size()) columns_.push_back(statement_.getColumn(static_cast<int>(next_)));
    return columns_[next_++];
  }

  const SQLite::Statement& statement_;
  std::vector<SQLite::Column> columns_;
  std::size_t next_ = 0;
};

}  // namespace triscope
