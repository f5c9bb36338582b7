// A stranger's database is looked through by a process with few rights (profiler/store/check) before this one opens it.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "profiler/store/open/own_schema.hpp"
#include "profiler/store/open/patience.hpp"
#include "profiler/store/open/private_folder.hpp"

namespace triscope {

/// The program that looks; it lies beside the running one.
inline constexpr char kFileChecker[] = "triscope-check-file";
/// What that program writes about a file that may be opened.
inline constexpr std::string_view kPassed = "passed\n";

/// Throws the checker's `Error` when it refuses `file`, or one that says how the file ended it. `action` ("read") is
/// part of its text. Throws SQLITE_INTERRUPT after a stop of `patience`. A file that passed is not looked through again
/// while it stays as it is, unless it had been changed in the 20 ms before. Nothing is checked where the program is
/// missing (`triscope doctor` says so), and where there is no file yet.
/// When a transaction in `file` was cut off and nobody has it open, opening it would change it. Then the result holds
/// what was looked through: a copy in which that transaction was taken back or completed.
/// `require_harmless_companions` comes first.
std::unique_ptr<PrivateFolder> require_checked(const std::filesystem::path& file, std::string_view action,
                                               const Patience& patience, ResultView view = ResultView::own);

/// For a file that was checked and that this process has open for writing: while the result lives, `require_checked`
/// does not look through it again, although each write changes it. Release it before the file is closed.
std::shared_ptr<void> hold_checked(const std::filesystem::path& file);

}  // namespace triscope
