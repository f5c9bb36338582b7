#include "app/cli/commands/inspect_heads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/cli/text/terminal.hpp"
#include "kernels/inspect/peak_doubt.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "profiler/export/head_means.hpp"
#include "profiler/record/json.hpp"
#include "profiler/supervise/find_means.hpp"

namespace triscope {
namespace {

constexpr std::int64_t kMostMeanSlices = 8'192;
constexpr std::size_t kListedPeaks = 4;  // of a head

nlohmann::json figures_json(const FigureMeans& means) {
  const auto of = [&](OverviewFigure figure) { return means.at(static_cast<std::size_t>(figure)); };
  return {{"entropy", of(OverviewFigure::entropy)},
          {"largest_p", of(OverviewFigure::largest_p)},
          {"distance1", of(OverviewFigure::distance1)},
          {"distance2", of(OverviewFigure::distance2)}};
}

/// Why a peak does not count; null in JSON and empty where it does.
nlohmann::json doubt_json(PeakDoubt doubt) {
  if (doubt == PeakDoubt::none) return nullptr;
  return doubt == PeakDoubt::nearly_even ? "nearly even" : "few queries";
}

std::string doubt_text(PeakDoubt doubt) {
  if (doubt == PeakDoubt::none) return "";
  return doubt == PeakDoubt::nearly_even ? "; nearly even: does not count" : "; of one or few queries: does not count";
}

void print_head_json(const HeadMeans& head, const MeanMaps& maps, bool sink) {
  nlohmann::json object = figures_json(head.means);
  object["type"] = "head";
  object["head"] = head.head;
  object["sink_p"] = sink ? nlohmann::json(head.of(OverviewFigure::sink_p)) : nlohmann::json();
  object["even"] = figures_json(head.even);
  object["peaks"] = nlohmann::json::array();
  for (const MeanPeak& peak : maps.peaks[static_cast<std::size_t>(head.head)])
    object["peaks"].push_back({{"back1", peak.back1},
                               {"back2", peak.back2},
                               {"p", peak.p},
                               {"even", peak.even},
                               {"queries", peak.queries},
                               {"strongest", maps.strongest_at(peak.head, peak.back1, peak.back2)},
                               {"doubt", doubt_json(peak_doubt(maps, peak))}});
  write_json_line(dump_line(object));
}

/// The columns of a table below one another.
void print_aligned(const TextTable& table) {
  const auto print_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t n = 0; n < row.size(); ++n) {
      std::size_t width = table.header[n].size();
      for (const auto& each : table.rows) width = std::max(width, each[n].size());
      line += fmt::format("{}{:>{}}", n == 0 ? "" : "  ", row[n], width);
    }
    print_output("{}\n", line);
  };
  print_row(table.header);
  for (const auto& row : table.rows) print_row(row);
}

}  // namespace

void print_heads(Supervisor& worker, const AttentionSource& source, const SliceQuery& query, const SourceReply& shape,
                 bool json) {
  const Problem& problem = query.problem;
  const bool one_key = has_one_key(problem);
  const Overview overview = worker.overview({source, query, 1});
  const std::int64_t slices =
      std::ssize(averaged_queries(problem, shape.seq_len, 1)) * std::max<std::int64_t>(1, shape.q_heads);
  const std::int64_t step = (slices + kMostMeanSlices - 1) / kMostMeanSlices;
  const MeanMaps maps = find_means(worker, {source, query, step}, shape);
  const std::vector<HeadMeans> heads = head_means(overview, problem, shape.seq_len);
  if (json) {
    for (const HeadMeans& head : heads) print_head_json(head, maps, shape.sink);
    return;
  }
  const std::string left_out = left_out_sentence(counted_queries(problem, shape.seq_len));
  if (!left_out.empty()) print_output("{}\n", left_out);
  print_aligned(heads_text(heads, even_means(overview, problem, shape.seq_len), shape.sink, one_key));
  print_output("largest p, the mean over the queries that see the {}{}:\n", one_key ? "key" : "pair",
               step == 1 ? "" : fmt::format(" (one query in {})", step));
  for (const MeanPeak& largest : largest_peaks(maps)) {
    std::size_t listed = 0;
    for (const MeanPeak& peak : maps.peaks[static_cast<std::size_t>(largest.head)]) {
      if (listed++ == kListedPeaks) break;
      print_output(
          "  head {:<3} j {:>5} back{}: p {:.4g}, {:.3g} times even weights, over {} queries, {} with the largest p "
          "there{}\n",
          peak.head, peak.back1, one_key ? "" : fmt::format(", k {:>5} back", peak.back2), peak.p, peak.p / peak.even,
          peak.queries, maps.strongest_at(peak.head, peak.back1, peak.back2), doubt_text(peak_doubt(maps, peak)));
    }
  }
}

}  // namespace triscope
