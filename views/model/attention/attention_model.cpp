#include "views/model/attention/attention_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/inspect/mean_maps.hpp"
#include "kernels/inspect/slice_rules.hpp"
#include "kernels/tensors/match3.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

constexpr double kOverviewCost = 3e9, kGpuOverviewCost = 3e12;  // multiplications
constexpr double kPatience = 10;  // times that cost, for the fewest columns and for the heads of one query
constexpr std::int64_t kLeastColumns = 24, kMostColumns = 512, kMostGpuColumns = 8192;
constexpr std::int64_t kSheetWidth = 96, kSheetHeight = 40;
constexpr double kDecades = 6;       // of log p below the largest, unless set otherwise
constexpr double kLinearRange = 60;  // of log p: e^-60 of the largest is nothing beside it
constexpr int kBins = 72;

const AttentionSideData& first(const AttentionData& data) { return data.sides[0]; }

bool ready(const AttentionSideData& side) { return side.source && side.source->problem.empty(); }

Problem problem_of(const AttentionUi& ui, const AttentionSideData& data, int side) {
  if (data.asked->kind == SourceKind::match3) return match3_problem(data.source->seq_len);
  Problem problem;
  problem.form = ui.sides[static_cast<std::size_t>(side)].form;
  problem.mask = ui.mask;
  problem.window1 = ui.window1;
  problem.window2 = ui.window2;
  problem.scale = ui.scale;
  problem.k2_bias = problem.form == Form::dot_product ? 0 : ui.k2_bias;
  problem.v2_bias = problem.form == Form::dot_product ? 0 : ui.v2_bias;
  return problem;
}

SliceQuery query_of(const AttentionUi& ui, const AttentionSideData& data, int side) {
  const AttentionSide& own = ui.sides[static_cast<std::size_t>(side)];
  SliceQuery query{problem_of(ui, data, side), own.arithmetic, ui.batch, ui.head, ui.query};
  if (side == 1 && own.other_head >= 0) query.head = own.other_head;
  query.batch = std::clamp<std::int64_t>(query.batch, 0, data.source->batch - 1);
  query.head = std::clamp<std::int64_t>(query.head, 0, data.source->q_heads - 1);
  query.query = std::clamp<std::int64_t>(query.query, 0, data.source->seq_len - 1);
  return query;
}

double multiplications_per_query(const Problem& problem, const SourceReply& source) {
  const auto keys = [&](std::int64_t window) {
    return static_cast<double>(problem.mask == Mask::full ? source.seq_len : std::min(window, source.seq_len));
  };
  return keys(problem.window1) * (problem.form == Form::dot_product ? 1 : keys(problem.window2)) *
         static_cast<double>(source.head_dim * source.q_heads);
}

/// Queries of which all heads can be looked at in about a second.
double affordable_queries(const AttentionUi& ui, const Problem& problem, const SourceReply& source) {
  return (ui.device == "cpu" ? kOverviewCost : kGpuOverviewCost) / multiplications_per_query(problem, source);
}

}  // namespace

bool compares(const AttentionUi& ui) {
  return ui.show == AttentionShow::side_by_side || ui.show == AttentionShow::difference;
}

bool asks_one_key(const AttentionUi& ui) { return ui.sides[0].form == Form::dot_product; }

bool uses_second(const AttentionUi& ui) { return compares(ui) || ui.flipped; }

void choose_source(AttentionUi& ui, int side, AttentionSource source) {
  source.opening = ++ui.openings;
  choose_opened(ui, side, source);
}

void choose_opened(AttentionUi& ui, int side, const AttentionSource& source) {
  const bool both = side == 0 && ui.sides[0].source == ui.sides[1].source;
  const bool after_match3 = side == 0 && ui.sides[0].source.kind == SourceKind::match3;
  if (after_match3 && source.kind != SourceKind::match3)
    ui.query = AttentionUi{}.query;  // its few tokens are no windows
  for (int n = 0; n < 2; ++n) {
    AttentionSide& one = ui.sides[static_cast<std::size_t>(n)];
    if (n != side && !both && !one.source.describes_same(source)) continue;
    one.source = source;
    if (one.form != Form::dot_product) one.source.form = one.form;  // an example is made for its form
  }
  if (side == 0) {
    ui.heads_sorted_by.reset();
    ui.head_order.clear();
  }
  ui.part.reset();
  ui.pinned.reset();
  if (side == 0) {
    ui.check_wider = false;
    // Else it stood at the wider windows, which would be called a preset.
    if (ui.before_wider) ui.window1 = ui.before_wider->window1, ui.window2 = ui.before_wider->window2;
    ui.before_wider.reset();
  }
  ui.range_low = ui.range_high = std::nullopt;
}

