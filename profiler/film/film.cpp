#include "profiler/film/film.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "kernels/base/text/shell_word.hpp"

namespace triscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kVideoSize = 1920;  // pixels that the longer side of a video has at most, when pictures are enlarged
constexpr int kVideoRate = 25;    // pictures a second

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// One film in the making.
class Maker {
 public:
  Maker(Supervisor& worker, const FilmRequest& request, const std::stop_token& stop,
        const std::function<void(const FilmProgress&)>& tell)
      : worker_(worker), request_(request), stop_(stop), tell_(tell) {
    progress_.total = 2 * request.queries.count();
  }

  Film make(const std::filesystem::path& folder) {
    Film film;
    const std::optional<double> largest = largest_p();
    film.stopped = !largest;
    if (film.stopped) return film;
    SliceExport format = request_.format;
    format.style = picture_style(format.style, *largest);
    format.range_given = true;
    film.high = std::exp(format.style.high);
    film.low = std::exp(format.style.low);
    const Clock::time_point start = Clock::now();
    for (std::int64_t n = 0; n < count() && !film.stopped; ++n) {
      const std::optional<Slice> slice = slice_of(n);
      film.stopped = !slice;
      if (film.stopped) break;
      const std::filesystem::path file = folder / fmt::format("{:04}.png", n + 1);
      const SlicePicture picture = framed_picture(file, *slice, format, title_of(n));
      AtomicFile out(file);
      out.write(std::as_bytes(std::span(picture.png)));
      out.commit();
      film.width = picture.width;
      film.height = picture.height;
      progress_.written = film.written = n + 1;
      tell(seconds_since(start) / static_cast<double>(n + 1) * static_cast<double>(count() - n - 1));
    }
    return film;
  }

 private:
  std::int64_t count() const { return request_.queries.count(); }

  void tell(double seconds_left) {
    ++progress_.done;
    progress_.seconds_left = seconds_left;
    tell_(progress_);
  }

  std::int64_t query_of(std::int64_t n) const { return request_.queries.first + n * request_.queries.step; }
  std::string title_of(std::int64_t n) const {
    return fmt::format("query {}, head {}", query_of(n), request_.query.head);
  }

  /// Of the n-th picture; nullopt after a stop.
  std::optional<Slice> slice_of(std::int64_t n) {
    if (stop_.stop_requested()) return std::nullopt;
    SliceQuery query = request_.query;
    query.query = query_of(n);
    try {
      return worker_.slice({request_.source, query, 1}, stop_);
    } catch (const Error&) {
      if (stop_.stop_requested()) return std::nullopt;
      throw;
    }
  }

  /// Over all queries; nullopt after a stop. The first one is drawn, too: whether it can be, and how long it takes.
  std::optional<double> largest_p() {
    double largest = 0, drawing = 0;
    const Clock::time_point start = Clock::now();
    for (std::int64_t n = 0; n < count(); ++n) {
      const std::optional<Slice> slice = slice_of(n);
      if (!slice) return std::nullopt;
      if (slice->largest_p > largest) largest = slice->largest_p;  // not when it is NaN
      if (n == 0) {
        const Clock::time_point before = Clock::now();
        framed_picture("0001.png", *slice, request_.format, title_of(0));
        drawing = seconds_since(before);
      }
      const double each = (seconds_since(start) - drawing) / static_cast<double>(n + 1);
      tell(each * static_cast<double>(2 * count() - n - 1) + drawing * static_cast<double>(count()));
    }
    return largest;
  }

  Supervisor& worker_;
  const FilmRequest& request_;
  const std::stop_token& stop_;
  const std::function<void(const FilmProgress&)>& tell_;
  FilmProgress progress_;
};

}  // namespace

Film write_film(Supervisor& worker, const FilmRequest& request, const std::filesystem::path& folder,
                const std::stop_token& stop, const std::function<void(const FilmProgress&)>& tell) {
  return Maker(worker, request, stop, tell).make(folder);
}

std::string video_command(const std::filesystem::path& folder, const Film& film) {
  const std::filesystem::path whole = std::filesystem::absolute(folder);  // "a:b" and "-a" would be taken for others
  std::string pattern;
  for (const char c : whole.string()) pattern += c == '%' ? "%%" : std::string(1, c);
  const int zoom = std::max(1, kVideoSize / std::max({1, film.width, film.height})), width = film.width * zoom,
            height = film.height * zoom;
  std::string filter = fmt::format("scale={}:{}:flags=neighbor", width, height);
  // Players want even numbers.
  if (width % 2 + height % 2 > 0) filter += fmt::format(",pad={}:{}", width + width % 2, height + height % 2);
  return fmt::format("ffmpeg -framerate {} -i {} -vf {} -c:v libx264 -crf 18 -pix_fmt yuv420p {}", kVideoRate,
                     shell_word(pattern + "/%04d.png"), filter, shell_word((whole / "film.mp4").string()));
}

}  // namespace triscope
