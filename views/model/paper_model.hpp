// The paper's Table 1 beside what a sweep of this machine measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "views/data/window_data.hpp"

namespace triscope {

struct PaperLine {
  Windows windows;
  double paper_ms = 0;
  std::optional<double> own_ms;  ///< forward; of the fastest of our kernels in the sweep
  std::string kernel;            ///< that kernel's label
  std::int64_t measurement = 0;
  std::string missing;  ///< why `own_ms` is absent
};

struct PaperModel {
  std::vector<PaperLine> lines;  ///< in the paper's order
  std::string conditions;        ///< the shape and device of the own numbers, one sentence
  bool same_shape = false;       ///< the paper's shape: 32,768 tokens, 64 query heads on 1, head size 128
  std::size_t measured = 0;
};

PaperModel make_paper_model(const SweepResults& sweep);
/// Without a ratio where the shape is not the paper's: it would compare different problems.
TextTable paper_text(const PaperModel& model);

}  // namespace triscope