void choose_form(AttentionUi& ui, int side, Form form) {
  const bool both = side == 0 && ui.sides[0].form == ui.sides[1].form;
  for (int n = 0; n < 2; ++n) {
    AttentionSide& one = ui.sides[static_cast<std::size_t>(n)];
    if (n != side && !both) continue;
    one.form = form;
    if (form != Form::dot_product) one.source.form = form;
  }
  ui.part.reset();
}

namespace {

/// A pair of distances goes with the query whose map is shown. Where another pair was framed since, or none, that
/// holds.
void follow_query(AttentionUi& ui, const AttentionData& data) {
  if (!ui.pinned_back) return;
  if (ui.pinned != ui.pinned_back->cell()) return ui.pinned_back.reset();
  ui.pinned_back->query = first(data).slice ? first(data).slice_of.query.query : ui.query;
  ui.pinned = ui.pinned_back->cell();
}

}  // namespace

void keep_inside(AttentionUi& ui, const AttentionData& data) {
  ui.window1 = std::max<std::int64_t>(1, ui.window1);
  ui.window2 = std::max<std::int64_t>(1, ui.window2);
  if (!ready(first(data))) return;
  const SourceReply& source = *first(data).source;
  ui.batch = std::clamp<std::int64_t>(ui.batch, 0, source.batch - 1);
  ui.head = std::clamp<std::int64_t>(ui.head, 0, source.q_heads - 1);
  ui.query = std::clamp<std::int64_t>(ui.query, 0, source.seq_len - 1);
  follow_query(ui, data);
  if (ui.pinned && !ui.pinned_back && (!exists(*ui.pinned) || std::max(ui.pinned->j, ui.pinned->k) >= source.seq_len))
    ui.pinned.reset();
}

bool has_preset_windows(const AttentionUi& ui) {
  return ui.sides[0].source.kind == SourceKind::file && ui.mask == Mask::causal && !ui.windows_typed;
}

std::optional<SliceRequest> wanted_slice(const AttentionUi& ui, const AttentionData& data, int side) {
  const AttentionSideData& own = data.sides[static_cast<std::size_t>(side)];
  if (!ready(own) || own.asked != ui.sides[static_cast<std::size_t>(side)].source) return std::nullopt;
  return SliceRequest{*own.asked, query_of(ui, own, side), 64};
}

std::optional<OverviewRequest> wanted_overview(const AttentionUi& ui, const AttentionData& data) {
  const AttentionSideData& own = first(data);
  if (!ready(own) || own.asked != ui.sides[0].source) return std::nullopt;
  OverviewRequest request{*own.asked, query_of(ui, own, 0), 1};
  request.query.head = request.query.query = 0;
  if (own.asked->kind == SourceKind::match3) return request;
  const double affordable = affordable_queries(ui, request.query.problem, *own.source);
  if (kPatience * affordable < 1) return std::nullopt;
  const auto most = static_cast<double>(ui.device == "cpu" ? kMostColumns : kMostGpuColumns);
  const double least = std::min(static_cast<double>(kLeastColumns), kPatience * affordable);
  const auto columns = static_cast<std::int64_t>(std::clamp(affordable, least, most));
  request.step = std::max<std::int64_t>(1, (own.source->seq_len + columns - 1) / columns);
  return request;
}

std::optional<SheetRequest> wanted_sheet(const AttentionUi& ui, const AttentionData& data) {
  const AttentionSideData& own = first(data);
  // While queries go by, all CPUs belong to their slices.
  if (is_walking(ui) || !ready(own) || own.asked != ui.sides[0].source || own.source->q_heads < 2) return std::nullopt;
  SheetRequest request{*own.asked, query_of(ui, own, 0), kSheetWidth, kSheetHeight};
  request.query.head = 0;
  if (kPatience * affordable_queries(ui, request.query.problem, *own.source) < 1) return std::nullopt;
  return request;
}

std::optional<OverviewRequest> wanted_means(const AttentionUi& ui, const AttentionData& data) {
  const std::optional<OverviewRequest> overview = wanted_overview(ui, data);
  if (!overview || is_walking(ui) || !data.overview.answer || data.overview.of != *overview) return std::nullopt;
  OverviewRequest request = *overview;
  const Problem& problem = request.query.problem;
  const SourceReply& source = *first(data).source;
  if (problem.mask == Mask::full) return std::nullopt;
  const AttentionFrame frame = frame_of({request.source, request.query}, source);
  if (frame.width > kMostMeanCells / frame.height / source.q_heads) return std::nullopt;
  request.step = averaging_step(ui, problem, source);
  return request;
}

