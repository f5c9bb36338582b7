#include "views/model/paper/own_losses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "kernels/base/text/list_items.hpp"
#include "kernels/base/text/text_beginning.hpp"
#include "profiler/paper/laws/losses_file.hpp"
#include "profiler/paper/laws/reproduction.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostPairedModels = 8;  // of more, each is compared with the first only
constexpr std::size_t kLongestName = 200;     // a file may have one of 32 MiB, which takes a frame seconds

void compare_all(OwnBenchmark& benchmark) {
  const std::size_t count = benchmark.series.size();
  benchmark.only_with_first = count > kMostPairedModels;
  for (std::size_t from = 0; from < (benchmark.only_with_first ? 1 : count); ++from) {
    for (std::size_t to = from + 1; to < count; ++to)
      benchmark.pairs.push_back({from, to, compare_laws(benchmark.series[from], benchmark.series[to])});
  }
}

std::string count_words(const std::optional<int>& count, const char* unit) {
  return count ? fmt::format("{} {}", *count, unit) : fmt::format("over 1000 {}", unit);
}

std::string range_text(const std::optional<double>& low, const std::optional<double>& high) {
  return low && high ? fmt::format("{:.4g} to {:.4g}", *low, *high) : "unknown";
}

}  // namespace

void take_losses(LossesUi& ui, const std::string& file, std::string text) {
  ui.own = true;
  ui.file = file;
  ui.text = std::move(text);
  ui.benchmark = 0;
  ++ui.edits;
}

OwnLosses make_own_losses(const std::string& text) {
  OwnLosses all;
  std::vector<LossSeries> read;
  try {
    read = read_losses(text);
  } catch (const Error& error) {
    all.problem = error.why();
    return all;
  }
  for (LossSeries& losses : read) {
    for (std::string* name : {&losses.benchmark, &losses.model}) *name = beginning_of(std::move(*name), kLongestName);
  }
  FittedLosses fitted = fit_each(std::move(read));
  for (const Unfitted& one : fitted.left_out) all.problem += (all.problem.empty() ? "" : "; ") + one.text();
  for (FittedSeries& one : fitted.series) {
    auto at = std::ranges::find(all.benchmarks, one.losses.benchmark, &OwnBenchmark::name);
    if (at == all.benchmarks.end()) at = all.benchmarks.insert(at, {one.losses.benchmark, {}, {}, false});
    at->series.push_back(std::move(one));
  }
  std::ranges::for_each(all.benchmarks, compare_all);
  return all;
}

std::string example_losses() {
  std::string text = kLossesHeader;
  for (const char* benchmark : kBenchmarks) {
    for (const char* model : kModels) {
      const LossSeries series = paper_losses(benchmark, model, kPrintedSizes);
      for (std::size_t i = 0; i < series.sizes.size(); ++i)
        text += fmt::format("{},{},{},{}\n", benchmark, model, parameters_text(series.sizes[i]), series.losses[i]);
    }
  }
  return text;
}

std::vector<double> parse_sizes(const std::string& text, std::string& problem) {
  std::vector<double> sizes;
  problem.clear();
  for (const std::string_view word : list_words(text)) {
    try {
      sizes.push_back(parse_parameters(word));
    } catch (const Error& error) {
      problem = error.what();
    }
  }
  return sizes;
}

std::string needed_words(const ComparedLaws& pair) {
  if (pair.decided()) return "decided";
  if (!pair.paired) return "not decided; the two have other sizes";
  if (!pair.needed) return "not decided";
  return fmt::format("not decided; {}, or {}, would decide it", count_words(pair.needed->repeats, "runs of each size"),
                     count_words(pair.needed->sizes, "sizes in all"));
}

std::string with_half(double value, const std::optional<double>& half, int decimals) {
  if (!half) return fmt::format("{:.{}f}, interval unknown", value, decimals);
  return fmt::format("{:.{}f} ± {:.{}f}", value, decimals, *half, decimals);
}

TextTable losses_text(const OwnLosses& losses, const std::vector<double>& sizes) {
  TextTable table{{"benchmark", "what", "model", "beside", "value", "95 %", "note"},
                  {false, false, false, false, true, true, false},
                  {}};
  for (const OwnBenchmark& benchmark : losses.benchmarks) {
    for (const FittedSeries& one : benchmark.series) {
      const ScalingLaw& law = one.law;
      const auto half = [&](const std::optional<double>& error) {
        const std::optional<double> width = half_width(error, law.degrees);
        return width ? fmt::format("{:.6g}", *width) : std::string("unknown");
      };
      const std::string& model = one.losses.model;
      table.rows.push_back({benchmark.name, "alpha", model, "", fmt::format("{:.6g}", law.alpha), half(law.alpha_error),
                            fmt::format("{} points", law.points)});
      table.rows.push_back({benchmark.name, "beta", model, "", fmt::format("{:.6g}", law.beta), half(law.beta_error),
                            "R2 " + r_squared_text(law)});
      for (const double size : sizes) {
        const LossForecast at = forecast_loss(law, size);
        table.rows.push_back({benchmark.name, "loss at " + parameters_text(size), model, "",
                              fmt::format("{:.6g}", at.loss), range_text(at.low, at.high),
                              "one more run: " + range_text(at.run_low, at.run_high)});
      }
    }
    for (const auto& [from, to, laws] : benchmark.pairs) {
      table.rows.push_back({benchmark.name, "difference of alpha", benchmark.series[to].losses.model,
                            benchmark.series[from].losses.model, fmt::format("{:.6g}", laws.difference.value),
                            laws.difference.half ? fmt::format("{:.6g}", *laws.difference.half) : "unknown",
                            needed_words(laws)});
    }
  }
  return table;
}

}  // namespace triscope
