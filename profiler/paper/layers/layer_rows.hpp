// Which measured rows a question about a layer can use, and what of them is nearest.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "profiler/record/measurement.hpp"

namespace triscope {

struct LayerMixRequest {
  std::int64_t seq_len = 32'768;
  std::int64_t q_heads = 64, kv_heads = 1, head_dim = 128;
  Windows windows{512, 32};
  Form form = Form::trilinear;
  std::string dot_kernel = "baseline.fa3";  ///< of the global layers
  Regime regime = Regime::sustained;
  std::string device;  ///< whose rows answer; empty: that of the device with most rows that do
  bool operator==(const LayerMixRequest&) const = default;
};

/// The layer whose windows and heads a row has, on its device; the dot-product kernel is the usual one.
LayerMixRequest layer_of(const ResultRow& row);
/// The 2-simplicial attention of a layer on one sequence, in bf16 as on a GPU.
Problem layer_problem(const LayerMixRequest& layer);

/// A plain row (`is_plain`) of batch 1 and of the request's regime, kv heads and head dimension, and of its device
/// where it names one. Its query heads, length and windows may be others.
bool is_layer_row(const ResultRow& row, const LayerMixRequest& request, Pass pass);
/// The same with the request's query heads.
bool is_row_of_heads(const ResultRow& row, const LayerMixRequest& request, Pass pass);
/// Dot-product attention over all tokens by the request's kernel.
bool is_global_layer(const ResultRow& row, const LayerMixRequest& request);
/// 2-simplicial attention in the request's form.
bool is_simplicial_layer(const ResultRow& row, const LayerMixRequest& request);

/// The kernels that have rows of dot-product attention.
std::set<std::string> dot_kernels(std::span<const ResultRow> rows);

/// How far apart two pairs of windows are: by area, then by the shorter window. Of two as far away the one with the
/// longer first window is the nearer.
struct WindowsDistance {
  double area = 0, shape = 0;
  std::int64_t less_window1 = 0;  ///< -window1
  auto operator<=>(const WindowsDistance&) const = default;
};
WindowsDistance windows_distance(const Windows& from, const Windows& to);

}  // namespace triscope
