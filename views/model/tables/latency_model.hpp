// The latency table without its pixels: one line per problem and kernel, one group of columns per pass.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

/// One measurement of a line. Null when that pass was not planned.
struct LatencyCell {
  ResultRow row;
  std::optional<Comparison> against_baseline;
  std::optional<Comparison> beside;    ///< its time with that of the reference kernel in the same sweep and pass
  std::optional<double> of_reference;  ///< TFLOP/s relative to the reference kernel's
  std::int64_t backward = 0;           ///< of a training step: the measurement of that pass, `row` has the forward's
  bool is_reference = false;           ///< it is what the others stand beside, a row or one of a sweep
};

/// The columns of one pass.
struct LatencyGroup {
  Pass pass = Pass::forward;
  Regime regime = Regime::sustained;
  std::string title;      ///< "forward", "forward, burst"
  int decimals = 0;       ///< most of a row's milliseconds: the column lines up on its point
  int rate_decimals = 0;  ///< the same of the rates
  double max_tflops = 0;  ///< full length of the bar
  bool step = false;      ///< of training steps: both passes together
  bool judged = false;    ///< some cell has a verdict against the baseline
  bool turns = false;     ///< most of the times that stand beside a reference do so by their turns
  int of_decimals = 0;    ///< most of a rate beside the reference's
};

struct LatencyLine {
  Problem problem;
  std::string kernel;
  KernelCard card;
  std::string instance;
  bool baseline = false;           ///< dot-product attention or a matrix product
  std::string label;               ///< "512 × 32", "32k causal"
  std::vector<std::string> facts;  ///< by `LatencyModel::fact_names`
  std::string setting;  ///< "4,096 tokens, sink 1": what lines differ in beside kernel and windows; empty = nothing
  std::vector<std::shared_ptr<const LatencyCell>> cells;  ///< by group; copies of a table share them
  std::optional<double> paper_ms;  ///< the paper's forward latency for these windows, at its shape only
};

/// A kernel and pass: one colour and marker in every chart.
struct Series {
  std::string kernel;
  std::string short_label;  ///< the kernel's
  Pass pass = Pass::forward;
  Regime regime = Regime::sustained;
  std::string label;      ///< "CPU forward"
  int colour = 0;         ///< index into the theme's series colours; the same for a kernel and pass in every sweep
  bool baseline = false;  ///< quiet and dashed; its colour is one of the theme's baselines
  std::string kernel_label = {};  ///< "FlashAttention-3"
  bool step = false;              ///< of training steps: both passes together, `pass` says nothing
};

struct LatencyModel {
  std::vector<LatencyGroup> groups;
  std::vector<std::string> fact_names;  ///< what differs between lines beside windows: "kernel", "tokens", ...
  std::string conditions;          ///< what all lines of our kernels share: "trilinear, 32,768 tokens, 64/1 heads, ..."
  std::vector<LatencyLine> lines;  ///< in measurement order, baselines last
  std::string reference;        ///< what `beside` and `of_reference` relate to (`Verdicts::baseline`); empty = nothing
  std::string reference_label;  ///< short
  std::string without_partner;  ///< why a row stands beside nothing, where `reference` is no kernel
  bool has_baseline = false;    ///< a baseline sweep is set
  bool has_paper = false;       ///< some line stands in the paper's Table 1, at its shape
  std::int64_t flagged = 0, failed = 0;  ///< over all cells
  bool apart = false;                    ///< some time stands beside a reference's that it took no turns with
  std::vector<Series> series;            ///< of its cells, in order of appearance; no two of ours look alike
};

/// The settings in which rows of our kernels do not differ, as a phrase; what is usual (batch 1, causal mask) goes
/// without saying.
std::string shared_conditions(std::span<const ResultRow* const> rows);

LatencyModel make_latency_model(const SweepResults& sweep, const Comparisons* against_baseline,
                                const Verdicts* beside_reference = nullptr);

/// Whether cells of this line and group are of this series.
bool belongs(const Series& series, const LatencyLine& line, const LatencyGroup& group);
/// What `series` is of a table that was put together.
std::vector<Series> all_series(const LatencyModel& model);

/// `words` of profiler/statistics/verdicts.hpp as the window writes them: "▲ 1.31× shorter", "▼ 1.84× longer *".
std::string marked(const Comparison& comparison, std::string words);

/// Decimals of a factor that stands beside others.
int times_decimals(double factor);
/// Decimals of a row's milliseconds and of their interval: as many as the interval bears.
int ms_decimals(const ResultRow& row);
/// Decimals of a row's rate: three digits, fewer where the interval bears fewer.
int rate_decimals(const ResultRow& row);

/// "512 × 32", "32k causal", "8192³ product".
std::string line_label(const ResultRow& row);

/// Key under which measurements of two sweeps are the same question: problem, pass, kernel, regime, and the instance
/// where a sweep has several per kernel.
std::string match_key(const ResultRow& row, bool with_instance);
/// True when a kernel of these rows was measured in more than one instance for one question.
bool has_several_instances(const std::vector<ResultRow>& rows);

}  // namespace triscope
