// Which stored measurements a command speaks about: "3", "latest", "m12", "kernel:cpu.fast", "kernel:cpu.fast@3".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/record/measurement.hpp"
#include "profiler/store/store.hpp"

namespace triscope {

/// Exactly one of the first three is set, or `kernel` with an optional sweep.
struct Selection {
  std::optional<std::int64_t> sweep;        ///< "3"
  bool latest = false;                      ///< "latest": the newest sweep
  std::optional<std::int64_t> measurement;  ///< "m12"
  std::string kernel;                       ///< "kernel:ID", or "kernel:ID@3" with `sweep`
  std::string text;                         ///< as it was typed
};

/// Throws `Error` (usage) naming `text` when it is none of the above.
Selection parse_selection(std::string_view text);

/// The rows it names, in measurement order; a kernel without a sweep means the newest sweep that holds it.
/// Throws `Error` (usage) when the database holds none.
std::vector<ResultRow> select(const Snapshot& snapshot, const Selection& selection);

/// Of rows of the same kernel, instance, problem, pass, regime and clock the one that was taken last, in the order of
/// `rows`.
std::vector<ResultRow> newest_of_each(const std::vector<ResultRow>& rows);

/// Two rows that answer the same question.
struct RowPair {
  ResultRow a;
  ResultRow b;
};

struct Pairing {
  std::vector<RowPair> pairs;
  std::vector<ResultRow> only_a;  ///< without a partner
  std::vector<ResultRow> only_b;
};

/// Finds for each row of `a` its partner in `b`: same pass, regime, timing source and problem. When both sides hold one
/// kernel each (`across_kernels`), kernel, instance and element may differ, and a dot-product baseline is the partner
/// of the 2-simplicial problem of the same sizes. The rows' status does not matter.
Pairing pair_rows(const std::vector<ResultRow>& a, const std::vector<ResultRow>& b, bool across_kernels);

/// The partners that rows have among `rows`, as in `pair_rows`, found without looking at each of them.
class Partners {
 public:
  Partners(const std::vector<ResultRow>& rows, bool across_kernels);
  /// Their places in `rows`, in order.
  std::vector<std::size_t> of(const ResultRow& row) const;

 private:
  const std::vector<ResultRow>& rows_;
  bool across_kernels_;
  std::unordered_map<std::string, std::vector<std::size_t>> places_;  ///< by what partners have in common
};

}  // namespace triscope
