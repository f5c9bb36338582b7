#include "views/model/sweep_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/attention/paper.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/plan/sweep_title.hpp"
#include "views/data/format.hpp"
#include "views/model/styles/series_style.hpp"

namespace triscope {
namespace {

std::vector<std::int64_t> in_order(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  const auto twice = std::ranges::unique(values);
  values.erase(twice.begin(), twice.end());
  return values;
}

bool is_dot_product(const SweepRequest& request) {
  return names_baselines_alone(request) || request.forms == std::vector{Form::dot_product};
}

void set_passes(SweepShape& shape, const std::vector<Pass>& passes) {
  const auto has = [&](Pass pass) { return std::ranges::find(passes, pass) != passes.end(); };
  const bool backward = has(Pass::backward), both = backward && has(Pass::forward);
  shape.style = both ? kStepStyle : backward ? 1 : 0;
  shape.words += both ? "; forward and backward" : backward ? "; backward" : "; forward";
}

/// Of many lengths so many that each is seen, the first and the last among them.
void set_lengths(SweepShape& shape, const std::vector<std::int64_t>& lengths) {
  shape.kind = SweepShape::Kind::lengths;
  const std::size_t steps = std::min(lengths.size(), SweepShape::kMostSteps);
  const double low = std::log2(static_cast<double>(lengths.front())),
               high = std::log2(static_cast<double>(lengths.back()));
  constexpr double kLowest = 0.2;  // the shortest is seen
  for (std::size_t n = 0; n < steps; ++n) {
    const double length = static_cast<double>(lengths[n * (lengths.size() - 1) / (steps - 1)]);
    shape.steps.push_back(static_cast<float>(kLowest + (1 - kLowest) * (std::log2(length) - low) / (high - low)));
  }
  shape.words = fmt::format("{} lengths, {} to {}", format_count(static_cast<std::int64_t>(lengths.size())),
                            format_tokens(lengths.front()), format_tokens(lengths.back()));
}

void set_windows(SweepShape& shape, std::vector<Windows> windows) {
  if (windows.empty()) {
    for (const PaperRow& row : paper_table1()) windows.push_back(row.windows);
  }
  std::vector<std::int64_t> w1, w2;
  for (const Windows& one : windows) {
    w1.push_back(one.window1);
    w2.push_back(one.window2);
  }
  w1 = in_order(std::move(w1));
  w2 = in_order(std::move(w2));
  shape.kind = SweepShape::Kind::windows;
  shape.columns = std::min(w1.size(), SweepShape::kMostColumns);
  shape.rows = std::min(w2.size(), SweepShape::kMostRows);
  shape.filled.resize(shape.columns * shape.rows);
  const auto place = [](const std::vector<std::int64_t>& values, std::int64_t value, std::size_t cells) {
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(values, value) - values.begin());
    return at * cells / values.size();
  };
  for (const Windows& one : windows)
    shape.filled[place(w2, one.window2, shape.rows) * shape.columns + place(w1, one.window1, shape.columns)] = true;
  const auto range = [](const std::vector<std::int64_t>& values) {
    return values.size() == 1 ? fmt::format("{}", values.front())
                              : fmt::format("{} to {}", values.front(), values.back());
  };
  shape.words =
      fmt::format("{} of windows, w1 {} across, w2 {} up", counted(windows.size(), "pair"), range(w1), range(w2));
}

SweepShape shape_of(const SweepRequest& request) {
  SweepShape shape;
  const std::vector<std::int64_t> lengths = in_order(request.seq_lens);
  if (lengths.size() > 1) {
    set_lengths(shape, lengths);
  } else if (is_dot_product(request)) {
    shape.kind = SweepShape::Kind::line;
    shape.words = "dot-product attention, no windows";
  } else if (request.mask == Mask::full) {
    shape.kind = SweepShape::Kind::windows;
    shape.columns = shape.rows = 1;
    shape.filled = {true};
    shape.words = "full mask, every pair of tokens";
  } else {
    set_windows(shape, request.windows);
  }
  set_passes(shape, request.passes);
  return shape;
}

}  // namespace

SweepShape sweep_shape(const SweepInfo& sweep) {
  const std::optional<SweepRequest> request = listed_request(sweep);
  return request ? shape_of(*request) : SweepShape{};
}

}  // namespace triscope
