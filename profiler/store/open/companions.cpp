#include "profiler/store/open/companions.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

namespace fs = std::filesystem;

// How SQLite's files begin (https://www.sqlite.org/fileformat.html; the index: in this machine's byte order).
constexpr unsigned char kJournalMark[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
constexpr unsigned char kLogMark[] = {0x37, 0x7f, 0x06, 0x82};
constexpr unsigned char kOtherLogMark[] = {0x37, 0x7f, 0x06, 0x83};
constexpr std::uint32_t kIndexVersion = 3'007'000;

struct Beginning {
  std::array<unsigned char, 28> bytes{};
  std::size_t count = 0;
  std::array<unsigned char, sizeof kJournalMark> end{};
};

[[noreturn]] void refuse(const fs::path& file, const std::string& why, const std::string& fix) {
  throw Error(fmt::format("cannot use {}", file.string()), why, fix);
}

// The beginning and end of a regular file; none when it is not there, or gone meanwhile. Throws its errno.
std::optional<Beginning> read_beginning(const fs::path& companion) {
  const int descriptor = ::open(companion.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) {
    if (errno == ENOENT) return std::nullopt;
    throw std::system_error(errno, std::generic_category());
  }
  Beginning beginning;
  struct stat facts {};
  const auto end_bytes = static_cast<off_t>(beginning.end.size());
  ssize_t count = ::pread(descriptor, beginning.bytes.data(), beginning.bytes.size(), 0);
  if (::fstat(descriptor, &facts) == 0 && facts.st_size >= end_bytes &&
      ::pread(descriptor, beginning.end.data(), beginning.end.size(), facts.st_size - end_bytes) < 0)
    count = -1;
  const int error = errno;
  ::close(descriptor);
  if (count < 0) throw std::system_error(error, std::generic_category());
  beginning.count = static_cast<std::size_t>(count);
  return beginning;
}

// A file that was emptied, or whose beginning a cut-off write left undone, has zeros in the place of its mark.
bool begins_with(const Beginning& beginning, std::span<const unsigned char> mark) {
  const bool whole = beginning.count >= mark.size();
  for (std::size_t at = 0; at < std::min(beginning.count, mark.size()); ++at)
    if (beginning.bytes[at] != 0 && (!whole || beginning.bytes[at] != mark[at])) return false;
  return true;
}

// Pages of the database before the transaction that the journal takes back.
std::uint32_t pages_before(const Beginning& journal) {
  std::uint32_t pages = 0;
  for (std::size_t at = 16; at < 20; ++at) pages = pages << 8 | journal.bytes[at];
  return pages;
}

void require_own_journal(const fs::path& file, const std::string& name, const Beginning& journal) {
  if (!begins_with(journal, kJournalMark))
    refuse(file, fmt::format("{} beside it is not a journal of SQLite's, and opening would delete it", name),
           fmt::format("move {} away", name));
  // It may end with the name of a file that joins transactions of several databases. SQLite reads and deletes that
  // file when it takes the transaction back: whatever file it is. Ours are never joined.
  if (std::ranges::equal(journal.end, kJournalMark))
    refuse(file, fmt::format("{} names another file, which would be deleted", name),
           "do not use these two files unless you know who made them");
}

void require_own_log(const fs::path& file, const std::string& name, const Beginning& log) {
  if (begins_with(log, kLogMark) || begins_with(log, kOtherLogMark)) return;
  refuse(file, fmt::format("{} beside it is not a log of SQLite's, and opening would delete it", name),
         fmt::format("move {} away", name));
}

// An index grows by parts of 4 KiB; SQLite cuts it to 3 bytes before it makes it anew.
void require_own_index(const fs::path& file, const std::string& name, const fs::path& index, IndexCheck check) {
  constexpr std::uintmax_t kPart = 4096, kCut = 3;
  std::error_code gone;
  const std::uintmax_t size = fs::file_size(index, gone);
  if (gone) return;
  bool own = size % kPart == 0 || size == kCut;
  if (own && check == IndexCheck::bytes) {
    unsigned char mark[sizeof kIndexVersion];
    std::memcpy(mark, &kIndexVersion, sizeof mark);
    const std::optional<Beginning> beginning = read_beginning(index);
    // Cut, it keeps the mark's beginning.
    own = !beginning || begins_with(*beginning, std::span(mark).first(std::min(beginning->count, sizeof mark)));
  }
  if (own) return;
  refuse(file, fmt::format("{} beside it is not an index of SQLite's, and opening would overwrite it", name),
         fmt::format("move {} away", name));
}

// A database that is empty or not there has no transaction, except the first one, which creates it.
void require_no_orphan(const fs::path& file, const std::string& name, bool of_created, const Beginning& companion) {
  const bool zeroed = companion.bytes[0] == 0;
  if (zeroed || of_created || has_bytes(file)) return;
  refuse(file, fmt::format("{} belongs to a database that is no longer there, and would be deleted", name),
         fmt::format("put that database back, or move {} away", name));
}

}  // namespace

bool has_bytes(const fs::path& file) {
  std::error_code failed;
  return fs::exists(file, failed) && fs::file_size(file, failed) > 0 && !failed;
}

void require_harmless_companions(const fs::path& file, IndexCheck check) {
  for (const std::string_view end : {"-journal", "-wal", "-shm"}) {
    const fs::path companion = file.string() + std::string(end);
    const std::string name = companion.filename().string();
    std::error_code unknown;
    const fs::file_status status = fs::symlink_status(companion, unknown);
    if (!fs::exists(status)) continue;
    if (!fs::is_regular_file(status))
      refuse(file, fmt::format("{} beside it is no regular file", name),
             "move that away if you do not know what it is for");
    try {
      if (end == "-shm") {
        require_own_index(file, name, companion, check);
        continue;
      }
      const std::optional<Beginning> beginning = read_beginning(companion);
      if (!beginning) continue;
      const bool journal = end == "-journal";
      if (journal) {
        require_own_journal(file, name, *beginning);
      } else {
        require_own_log(file, name, *beginning);
      }
      require_no_orphan(file, name, journal && pages_before(*beginning) == 0, *beginning);
    } catch (const std::system_error& error) {
      refuse(file, fmt::format("{} beside it cannot be read ({})", name, error.code().message()),
             "change its permissions, or move it away if it is not this database's");
    }
  }
}

bool has_open_transaction(const fs::path& file) {
  if (has_bytes(file.string() + "-wal")) return true;
  try {
    const std::optional<Beginning> journal = read_beginning(file.string() + "-journal");
    return journal && journal->count > 0 && journal->bytes[0] != 0;  // SQLite looks at no more
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace triscope
