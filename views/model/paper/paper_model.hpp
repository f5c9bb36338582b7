// The paper's Table 1 beside what the sweeps of a device measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "profiler/paper/table1.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

struct PaperLine {
  Windows windows;
  double paper_ms = 0;
  ImpliedRates implied;               ///< by the paper's time, at the inferred shape
  std::optional<double> recorded_ms;  ///< forward on `PaperModel::recorded_device`, of the database that is shipped
  std::optional<double> own_ms;       ///< forward, by `fastest_table1_forward`, else by `other_shape_forward`
  int decimals = 0;                   ///< of `own_ms`, as many as its interval bears
  double half_percent = 0;            ///< half of its interval; 0 where that is not known
  std::string kernel;                 ///< that kernel's label
  std::int64_t measurement = 0, sweep = 0;  ///< that `own_ms` is of
  std::string missing;                      ///< why `own_ms` is absent
  bool known = true;                        ///< the interval of `own_ms` is
  bool same_shape = false;                  ///< `own_ms` was measured at the paper's shape
};

/// The paper's Triton kernels, measured in turns with ours.
struct PaperKernelLine {
  Pass pass = Pass::forward;
  Windows windows;
  std::int64_t seq_len = 0, q_heads = 0, kv_heads = 0;
  std::string paper_ms, ours_ms, dot_ms;  ///< as text with the digits that their intervals bear; empty: not measured
  std::string ours, dot;                  ///< labels of those kernels
  std::string ratio;  ///< the paper's time / ours: "12.9 (12.7 to 13.1)"; empty: ours was not measured
};

struct PaperModel {
  std::vector<PaperLine> lines;  ///< in the paper's order
  std::string recorded_device;   ///< "NVIDIA H100 80GB HBM3"; empty: the rows are those of the recording
  std::string conditions;        ///< the shape and device of the own numbers, one sentence
  bool same_shape = false;       ///< all at the paper's shape: 32,768 tokens, 64 query heads on 1, head size 128
  std::size_t measured = 0;
  int decimals = 0;                      ///< the most of any line: the column lines up on its point
  double longest_ms = 0;                 ///< of the paper and here: one scale for all bars
  std::vector<PaperKernelLine> kernels;  ///< of any sweep on the device
};

/// `rows`: of all sweeps on `device`.
PaperModel make_paper_model(const std::vector<ResultRow>& rows, const std::string& device);
/// The paper's time relative to this one; "other shape" where it would compare different problems, empty where nothing
/// was measured.
std::string ratio_text(const PaperLine& line);
/// Half of the interval of this device's time in percent: "0.5"; "unknown"; empty where nothing was measured.
std::string half_text(const PaperLine& line);
TextTable paper_text(const PaperModel& model);

}  // namespace triscope
