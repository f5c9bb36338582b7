// Where output goes: a person at a terminal, or a file or pipe.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace triscope {

bool is_terminal(std::FILE* stream);

/// Columns of the terminal behind `stream`, or $COLUMNS when that is set; `fallback` when there is no terminal.
std::size_t terminal_width(std::FILE* stream, std::size_t fallback);

/// Width of output that is no terminal: nothing is left out, cut or broken.
inline constexpr std::size_t kUnlimitedWidth = static_cast<std::size_t>(-1);

/// Columns that a terminal takes for UTF-8 `text`: two for East Asian wide characters and pictures, one for all others.
std::size_t display_width(std::string_view text);
/// The beginning of `text` that fits into `width` columns.
std::string_view first_columns(std::string_view text, std::size_t width);

/// The lines of `text`, each ended; one of more than `width` columns is broken at a blank, and what follows stands four
/// columns to the right. So no part of a text from elsewhere looks like a line of its own, as it does where a terminal
/// breaks the line.
std::string wrapped_lines(std::string_view text, std::size_t width);

/// The only ways out to a terminal: text from elsewhere passes through `plain_text`. None throws for a stream that
/// cannot be written: what goes to stderr is then lost, and `finish_output` tells of stdout.
void write_output(std::string_view text);
/// One line, whatever is in it, and a line feed.
void write_error(std::string_view sentence);
/// JSON stays the same JSON: `plain_json`.
void write_json(std::string_view json);
/// The same, and a line feed.
void write_json_line(std::string_view json);

/// On stderr where a file that was asked for is; nothing of a pipe, a device or a descriptor of this program.
void say_written(const std::filesystem::path& file);

/// A line on a terminal's stderr that is written over by the next; empty: removed.
void write_status_line(std::string_view text);

/// Whole lines for a person: `wrapped_lines` of a formatted text. What programs read goes through `write_output`.
template <typename... Values>
void print_output(fmt::format_string<Values...> format, Values&&... values) {
  write_output(
      wrapped_lines(fmt::format(format, std::forward<Values>(values)...), terminal_width(stdout, kUnlimitedWidth)));
}

/// `write_error` of a formatted text.
template <typename... Values>
void print_error(fmt::format_string<Values...> format, Values&&... values) {
  write_error(fmt::format(format, std::forward<Values>(values)...));
}

/// Flushes stdout. Throws `Error` when what was printed could not be written (disk full, closed pipe).
void finish_output();

}  // namespace triscope
