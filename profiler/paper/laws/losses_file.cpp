#include "profiler/paper/laws/losses_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

#include "kernels/base/error.hpp"
#include "kernels/base/text/plain_text.hpp"

namespace triscope {
namespace {

constexpr std::string_view kHeader = "benchmark,model,parameters,loss";
// Every two models of a benchmark are compared: 100 of them are 4,950 comparisons, about two seconds.
constexpr std::size_t kMostLines = 100'000, kMostSeries = 100, kMostBytes = 32u << 20;

[[noreturn]] void refuse(const std::string& why) {
  throw Error("the losses cannot be read", why, fmt::format("write lines \"{}\", with these names first", kHeader),
              ExitCode::usage);
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

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

void add_line(std::vector<LossSeries>& all, std::string_view line, std::size_t number) {
  const std::vector<std::string_view> cells = cells_of(line);
  if (cells.size() != 4) refuse(fmt::format("line {} has {} cells, not 4", number, cells.size()));
  const double loss = positive(cells[3]);
  if (std::isnan(loss))
    refuse(fmt::format("the loss '{}' in line {} is no number above 0", plain_line(cells[3]), number));
  const double size = parse_parameters(cells[2]);
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
  if (std::isfinite(value)) return value;
  throw Error(fmt::format("the number of parameters '{}' cannot be read", plain_line(given)),
              "it is no number above 0, alone or with M, B or T", "write 350M, 1.5B or 7e9", ExitCode::usage);
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
      if (line != kHeader) refuse("the first line does not name the columns");
    } else if (!line.empty()) {
      add_line(all, line, number);
    }
  }
  if (all.empty()) refuse("there is no line with a loss");
  std::ranges::for_each(all, sort_by_size);
  return all;
}

std::string losses_text_of(const std::filesystem::path& file) {
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(file, ignored);
  std::ifstream in(file, std::ios::binary);
  if (!in || folder) {
    throw Error(fmt::format("the losses in {} cannot be read", plain_line(file.string())),
                folder ? "it is a folder" : "the file cannot be opened", "name a CSV file that is there",
                ExitCode::usage);
  }
  std::string text(kMostBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMostBytes) refuse("the file is larger than 32 MiB");
  return text;
}

std::vector<LossSeries> read_losses_file(const std::filesystem::path& file) {
  return read_losses(losses_text_of(file));
}

}  // namespace triscope
