// Which queries a film goes through.
#pragma once

#include <cstdint>

namespace triscope {

/// More pictures than these are not made for one film.
inline constexpr std::int64_t kMostFilmPictures = 2'000;

/// Every `step`-th query from `first` to, at most, `last`.
struct FilmQueries {
  std::int64_t first = 0, last = 0, step = 1;
  std::int64_t count() const { return (last - first) / step + 1; }
};

}  // namespace triscope
