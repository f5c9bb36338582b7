// The paper's Triton kernels (python/examples/paper_triton.py) where they were measured in turns with other kernels.
#pragma once

#include <span>
#include <vector>

#include "profiler/record/measurement.hpp"

namespace triscope {

/// The id that they are measured under.
inline constexpr const char* kPaperKernel = "paper.triton";

/// One measured row of them, and what took turns with it. Ok rows with a time.
struct PaperKernelRow {
  const ResultRow* paper = nullptr;
  const ResultRow* ours = nullptr;         ///< the fastest other 2-simplicial kernel of the same problem; null: none
  const ResultRow* dot_product = nullptr;  ///< attention of the same sizes; null: none
};

/// By device, then forward first, then by length.
std::vector<PaperKernelRow> paper_kernel_rows(std::span<const ResultRow> rows);

}  // namespace triscope
