// A walk through the queries of one head as numbered pictures, of which a video can be made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "profiler/export/film_queries.hpp"
#include "profiler/export/slice_export.hpp"
#include "profiler/supervise/supervisor.hpp"

namespace triscope {

struct FilmRequest {
  AttentionSource source;
  SliceQuery query;  ///< of all pictures; its own query is ignored
  FilmQueries queries;
  SliceExport format;  ///< its range is ignored
};

struct FilmProgress {
  std::int64_t done = 0, total = 0;    ///< slices: each query is computed for the range of colours, then drawn
  std::int64_t written = 0;            ///< pictures
  std::optional<double> seconds_left;  ///< unset: not known yet
};

struct Film {
  std::int64_t written = 0;
  int width = 0, height = 0;  ///< pixels of each picture
  double low = 0, high = 0;   ///< p at either end of the colours of all pictures
  bool stopped = false;
};

/// Writes `folder`/0001.png, 0002.png, ...: one picture for each query, all of one size, framed (`framed_picture`)
/// and with one range of colours, the one that a picture of the largest p of all would have. Each appears whole or not
/// at all. After a stop what is written stays. `tell` is called on this thread after each slice. Throws `Error` as
/// `Supervisor::slice` and `framed_picture`, the latter before anything is written.
Film write_film(
    Supervisor& worker, const FilmRequest& request, const std::filesystem::path& folder, const std::stop_token& stop,
    const std::function<void(const FilmProgress&)>& tell = [](const FilmProgress&) {});

/// The command for a POSIX shell that makes `folder`/film.mp4 of the pictures. Small ones are enlarged.
std::string video_command(const std::filesystem::path& folder, const Film& film);

}  // namespace triscope
