// What a process gives up before it reads a stranger's file, so that a fault in reading cannot do more than end it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace triscope {

/// Gives up, for good: files and folders (landlock), and every system call but those that reading open descriptors
/// takes (seccomp): no opening, no program, no socket, no process, no new executable memory. What was open before stays
/// usable. What the kernel lacks is left out.
void confine_process();

/// For a command that reads a database and says what is in it. Gives up, for good: starting programs and processes (it
/// may have threads), opening sockets, signals to other processes, their limits and priorities, reaching into them,
/// every ioctl but what a stream is asked, memory that becomes executable, what only root may do, all changes to files
/// but beneath `folders`, to /dev/null and to the terminal of its output, and everywhere to owners, times, attributes
/// and flags. To modes too, unless `modes` is `changeable`: who replaces a file gives the new one its mode. Files stay
/// readable. What the kernel lacks is left out.
enum class FileModes { fixed, changeable };
void confine_reader(const std::vector<std::filesystem::path>& folders, FileModes modes = FileModes::fixed);

/// Bounds: the processor seconds given, 1 GiB of memory, no file over `bytes` (at least 64 MiB), no core dump.
void bound_process(std::int64_t seconds, std::int64_t bytes);

/// What this kernel lacks of it, in words ("landlock"); empty: nothing.
std::vector<std::string> missing_confinement();

}  // namespace triscope
