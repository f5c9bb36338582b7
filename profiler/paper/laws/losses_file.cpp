#include "profiler/paper/laws/losses_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <tuple>

#include "kernels/base/error.hpp"
#include "kernels/base/text/plain_text.hpp"

namespace triscope {
namespace {

constexpr std::string_view kHeader = "benchmark,model,parameters,loss";
constexpr double kMostParameters = 1e24;  // a slip of the unit, such as 1e300T, makes more
// Every two models of a benchmark are compared: 100 of them are 4,950 comparisons, about two seconds.
constexpr std::size_t kMostLines = 100'000, kMostSeries = 100, kMostBytes = 32u << 20;

struct OpenFile {
  int descriptor;
  explicit OpenFile(int opened) : descriptor(opened) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

[[noreturn]] void refuse(const std::string& why) {
  throw Error("the losses cannot be read", why, fmt::format("write lines \"{}\", with these names first", kHeader),
              ExitCode::usage);
}

std::string what_fails(const std::filesystem::path& file) {
  return fmt::format("the losses in {} cannot be read", plain_line(file.string()));
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

/// The number all of `text` is; NaN for anything else, also for one that is not above 0.
double positive(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) && value > 0 ? value : NAN;
}

/// The cell that `line` begins with and, in `line`, what follows its comma; in `more` whether there was one. A cell in
/// quotes may hold commas, and quotes that are written twice. nullopt: the quote does not end, or text follows it.
std::optional<std::string> next_cell(std::string_view& line, bool& more) {
  std::string cell;
  line = trimmed(line);
  if (line.starts_with('"')) {
    std::size_t at = 1;
    for (; at < line.size(); ++at) {
      if (line[at] == '"' && !line.substr(at + 1).starts_with('"')) break;
      if (line[at] == '"') ++at;
      cell += line[at];
    }
    if (at >= line.size()) return std::nullopt;
    line = trimmed(line.substr(at + 1));
    if (!line.empty() && !line.starts_with(',')) return std::nullopt;
  } else {
    cell = trimmed(line.substr(0, line.find(',')));
    line.remove_prefix(std::min(line.find(','), line.size()));
  }
  more = line.starts_with(',');
  if (more) line.remove_prefix(1);
  return cell;
}

std::vector<std::string> cells_of(std::string_view line, std::size_t number) {
  std::vector<std::string> cells;
  for (bool more = true; more;) {
    std::optional<std::string> cell = next_cell(line, more);
    if (!cell) refuse(fmt::format("a cell in line {} begins with a quote that does not end it", number));
    cells.push_back(*std::move(cell));
  }
  return cells;
}

double size_in(const std::string& cell, std::size_t number) {
  try {
    return parse_parameters(cell);
  } catch (const Error& error) {
    refuse(fmt::format("in line {} {}: {}", number, error.summary(), error.why()));
  }
}

void add_line(std::vector<LossSeries>& all, std::string_view line, std::size_t number) {
  const std::vector<std::string> cells = cells_of(line, number);
  if (cells.size() != 4) refuse(fmt::format("line {} has {} cells, not 4", number, cells.size()));
  const double loss = positive(cells[3]);
  if (std::isnan(loss))
    refuse(fmt::format("the loss '{}' in line {} is no number above 0", plain_line(cells[3]), number));
  const double size = size_in(cells[2], number);
  const std::string benchmark = plain_line(cells[0]), model = plain_line(cells[1]);
  auto series = std::ranges::find_if(
      all, [&](const LossSeries& one) { return one.benchmark == benchmark && one.model == model; });
  if (series == all.end() && all.size() == kMostSeries)
    refuse(fmt::format("line {} begins the losses of model number {}, and at most {} are compared", number,
                       kMostSeries + 1, kMostSeries));
  if (series == all.end()) series = all.insert(all.end(), {benchmark, model, {}, {}});
  series->sizes.push_back(size);
  series->losses.push_back(loss);
}

/// By size, so that two models whose lines stand in another order are paired.
void sort_by_size(LossSeries& series) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < series.sizes.size(); ++i) points.emplace_back(series.sizes[i], series.losses[i]);
  std::ranges::stable_sort(points, {}, &std::pair<double, double>::first);
  for (std::size_t i = 0; i < points.size(); ++i) std::tie(series.sizes[i], series.losses[i]) = points[i];
}

}  // namespace

double parse_parameters(std::string_view text) {
  const std::string_view given = text;
  double factor = 1;
  if (text.ends_with('M')) factor = 1e6;
  if (text.ends_with('B')) factor = 1e9;
  if (text.ends_with('T')) factor = 1e12;
  if (factor != 1) text.remove_suffix(1);
  const double value = positive(text) * factor;
  if (value <= kMostParameters) return value;
  throw Error(fmt::format("the number of parameters '{}' cannot be read", plain_line(given)),
              std::isnan(value) ? "it is no number above 0, alone or with M, B or T"
                                : fmt::format("it is more than {:g}", kMostParameters),
              "write 350M, 1.5B or 7e9", ExitCode::usage);
}

std::string parameters_text(double parameters) {
  if (parameters >= 1e12) return fmt::format("{:.4g}T", parameters / 1e12);
  if (parameters >= 1e9) return fmt::format("{:.4g}B", parameters / 1e9);
  if (parameters >= 1e6) return fmt::format("{:.4g}M", parameters / 1e6);
  return fmt::format("{:.4g}", parameters);
}

std::vector<LossSeries> read_losses(std::string_view text) {
  std::vector<LossSeries> all;
  std::size_t number = 0;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // spreadsheets write one
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (++number > kMostLines) refuse(fmt::format("there are more than {} lines", kMostLines));
    if (number == 1) {
      if (fmt::format("{}", fmt::join(cells_of(line, number), ",")) != kHeader)
        refuse("the first line does not name the columns");
    } else if (!line.empty()) {
      add_line(all, line, number);
    }
  }
  if (all.empty()) refuse("there is no line with a loss");
  std::ranges::for_each(all, sort_by_size);
  return all;
}

std::string losses_text_of(const std::filesystem::path& file) {
  const auto refuse_file = [&](const char* why) {
    throw Error(what_fails(file), why, "name a CSV file that is there", ExitCode::usage);
  };
  // O_NONBLOCK: a pipe must not wait for its writer. What is asked of the open file holds for what is read.
  const OpenFile in{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
  struct stat status {};
  if (in.descriptor < 0 || ::fstat(in.descriptor, &status) != 0) refuse_file("the file cannot be opened");
  if (S_ISDIR(status.st_mode)) refuse_file("it is a folder");
  if (!S_ISREG(status.st_mode)) refuse_file("it is no regular file, and a pipe may never end");
  std::string text;
  std::array<char, 65'536> part{};
  while (text.size() <= kMostBytes) {
    const ssize_t read = ::read(in.descriptor, part.data(), part.size());
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) refuse_file("the file cannot be read to its end");
    if (read == 0) break;
    text.append(part.data(), static_cast<std::size_t>(read));
  }
  if (text.size() > kMostBytes) refuse_file("the file is larger than 32 MiB");
  return text;
}

std::vector<LossSeries> read_losses_file(const std::filesystem::path& file) {
  const std::string text = losses_text_of(file);
  try {
    return read_losses(text);
  } catch (const Error& error) {
    throw Error(what_fails(file), error.why(), error.fix(), ExitCode::usage);
  }
}

}  // namespace triscope
