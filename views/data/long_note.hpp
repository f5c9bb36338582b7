// Notes that are too long to be written in the window: a stranger's database may hold some of 32 MiB.
#pragma once

#include <cstddef>
#include <string>

namespace triscope {

inline constexpr std::size_t kLongestNote = 256 << 10;

/// Of such a note the window holds the beginning, itself longer than `kLongestNote`: to change that would lose the
/// rest.
inline bool is_long_note(const std::string& note) { return note.size() > kLongestNote; }

/// Said beside a long note. `database_words`: as in `DatabaseData`.
inline std::string long_note_text(const std::string& database_words) {
  return "The beginning of a note longer than 256 KiB: `triscope note" + database_words +
         "` prints all of it, and replaces it.";
}

}  // namespace triscope
