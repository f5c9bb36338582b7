// Where output goes: a person at a terminal, or a file or pipe.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string_view>

#include "kernels/base/error.hpp"

namespace triscope {

bool is_terminal(std::FILE* stream);

/// Columns of the terminal behind `stream`, or $COLUMNS when that is set; `fallback` when there is no terminal.
std::size_t terminal_width(std::FILE* stream, std::size_t fallback);

/// Characters a terminal shows for UTF-8 `text` (code points; no East Asian wide ones are printed here).
std::size_t display_width(std::string_view text);

/// What is said when stdout could not be written; `code` is an errno.
Error output_error(int code);

/// Flushes stdout. Throws `Error` when what was printed could not be written (disk full, closed pipe).
void finish_output();

}  // namespace triscope
