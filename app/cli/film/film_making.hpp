// `triscope inspect --film`: the folder, Ctrl-C, progress, and what is said at the end.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "app/stop/stop_signal.hpp"
#include "profiler/film/film.hpp"
#include "profiler/film/film_folder.hpp"

namespace triscope {

/// "100..900/200": every 200th query from 100 to 900. Throws `Error` (usage) that names `option`, also for more than
/// `kMostFilmPictures`.
FilmQueries parse_film_queries(std::string_view option, const std::string& text);

/// While it lives, signals ask to stop. A folder that it made goes again unless a picture was written.
class FilmMaking {
 public:
  /// Throws `Error` as `FilmFolder`.
  explicit FilmMaking(const std::string& folder) : folder_(folder), made_(folder) {}

  std::stop_token stop() const { return signals_.token(); }
  /// Writes the pictures and prints what they are; returns the exit code. Throws `Error` as `write_film`.
  int make(Supervisor& worker, const FilmRequest& request, bool json);

 private:
  void print(const FilmRequest& request, const Film& film) const;
  void print_json(const FilmRequest& request, const Film& film) const;

  std::string folder_;
  StopSignal signals_;
  FilmFolder made_;
};

}  // namespace triscope