std::int64_t averaging_step(const AttentionUi& ui, const Problem& problem, const SourceReply& source) {
  // A slice also makes its output: that costs as much again as its logits.
  const double affordable = affordable_queries(ui, problem, source) / 2;
  const auto count = static_cast<double>(averaged_queries(problem, source.seq_len, 1).size());
  return static_cast<std::int64_t>(std::ceil(count / std::max(1.0, affordable)));
}

std::optional<KernelRowRequest> wanted_kernel_row(const AttentionUi& ui, const AttentionData& data) {
  const AttentionSideData& own = first(data);
  if (ui.kernel.empty() || is_walking(ui) || !ready(own) || !own.source->values) return std::nullopt;
  const std::optional<SliceRequest> slice = wanted_slice(ui, data, 0);
  if (!slice || has_one_key(slice->query.problem)) return std::nullopt;
  KernelRowRequest request{slice->source, slice->query, ui.kernel};
  request.query.arithmetic = Arithmetic::exact;
  return request;
}

bool is_walking(const AttentionUi& ui) { return ui.playing || ui.held_step != 0; }

void walk_on(AttentionUi& ui, const AttentionData& data) {
  const std::int64_t step = ui.held_step != 0 ? ui.held_step : ui.playing ? 1 : 0;
  if (step == 0) return;
  for (int which = 0; which < (uses_second(ui) ? 2 : 1); ++which) {
    const std::optional<SliceRequest> wanted = wanted_slice(ui, data, which);
    if (!wanted || data.sides[static_cast<std::size_t>(which)].slice_of != *wanted) return;
  }
  const std::int64_t before = std::exchange(ui.query, ui.query + step);
  keep_inside(ui, data);
  if (ui.query == before) ui.playing = false;
}

std::string device_title(const std::string& device) { return device == "cpu" ? "CPU" : "GPU " + device; }

std::string first_device(const Catalog& catalog) {
  for (const Device& device : catalog.devices) {
    if (device.kind == DeviceKind::cuda) return device.id;
  }
  return "cpu";
}

std::vector<std::string> row_kernels(const Catalog& catalog, const std::string& device, Form form) {
  std::vector<std::string> kernels;
  if (form == Form::dot_product) return kernels;  // that of baselines, whose libraries are not here
  for (const KernelInfo& kernel : catalog.kernels) {
    const bool here = (kernel.device == DeviceKind::cpu) == (device == "cpu");
    // What runs them has no library of somebody else's.
    if (here && !is_baseline(kernel.card.kind) && kernel.library.empty()) kernels.push_back(kernel.id);
  }
  return kernels;
}

AttentionFrame frame_of(const SliceRequest& request, const SourceReply& source) {
  const Problem& problem = request.query.problem;
  if (problem.mask == Mask::full) return {source.seq_len, problem.form == Form::dot_product ? 1 : source.seq_len, 0, 0};
  const std::int64_t width = std::min(problem.window1, source.seq_len);
  const std::int64_t height = problem.form == Form::dot_product ? 1 : std::min(problem.window2, source.seq_len);
  return {width, height, request.query.query - width + 1, request.query.query - height + 1};
}

bool same_frames(const AttentionData& data) {
  const AttentionSideData &a = data.sides[0], &b = data.sides[1];
  const AttentionFrame of_a = frame_of(a.slice_of, *a.source), of_b = frame_of(b.slice_of, *b.source);
  return of_a.width == of_b.width && of_a.height == of_b.height;
}

const std::string& refusal_of(const OpenedSource& side) {
  return side.source && !side.source->problem.empty() ? side.source->problem : side.problem;
}

namespace {

/// Whether A's and B's slices are of one query and of the settings: neither waits for the other.
bool in_step(const AttentionUi& ui, const AttentionData& data) {
  AttentionUi then = ui;
  then.query = data.sides[0].slice_of.query.query;  // queries that play have gone on since
  return wanted_slice(then, data, 0) == data.sides[0].slice_of && wanted_slice(then, data, 1) == data.sides[1].slice_of;
}

}  // namespace

