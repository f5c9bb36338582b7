// SQLite's result codes in words a person can act on.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <string_view>
#include <utility>

#include "kernels/base/error.hpp"

namespace triscope {

/// `exception`, thrown while trying to `action` ("write to") the database `file`, as an `Error`.
Error store_error(const SQLite::Exception& exception, std::string_view action, const std::filesystem::path& file);

/// Whether the disk, or a limit on the size of files, leaves too little for what SQLite writes beside `file` to read
/// it: an empty log and its index. A database that is itself as large as a file may be can still be read with locks.
bool lacks_room(const std::filesystem::path& file);

/// Runs `body`; SQLite's exceptions leave as `Error`.
template <typename Body>
decltype(auto) translate_errors(std::string_view action, const std::filesystem::path& file, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const SQLite::Exception& exception) {
    throw store_error(exception, action, file);
  }
}

}  // namespace triscope
