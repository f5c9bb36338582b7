#include "views/model/attention/figure_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope {

std::string figure_text(OverviewFigure figure, double value) {
  const std::string number = significant_text(value, 3);
  switch (figure) {
    case OverviewFigure::entropy:
      return number + " nats";
    case OverviewFigure::distance1:
    case OverviewFigure::distance2:
      return number + " tokens";
    case OverviewFigure::largest_p:
    case OverviewFigure::sink_p:
      return number;
  }
  return number;
}

std::string figure_meaning(OverviewFigure figure, const Problem& problem, std::int64_t tokens) {
  const auto width = [&](std::int64_t window) {
    return static_cast<double>(problem.mask == Mask::full ? tokens : std::clamp<std::int64_t>(window, 1, tokens));
  };
  const double w1 = width(problem.window1), w2 = width(problem.window2);
  const auto distance = [](double window) {
    return fmt::format("Mean tokens back, weighted by p. Equal weights give {} in a whole window.",
                       significant_text((window - 1) / 2, 4));
  };
  switch (figure) {
    case OverviewFigure::entropy:
      return fmt::format("Low entropy is bright. Equal weights give {} nats in whole windows.",
                         significant_text(std::log(w1 * w2), 3));
    case OverviewFigure::largest_p:
      return fmt::format("Equal weights give {} in whole windows.", significant_text(1 / (w1 * w2), 2));
    case OverviewFigure::sink_p:
      return "The share that no pair takes.";
    case OverviewFigure::distance1:
      return distance(w1);
    case OverviewFigure::distance2:
      return distance(w2);
  }
  return {};
}

std::string key_text(const SourceReply& source, std::int64_t position, std::int64_t query) {
  const std::int64_t back = query - position;
  const std::string place = token_text(source, position);
  if (back == 0) return place + " (the query)";
  return fmt::format("{} ({} {})", place, format_count(std::abs(back)), back > 0 ? "back" : "ahead");
}

std::string source_line(const AttentionSource& source, const SourceReply* reply) {
  std::string line = source_title(source);
  if (source.kind != SourceKind::file || !reply || !line.ends_with(".npy")) return line;
  std::string others;
  for (const char* role : {"q", "k1", "k2", "v1", "v2", "sink"}) {
    const auto found = reply->names.find(role);
    if (found == reply->names.end() || found->second.empty() || line == std::string(role) + ".npy") continue;
    others += (others.empty() ? "" : ", ") + std::string(role);
  }
  return others.empty() ? line : fmt::format("{} with {}", line, others);
}

std::array<std::int64_t, 2> shown_distances(const AttentionUi& ui, const AttentionSideData& side) {
  const std::int64_t query = side.slice_of.query.query;
  if (ui.pinned)
    return {std::max<std::int64_t>(0, query - ui.pinned->j), std::max<std::int64_t>(0, query - ui.pinned->k)};
  if (!side.slice || side.slice->top.empty()) return {1, 1};
  const Triple& strongest = side.slice->top.front();
  return {std::max<std::int64_t>(0, query - strongest.j), std::max<std::int64_t>(0, query - strongest.k)};
}

}  // namespace triscope