const HeatmapPyramid* AttentionModel::map(const AttentionUi& ui, const AttentionData& data, int which) {
  Made& made = made_[which];
  const AttentionSideData& a = data.sides[which == 1 ? 1 : 0];
  const AttentionSideData& b = data.sides[1];
  if (!a.slice || !a.source) return nullptr;
  if (which < 2) {
    if (made.pyramid && made.slice == a.slice && made.mean == ui.mean_pooling) return made.pyramid.get();
    made.pyramid =
        std::make_unique<HeatmapPyramid>(heatmap_of(*a.slice), ui.mean_pooling ? Pooling::mean : Pooling::largest);
  } else {
    if (!b.slice || !b.source) return nullptr;
    if (made.pyramid && made.slice == a.slice && pair_[1].slice == b.slice) return made.pyramid.get();
    if (!in_step(ui, data))  // one of them is still to come
      return pair_[0].asked == a.asked && pair_[1].asked == b.asked ? made.pyramid.get() : nullptr;
    if (a.slice_of.query.query != b.slice_of.query.query || !same_frames(data)) return nullptr;
    made.pyramid =
        std::make_unique<HeatmapPyramid>(difference_of(heatmap_of(*a.slice), heatmap_of(*b.slice)), Pooling::farthest);
    pair_ = data.sides;
  }
  made.slice = a.slice;
  made.mean = ui.mean_pooling;
  painted[0].clear();
  painted[1].clear();
  return made.pyramid.get();
}

const std::array<AttentionSideData, 2>& AttentionModel::shown(const AttentionUi& ui, const AttentionData& data) {
  return ui.show == AttentionShow::difference && !ui.flipped && map(ui, data, 2) ? pair_ : data.sides;
}

const AttentionError* AttentionModel::error(const AttentionUi& ui, const AttentionData& data) {
  const HeatmapPyramid* difference = map(ui, data, 2);
  if (!difference) return nullptr;
  if (compared_[0] == pair_[0].slice && compared_[1] == pair_[1].slice) return &error_;
  error_ = {};
  double squares = 0, norm = 0;
  for (float d : difference->base().cells) {
    if (!std::isfinite(d)) continue;
    error_.largest = std::max(error_.largest, std::abs(static_cast<double>(d)));
    error_.total_variation += std::abs(static_cast<double>(d)) / 2;
    squares += static_cast<double>(d) * d;
  }
  for (float x : pair_[1].slice->log_p) {
    if (std::isfinite(x)) norm += std::exp(2 * static_cast<double>(x));
  }
  error_.relative = norm > 0 ? std::sqrt(squares / norm) : 0;
  compared_[0] = pair_[0].slice;
  compared_[1] = pair_[1].slice;
  return &error_;
}

const std::vector<std::int64_t>& AttentionModel::histogram(const AttentionUi& ui, const AttentionData& data) {
  const std::size_t side = ui.flipped && data.sides[1].slice && data.sides[1].source ? 1 : 0;
  const HeatmapPyramid* shown = map(ui, data, static_cast<int>(side));
  if (!shown || binned_ == data.sides[side].slice) return bins_;
  binned_ = data.sides[side].slice;
  histogram_high = std::log(std::max(binned_->largest_p, 1e-300));
  histogram_low = std::min(histogram_high - 1, smallest(data, side));
  histogram_low = std::max(histogram_low, histogram_high - 60);  // tails of e^-1000 would leave no room for the rest
  bins_ = heatmap_histogram(shown->base(), histogram_low, histogram_high, kBins);
  return bins_;
}

double automatic_low(double smallest, double largest, HeatmapStyle::Scale scale) {
  if (scale == HeatmapStyle::Scale::probability) return largest - kLinearRange;
  constexpr double kLeastRange = 0.5;  // all pairs may be alike
  return std::min(std::max(smallest, largest - kDecades * std::log(10.0)), largest - kLeastRange);
}

bool begins_at_zero(const HeatmapStyle& style) {
  return style.scale == HeatmapStyle::Scale::probability && style.low <= style.high - kLinearRange;
}

const std::vector<Match3Row>& AttentionModel::match3(const AttentionData& data) {
  if (told_ == data.overview.answer && told_of_ == first(data).asked) return rows_;
  told_ = data.overview.answer;
  told_of_ = first(data).asked;
  return rows_ = match3_rows(data);
}

double AttentionModel::smallest(const AttentionData& data, std::size_t side) {
  const std::shared_ptr<const Slice>& slice = data.sides[side].slice;
  if (measured_[side] == slice) return smallest_[side];
  measured_[side] = slice;
  return smallest_[side] = std::min(0.0F, finite_range(slice->log_p).first);
}

