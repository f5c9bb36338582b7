// Columns as data. What a table holds is listed once (store_tables.hpp); INSERT, SELECT, WHERE and the reading of rows
// are made of that list, so that no order of columns is kept by hand.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "profiler/store/interned_texts.hpp"
#include "profiler/store/store_values.hpp"

namespace triscope::sql {

/// How a SELECT names a column.
enum class Selected {
  as_it_is,    ///< table.name
  interned,    ///< the text whose row id table.name holds
  expression,  ///< `name` is an expression; it is only read
};

/// One column: `write(binder, texts, row)` binds its value of a row, `read(reader, row)` takes it into a row. The row
/// is any type with the members that the column was made for.
template <typename Write, typename Read>
struct Column {
  std::string_view name;
  Write write;
  Read read;
  Selected selected = Selected::as_it_is;
  std::string_view table = "";
};
// For Clang 16, which derives none from the members.
template <typename Write, typename Read, typename... Rest>
Column(std::string_view, Write, Read, Rest...) -> Column<Write, Read>;

/// A column that holds what lies at `place` in a row: a pointer to a member, or a function that returns a reference.
template <typename Place>
constexpr auto column(std::string_view name, Place place) {
  return Column{name, [place](Binder& binder, InternedTexts&, const auto& row) { binder << std::invoke(place, row); },
                [place](RowReader& reader, auto& row) { reader >> std::invoke(place, row); }};
}

/// A column that holds `get(row)`; read back, `set(row, value)`.
template <typename Get, typename Set>
constexpr auto column(std::string_view name, Get get, Set set) {
  return Column{name, [get](Binder& binder, InternedTexts&, const auto& row) { binder << get(row); },
                [set]<typename Row>(RowReader& reader, Row& row) {
                  set(row, reader.next<std::invoke_result_t<Get, const Row&>>());
                }};
}

/// A column that holds the name of an enumerator.
template <typename Place, typename Parse>
constexpr auto named(std::string_view name, Place place, Parse parse) {
  return Column{name, [place](Binder& binder, InternedTexts&, const auto& row) { binder << std::invoke(place, row); },
                [place, parse](RowReader& reader, auto& row) { std::invoke(place, row) = reader.named(parse); }};
}

/// A column that holds the row id of a text; an empty text that may be missing is NULL.
enum class EmptyText { stored, null };
template <typename Place>
constexpr auto interned(std::string_view name, Place place, EmptyText empty = EmptyText::stored) {
  return Column{name,
                [place, empty](Binder& binder, InternedTexts& texts, const auto& row) {
                  const std::string& text = std::invoke(place, row);
                  const bool null = empty == EmptyText::null && text.empty();
                  binder << (null ? std::nullopt : std::optional(texts.id(text)));
                },
                [place](RowReader& reader, auto& row) { reader >> std::invoke(place, row); }, Selected::interned};
}

/// What a SELECT computes; never written.
template <typename Place>
constexpr auto expression(std::string_view sql, Place place) {
  return Column{sql, nullptr, [place](RowReader& reader, auto& row) { reader >> std::invoke(place, row); },
                Selected::expression};
}

/// A column that holds a line that is no name and may be long: a command, a reason.
template <typename Place>
constexpr auto long_line(std::string_view name, Place place) {
  return Column{name, [place](Binder& binder, InternedTexts&, const auto& row) { binder << std::invoke(place, row); },
                [place](RowReader& reader, auto& row) { std::invoke(place, row) = reader.next_long_line(); }};
}

/// A column that holds the row id of such a line.
template <typename Place>
constexpr auto interned_long_line(std::string_view name, Place place) {
  return Column{name, interned(name, place).write, long_line(name, place).read, Selected::interned};
}

/// What a SELECT computes, of a text that a person wrote, with its lines.
template <typename Place>
constexpr auto lines(std::string_view sql, Place place) {
  return Column{sql, nullptr, [place](RowReader& reader, auto& row) { std::invoke(place, row) = reader.next_lines(); },
                Selected::expression};
}

/// One list of columns, of single columns and of lists.
template <typename... Parts>
constexpr auto columns(const Parts&... parts) {
  const auto as_list = []<typename Part>(const Part& part) {
    if constexpr (requires { part.read; })
      return std::tuple<Part>(part);
    else
      return std::apply([](const auto&... inner) { return columns(inner...); }, part);
  };
  return std::tuple_cat(as_list(parts)...);
}

/// The same columns for rows that hold what they were made for at `place`.
template <typename Place, typename Columns>
constexpr auto within(Place place, const Columns& list) {
  const auto moved = [place](const auto& one) {
    return Column{one.name,
                  [place, write = one.write](Binder& binder, InternedTexts& texts, const auto& row) {
                    write(binder, texts, std::invoke(place, row));
                  },
                  [place, read = one.read](RowReader& reader, auto& row) { read(reader, std::invoke(place, row)); },
                  one.selected, one.table};
  };
  return std::apply([&](const auto&... each) { return std::tuple(moved(each)...); }, list);
}

/// A table or view with these columns (and perhaps others, see Insert): Table{"name", column(...), ...}.
template <typename Columns>
struct Table {
  std::string_view name;
  Columns columns;

