#include "kernels/inspect/mean_maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>

#include "kernels/base/error.hpp"
#include "kernels/inspect/slice_rules.hpp"

namespace triscope {
namespace {

std::size_t place_of(const MeanMaps& maps, std::int64_t head, std::int64_t back1, std::int64_t back2) {
  const std::int64_t row = maps.height - 1 - back2, column = maps.width - 1 - back1;
  return static_cast<std::size_t>((head * maps.height + row) * maps.width + column);
}

/// The first query of a head that sees keys so far back.
auto first_seeing(const MeanMaps& maps, std::int64_t head, std::int64_t back1, std::int64_t back2) {
  return std::ranges::lower_bound(maps.queries.at(static_cast<std::size_t>(head)), std::max(back1, back2));
}

double even_p(const MeanMaps& maps, std::int64_t head, std::int64_t back1, std::int64_t back2) {
  const auto first = first_seeing(maps, head, back1, back2), end = maps.queries[static_cast<std::size_t>(head)].end();
  double sum = 0;
  for (auto query = first; query != end; ++query) sum += even_figures(maps.problem, maps.tokens, *query).largest_p;
  return sum / static_cast<double>(end - first);
}

bool beside(const MeanPeak& peak, std::int64_t back1, std::int64_t back2) {
  return std::abs(peak.back1 - back1) <= 1 && std::abs(peak.back2 - back2) <= 1;
}

}  // namespace

std::int64_t MeanMaps::seen_by(std::int64_t head, std::int64_t back1, std::int64_t back2) const {
  return queries[static_cast<std::size_t>(head)].end() - first_seeing(*this, head, back1, back2);
}

double MeanMaps::at(std::int64_t head, std::int64_t back1, std::int64_t back2) const {
  return static_cast<double>(p.at(place_of(*this, head, back1, back2)));
}

std::int64_t MeanMaps::strongest_at(std::int64_t head, std::int64_t back1, std::int64_t back2) const {
  return std::ranges::count(strongest[static_cast<std::size_t>(head)], std::array{back1, back2});
}

std::vector<MeanPeak> mean_peaks(const MeanMaps& maps, std::int64_t head, std::size_t most) {
  const auto least = std::max<std::int64_t>(1, std::ssize(maps.queries.at(static_cast<std::size_t>(head))) / 8);
  std::vector<MeanPeak> peaks;
  while (peaks.size() < most) {
    MeanPeak best;
    best.p = -1;
    for (std::int64_t back2 = 0; back2 < maps.height; ++back2) {
      for (std::int64_t back1 = 0; back1 < maps.width; ++back1) {
        const double p = maps.at(head, back1, back2);
        if (!(p > best.p) || maps.seen_by(head, back1, back2) < least) continue;
        if (std::ranges::any_of(peaks, [&](const MeanPeak& peak) { return beside(peak, back1, back2); })) continue;
        best = {head, back1, back2, p, 0, 0};
      }
    }
    if (best.p < 0) break;
    best.even = even_p(maps, head, best.back1, best.back2);
    best.queries = maps.seen_by(head, best.back1, best.back2);
    peaks.push_back(best);
  }
  return peaks;
}

std::size_t tied_peaks(const std::vector<MeanPeak>& peaks) {
  constexpr double kTied = 0.9;
  return static_cast<std::size_t>(
      std::ranges::count_if(peaks, [&](const MeanPeak& peak) { return peak.p >= kTied * peaks.front().p; }));
}

std::vector<MeanPeak> largest_peaks(const MeanMaps& maps) {
  std::vector<MeanPeak> peaks;
  for (std::int64_t head = 0; head < maps.heads; ++head) {
    const std::vector<MeanPeak>& own = maps.peaks[static_cast<std::size_t>(head)];
    if (!own.empty()) peaks.push_back(own.front());
  }
  std::ranges::stable_sort(peaks, std::greater(), [](const MeanPeak& peak) { return peak.p / peak.even; });
  return peaks;
}

std::vector<std::int64_t> averaged_queries(const Problem& problem, std::int64_t tokens, std::int64_t step) {
  std::vector<std::int64_t> queries;
  const std::int64_t first = (counted_queries(problem, tokens).first + step - 1) / step * step;  // as an overview's
  for (std::int64_t query = first; query < tokens; query += step) queries.push_back(query);
  return queries;
}

MeanMapsMaker::MeanMapsMaker(const Problem& problem, std::int64_t tokens, std::int64_t heads, std::int64_t step) {
  maps_.tokens = tokens;
  maps_.heads = heads;
  maps_.step = step;
  maps_.problem = problem;
  maps_.width = std::min(problem.window1, tokens);
  maps_.height = problem.form == Form::dot_product ? 1 : std::min(problem.window2, tokens);
  const char* fix = "choose the causal mask and smaller windows";
  if (problem.mask == Mask::full)
    throw Error("no mean over queries is made", "with a full mask pairs have no distances in common", fix,
                ExitCode::usage);
  if (maps_.width > kMostMeanCells / maps_.height / heads)
    throw Error(
        "no mean over queries is made",
        fmt::format("{} heads of {} x {} pairs are more than {}", heads, maps_.width, maps_.height, kMostMeanCells),
        fix, ExitCode::usage);
  maps_.queries.resize(static_cast<std::size_t>(heads));
  maps_.strongest.resize(static_cast<std::size_t>(heads));
  sums_.resize(static_cast<std::size_t>(heads * maps_.width * maps_.height));
  best_p_.resize(sums_.size());
  best_query_.resize(sums_.size(), -1);
}

void MeanMapsMaker::add(std::int64_t head, std::int64_t query, const Slice& slice) {
  if (!std::isfinite(slice.lse) || std::isnan(slice.largest_p)) return;
  maps_.queries[static_cast<std::size_t>(head)].push_back(query);
  std::array<std::int64_t, 2> strongest{};
  float most = -std::numeric_limits<float>::infinity();
  const float* log_p = slice.log_p.data();
  for (std::int64_t k = slice.first2; k < slice.first2 + slice.count2; ++k) {
    std::size_t place = place_of(maps_, head, query - slice.first1, query - k);
    for (std::int64_t j = 0; j < slice.count1; ++j, ++log_p, ++place) {
      if (!std::isfinite(*log_p)) continue;
      const float p = std::exp(*log_p);
      sums_[place] += static_cast<double>(p);
      if (p > best_p_[place]) {
        best_p_[place] = p;
        best_query_[place] = static_cast<std::int32_t>(query);
      }
      if (*log_p <= most) continue;
      most = *log_p;
      strongest = {query - slice.first1 - j, query - k};
    }
  }
  maps_.strongest[static_cast<std::size_t>(head)].push_back(strongest);
}

void MeanMapsMaker::add_up(std::int64_t head) {
  float least = std::numeric_limits<float>::infinity(), most = 0;
  for (std::int64_t back2 = 0; back2 < maps_.height; ++back2) {
    for (std::int64_t back1 = 0; back1 < maps_.width; ++back1) {
      const std::int64_t seen = maps_.seen_by(head, back1, back2);
      const std::size_t place = place_of(maps_, head, back1, back2);
      float& p = maps_.p[place];
      p = seen > 0 ? static_cast<float>(sums_[place] / static_cast<double>(seen))
                   : std::numeric_limits<float>::quiet_NaN();
      if (seen == 0) continue;
      if (p > 0) least = std::min(least, p);
      most = std::max(most, p);
      maps_.edge1[static_cast<std::size_t>((head + 1) * maps_.width - 1 - back1)] += p;
      maps_.edge2[static_cast<std::size_t>((head + 1) * maps_.height - 1 - back2)] += p;
    }
  }
  maps_.range.push_back(most > 0 ? std::array{std::log(least), std::log(most)} : std::array{0.0F, 0.0F});
  for (MeanPeak& peak : maps_.peaks.emplace_back(mean_peaks(maps_, head, kKeptPeaks))) {
    const std::size_t place = place_of(maps_, head, peak.back1, peak.back2);
    peak.best_query = best_query_[place];
    peak.best_p = static_cast<double>(best_p_[place]);
  }
}

MeanMaps MeanMapsMaker::finish() {
  maps_.p.resize(sums_.size());
  maps_.edge1.resize(static_cast<std::size_t>(maps_.heads * maps_.width));
  maps_.edge2.resize(static_cast<std::size_t>(maps_.heads * maps_.height));
  for (std::int64_t head = 0; head < maps_.heads; ++head) add_up(head);
  return std::move(maps_);
}

}  // namespace triscope
