// Jobs a worker does beside measuring: comparing kernels with the oracle, and running one kernel on given tensors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/tensors/attention_tensors.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// How the inputs of a check are drawn. The peaked sets are far from N(0,1): one pair takes nearly all the mass.
enum class InputKind {
  normal,      ///< N(0,1)
  peaked4,     ///< q x 4
  peaked8,     ///< q x 8
  huge_early,  ///< one huge logit at the first key
  huge_late,   ///< one huge logit at the last key
  rising,      ///< the largest logit rises by about 200 from tile to tile
};
std::string_view to_string(InputKind);
std::optional<InputKind> parse_input_kind(std::string_view);

/// Compares kernels with the fp64 oracle on the shapes of docs/method.md, "Check". Answered by one `CheckRow` for each
/// kernel, instance, case and pass, then `Done`.
struct CheckRequest {
  static constexpr const char* kType = "check";
  std::vector<std::string> kernels;  ///< ids; empty: all that run on the worker's device
  std::string instance = "all";      ///< "auto", "all" or a name
  bool quick = false;                ///< a few cases only, some seconds: what `doctor` runs
  std::uint64_t seed = 1;
};

/// One comparison.
struct CheckRow {
  static constexpr const char* kType = "check_row";
  std::string kernel;
  std::string instance;
  Problem problem;
  Pass pass = Pass::forward;
  InputKind inputs = InputKind::normal;
  Status status = Status::ok;  ///< ok, skipped (unsupported), failed, cancelled
  std::string reason;
  std::map<std::string, double> errors;  ///< by output
  std::int64_t index = 0, total = 0;     ///< of all rows of the job
};

/// Runs one kernel on the tensors of a file and writes what it computes. Paths are the worker's.
/// In: q, k1, k2, v1, v2 [[batch,] seq_len, heads, head_dim][, sink [q_heads]][, do]. Out (F32): o, lse and, when
/// `backward`, dq, dk1, dk2, dv1, dv2[, dsink].
struct EvalRequest {
  static constexpr const char* kType = "eval";
  std::string in;
  std::string out;
  std::string kernel;
  std::string instance = "auto";
  Problem problem;  ///< form, mask, windows, scale, biases, deterministic; the file decides shape and sink
  std::optional<Element> element;  ///< unset: the kernel's native one
  bool backward = false;
  TensorMapping mapping;  ///< of `in`; names may also say which tensor is do
};
struct EvalReply {
  static constexpr const char* kType = "eval_reply";
  std::string instance;
  Problem problem;                      ///< as it was run
  std::vector<std::string> tensors;     ///< names written, with shapes: "o [1, 128, 8, 64]"
  std::vector<std::string> not_finite;  ///< of those: "o holds 2048 values that are not finite"
};

}  // namespace triscope