  template <typename... Parts>
  constexpr explicit Table(std::string_view table, const Parts&... parts)
      : name(table), columns(sql::columns(parts...)) {
    std::apply([table](auto&... each) { ((each.table = table), ...); }, columns);
  }
};
template <typename... Parts>
Table(std::string_view, const Parts&...) -> Table<decltype(columns(std::declval<const Parts&>()...))>;

/// `text(column)` of each column, with `separator` between them.
template <typename Columns, typename Text>
std::string listed(const Columns& list, std::string_view separator, Text text) {
  std::string all;
  const auto add = [&](const auto& one) {
    if (!all.empty()) all += separator;
    all += text(one);
  };
  std::apply([&](const auto&... each) { (add(each), ...); }, list);
  return all;
}

/// What stands between SELECT and FROM.
template <typename Columns>
std::string select_list(const Columns& list) {
  return listed(list, ", ", [](const auto& one) {
    const std::string name(one.name), of_table = std::string(one.table) + "." + name;
    if (one.selected == Selected::expression) return name;
    return one.selected == Selected::interned ? "(SELECT value FROM text WHERE id = " + of_table + ")" : of_table;
  });
}

/// The condition that every column has the value that `bind_row` binds.
template <typename Columns>
std::string equal_to_row(const Columns& list) {
  return listed(list, " AND ", [](const auto& one) { return std::string(one.name) + " IS ?"; });
}

template <typename Columns, typename Row>
void bind_row(Binder& binder, InternedTexts& texts, const Columns& list, const Row& row) {
  std::apply([&](const auto&... each) { (each.write(binder, texts, row), ...); }, list);
}

template <typename Columns, typename Row>
void read_row(RowReader& reader, const Columns& list, Row& row) {
  std::apply([&](const auto&... each) { (each.read(reader, row), ...); }, list);
}

/// The rows of "SELECT `list` `rest`"; `values` are bound to the parameters of `rest`.
template <typename Row, typename Columns, typename... Values>
std::vector<Row> select(SQLite::Database& database, const Columns& list, const std::string& rest,
                        const Values&... values) {
  SQLite::Statement query(database, "SELECT " + select_list(list) + " " + rest);
  Binder binder(query);
  ((binder << values), ...);
  std::vector<Row> rows;
  RowReader reader(query);
  for (; query.executeStep(); reader.next_row()) {
    read_row(reader, list, rows.emplace_back());
  }
  return rows;
}

/// Writes rows into a table. `given` names columns that the rows do not hold: their values follow the row, one for
/// each.
template <typename Columns, std::size_t kGiven>
class Insert {
 public:
  template <typename... Names>
  Insert(InternedTexts& texts, const Table<Columns>& table, Names... given)
      : texts_(texts), columns_(table.columns), statement_(texts.database(), sql(table, {given...})) {}

  /// Returns the row id.
  template <typename Row, typename... Values>
  requires(sizeof...(Values) == kGiven) std::int64_t operator()(const Row& row, const Values&... given) {
    Binder binder(statement_);
    bind_row(binder, texts_, columns_, row);
    ((binder << given), ...);
    statement_.exec();
    return texts_.database().getLastInsertRowid();
  }

 private:
  static std::string sql(const Table<Columns>& table, std::initializer_list<std::string_view> given) {
    std::string names = listed(table.columns, ", ", [](const auto& one) { return std::string(one.name); });
    std::string values = listed(table.columns, ", ", [](const auto&) { return std::string("?"); });
    for (const std::string_view name : given) names += ", " + std::string(name), values += ", ?";
    return "INSERT INTO " + std::string(table.name) + "(" + names + ") VALUES (" + values + ")";
  }

  InternedTexts& texts_;
  const Columns& columns_;
  SQLite::Statement statement_;
};
template <typename Columns, typename... Names>
Insert(InternedTexts&, const Table<Columns>&, Names...) -> Insert<Columns, sizeof...(Names)>;

/// Row id of the row of `table` that equals `row`; it is written when there is none.
template <typename Columns, typename Row>
std::int64_t intern(InternedTexts& texts, const Table<Columns>& table, const Row& row) {
  SQLite::Statement find(texts.database(),
                         "SELECT id FROM " + std::string(table.name) + " WHERE " + equal_to_row(table.columns));
  Binder binder(find);
  bind_row(binder, texts, table.columns, row);
  if (find.executeStep()) return find.getColumn(0).getInt64();
  return Insert(texts, table)(row);
}

}  // namespace triscope::sql
