// What may be written where: no command destroys a file of another kind.
#pragma once

#include <filesystem>
#include <string_view>

namespace triscope {

/// What a command writes.
enum class FileKind { picture, array, csv, json, markdown, latex, tensors, database, page, svg, pdf };

/// Refuses `file`, the value of `option` ("--screenshot"), as the place of a file of `kind`, before anything is
/// computed. Throws `Error`, (usage): the name is empty or a folder's, it ends like another kind ("x.jpg" for a
/// picture), it is there and its name or its first bytes are of another kind, it is there and ends in .txt, or it
/// belongs to a database (`refuse_database_files`); (environment): its folder is missing, or it is there and read-only.
/// A new file's name may have no ending. What is no regular file (a FIFO, a device, an open descriptor) may have any
/// name. Creates nothing.
void require_output(const std::filesystem::path& file, FileKind kind, std::string_view option);

/// Refuses names that SQLite and sweeps keep beside a database (x-wal, x-shm, x-journal, x.lock, x.spool) and,
/// unless `may_be_database`, every SQLite file. `target` is what `given` leads to. Throws `Error` (usage).
void refuse_database_files(const std::filesystem::path& given, const std::filesystem::path& target,
                           bool may_be_database = false);

/// The end of a chain of symbolic links, which need not exist. An open descriptor (/dev/stdout leads to one) is an end.
/// Throws `Error` (environment) when the links lead in a circle.
std::filesystem::path end_of_links(const std::filesystem::path& given);

/// Whether `file` is a link of /proc/PID/fd, which stands for an open descriptor and not for the file it names.
bool is_descriptor(const std::filesystem::path& file);

}  // namespace triscope
