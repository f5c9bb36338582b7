#include "app/cli/film/film_making.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/cli/options/values.hpp"
#include "app/cli/text/sweep_display.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"

namespace triscope {
namespace {

using Clock = std::chrono::steady_clock;

/// On a terminal one line that is written over, elsewhere a line now and then.
class FilmDisplay {
 public:
  explicit FilmDisplay(std::int64_t pictures) : pictures_(pictures) {}
  ~FilmDisplay() { clear(); }
  FilmDisplay(const FilmDisplay&) = delete;
  FilmDisplay& operator=(const FilmDisplay&) = delete;

  void show(const FilmProgress& progress) {
    const Clock::time_point now = Clock::now();
    if (now - shown_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000))) return;
    shown_ = now;
    const std::string current =
        progress.done <= pictures_ ? "range of colours" : fmt::format("picture {} of {}", progress.written, pictures_);
    const std::size_t width = terminal_width(stderr, 80);
    const std::string line = progress_bar({progress.done, progress.total, progress.seconds_left, current},
                                          terminal_ && width > 1 ? width - 1 : kUnlimitedWidth);
    terminal_ ? write_status_line(line) : write_error(line);
  }

  void clear() const {
    if (terminal_) write_status_line("");
  }

 private:
  std::int64_t pictures_;
  bool terminal_ = is_terminal(stderr);
  Clock::time_point shown_ = Clock::now();
};

/// From 0 on, with the suffixes of a count.
std::int64_t parse_query(std::string_view option, const std::string& whole, const std::string& text) {
  if (text == "0") return 0;
  if (text.empty() || text.find_first_not_of("0123456789kKmM") != std::string::npos)
    refuse_value(option, whole, "this is no range of queries", "write it as 100..900, or 100..900/200");
  return parse_count(option, text);
}

}  // namespace

FilmQueries parse_film_queries(std::string_view option, const std::string& text) {
  const std::size_t dots = text.find(".."), slash = text.find('/', dots == std::string::npos ? 0 : dots);
  if (dots == std::string::npos)
    refuse_value(option, text, "this is no range of queries", "write it as 100..900, or 100..900/200");
  FilmQueries queries;
  queries.first = parse_query(option, text, text.substr(0, dots));
  queries.last =
      parse_query(option, text, text.substr(dots + 2, slash == std::string::npos ? slash : slash - dots - 2));
  if (slash != std::string::npos) queries.step = parse_count(option, text.substr(slash + 1));
  if (queries.last < queries.first)
    refuse_value(option, text, "the last query comes before the first", "write the smaller one first");
  if (queries.count() > kMostFilmPictures)
    refuse_value(option, text,
                 fmt::format("these are {} pictures, and at most {} are made", queries.count(), kMostFilmPictures),
                 fmt::format("take steps, such as {}..{}/{}", queries.first, queries.last,
                             (queries.last - queries.first) / kMostFilmPictures + 1));
  return queries;
}

int FilmMaking::make(Supervisor& worker, const FilmRequest& request, bool json) {
  std::int64_t written = 0;
  Film film;
  try {
    FilmDisplay display(request.queries.count());
    film = write_film(worker, request, folder_, stop(), [&](const FilmProgress& progress) {
      written = progress.written;
      if (written > 0) made_.keep();
      display.show(progress);
    });
  } catch (const Error&) {
    if (written > 0)
      print_error("triscope: {} of {} were written to {} and stay there", written,
                  number_of(request.queries.count(), "picture"), folder_);
    throw;
  }
  json ? print_json(request, film) : print(request, film);
  return static_cast<int>(film.stopped ? ExitCode::measured_failed : ExitCode::done);
}

void FilmMaking::print(const FilmRequest& request, const Film& film) const {
  const FilmQueries& queries = request.queries;
  if (film.stopped && film.written == 0) return print_output("stopped before the first picture was written\n");
  if (film.stopped)
    print_output("stopped: {} of {} were written and stay\n", film.written, number_of(queries.count(), "picture"));
  print_output("{} of {} x {} pixels in {}: queries {} to {}{}, head {}\n", number_of(film.written, "picture"),
               film.width, film.height, folder_, queries.first, queries.first + (film.written - 1) * queries.step,
               queries.step > 1 ? fmt::format(" in steps of {}", queries.step) : "", request.query.head);
  print_output("colours in all of them: p from {} to {}{}\n", significant_text(film.low, 4),
               significant_text(film.high, 4),
               request.format.style.scale == HeatmapStyle::Scale::logarithmic ? ", logarithmic" : "");
  write_output(fmt::format("a video of them:\n  {}\n", video_command(folder_, film)));
}

void FilmMaking::print_json(const FilmRequest& request, const Film& film) const {
  const bool any = film.written > 0;
  write_json_line(
      dump_line({{"type", "film"},
                 {"folder", folder_},
                 {"pictures", film.written},
                 {"asked", request.queries.count()},
                 {"first_query", request.queries.first},
                 {"step", request.queries.step},
                 {"head", request.query.head},
                 {"width", film.width},
                 {"height", film.height},
                 {"p_low", any ? nlohmann::json(film.low) : nlohmann::json()},
                 {"p_high", any ? nlohmann::json(film.high) : nlohmann::json()},
                 {"stopped", film.stopped},
                 {"video_command", any ? nlohmann::json(video_command(folder_, film)) : nlohmann::json()}}));
}

}  // namespace triscope