HeatmapStyle AttentionModel::style(const AttentionUi& ui, const AttentionData& data, int which) {
  HeatmapStyle style;
  if (which == 2) {
    const HeatmapPyramid* difference = map(ui, data, 2);
    const float farthest = difference ? difference->levels().back().cells.front() : 1;
    style.scale = HeatmapStyle::Scale::plain;
    style.map = ColourMap::difference;
    style.high = std::isfinite(farthest) ? std::max(std::abs(static_cast<double>(farthest)), 1e-30) : 1;
    style.low = -style.high;
    return style;
  }
  style.scale = ui.colour_scale;
  style.map = ui.map;
  double largest_p = 0, least = 0;  // one range for both, or side by side would mislead
  for (std::size_t side = 0; side < (uses_second(ui) ? 2 : 1); ++side) {
    if (!data.sides[side].slice) continue;
    largest_p = std::max(largest_p, data.sides[side].slice->largest_p);
    least = std::min(least, smallest(data, side));
  }
  if (ui.show == AttentionShow::grid && !ui.flipped && !grid.empty()) {
    largest_p = grid.largest_p();
    least = grid.smallest_log_p();
  }
  const double high = std::log(std::max(largest_p, 1e-300));
  style.high = ui.range_high.value_or(high);
  const bool linear = ui.colour_scale == HeatmapStyle::Scale::probability;
  const double low = automatic_low(least, linear ? style.high : high, ui.colour_scale);
  style.low = std::min(ui.range_low.value_or(low), style.high - 1e-3);
  return style;
}

AttentionCell cell_in(const AttentionSideData& side, AttentionCell cell) {
  if (side.slice && has_one_key(side.slice_of.query.problem)) cell.k = side.slice->first2;
  return cell;
}

std::string token_text(const SourceReply& source, std::int64_t position) {
  if (position < 0 || position >= static_cast<std::int64_t>(source.labels.size())) return format_count(position);
  return fmt::format("{} {}", source.labels[static_cast<std::size_t>(position)], format_count(position));
}

std::optional<double> log_p_at(const Slice& slice, AttentionCell cell) {
  const std::int64_t x = cell.j - slice.first1, y = cell.k - slice.first2;
  if (x < 0 || y < 0 || x >= slice.count1 || y >= slice.count2) return std::nullopt;
  return slice.log_p[static_cast<std::size_t>(y * slice.count1 + x)];
}

TextTable triples_text(const AttentionSideData& side) {
  TextTable table{{"j", "k", "token j", "token k", "logit", "p", "share so far", "of output"},
                  {true, true, false, false, true, true, true, true},
                  {}};
  if (!side.slice || !side.source) return table;
  const auto label = [&](std::int64_t position) {
    return side.source->labels.empty() ? std::string() : side.source->labels.at(static_cast<std::size_t>(position));
  };
  double share = 0;
  for (const Triple& triple : side.slice->top) {
    share += triple.p;
    table.rows.push_back(
        {fmt::format("{}", triple.j), fmt::format("{}", triple.k), label(triple.j), label(triple.k),
         fmt::format("{:.6g}", triple.logit), fmt::format("{:.6g}", triple.p), fmt::format("{:.6g}", share),
         side.source->values && std::isfinite(triple.output_share) ? fmt::format("{:.6g}", triple.output_share)
                                                                   : std::string()});
  }
  return table;
}

std::string axis_text(const AttentionUi& ui, const SliceRequest& request, std::int64_t position) {
  if (ui.absolute_axes || request.query.problem.mask == Mask::full) return format_count(position);
  return fmt::format("{}", position - request.query.query);
}

std::string source_title(const AttentionSource& source) {
  switch (source.kind) {
    case SourceKind::random:
      return source.rotary ? "random, rotary" : "random";
    case SourceKind::peaked:
      return source.rotary ? "peaked, rotary" : "peaked";
    case SourceKind::induction:
      return source.rotary ? "induction, rotary" : "induction";
    case SourceKind::match3:
      return fmt::format("Match3 mod {}", source.modulus);
    case SourceKind::file:
      return source.file.substr(source.file.rfind('/') + 1);
  }
  return {};
}

std::vector<Match3Row> match3_rows(const AttentionData& data) {
  std::vector<Match3Row> rows;
  const AttentionSideData& side = first(data);
  if (!data.overview.answer || !side.asked || data.overview.of.source != *side.asked ||
      side.asked->kind != SourceKind::match3)
    return rows;
  const std::vector<std::int64_t> counts = match3_counts(side.asked->numbers, side.asked->modulus);
  for (std::size_t i = 0; i < counts.size() && i < data.overview.answer->sink_p.size(); ++i) {
    Match3Row row;
    row.number = side.asked->numbers[i];
    row.matches = counts[i];
    row.output = 1 - static_cast<double>(data.overview.answer->sink_p[i]);
    row.told = row.output > kMatch3Threshold;
    row.right = row.told == (row.matches > 0);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace triscope
