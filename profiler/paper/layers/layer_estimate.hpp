// The time of a layer that was not measured, from rows of the same kernel: by what it computes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiler/paper/layers/problem_list.hpp"
#include "profiler/paper/layers/work_model.hpp"
#include "profiler/paper/layers/work_table.hpp"
#include "profiler/record/measurement.hpp"

namespace triscope {

/// Measured lengths from which no estimate reaches the one that is asked for.
struct LengthBeyond {
  std::string name;  ///< the kernel, with its instance
  std::int64_t least = 0, most = 0;
  std::int64_t reach = 1;  ///< how many times as far an estimate reaches on that side
  bool operator==(const LengthBeyond&) const = default;
};
/// "of cuda.hopper, the length is 1,024 where 8,192 to 32,768 was measured"; of no certain length "of cuda.hopper, no
/// length but 8,192 to 32,768 was measured".
std::string length_text(const LengthBeyond& beyond, std::optional<std::int64_t> asked = {});

struct LayerEstimate {
  std::optional<WorkEstimate> time;
  std::string basis;                   ///< "estimate by tiles from 35 rows"
  std::string reason;                  ///< why there is no time: "cuda.hopper was measured with ..."
  std::optional<LengthBeyond> beyond;  ///< where that is the reason
  /// What would tell more: of cuda.hopper where `table` is of a build that does not know its tiles; empty: nothing.
  std::string hint;
};

/// How many times as long as the longest measured length an estimate's may be, and by tiles how many times as short as
/// the shortest. Further out nothing has judged the fits, and short launches of kernels without known tiles miss them:
/// tests/profiler/paper/layer_estimate_test.cpp leaves lengths out.
inline constexpr std::int64_t kMostReach = 4;
/// Half of the interval, at least, of an estimate for lengths beyond the measured ones on either side, and for heads of
/// which the rows have no pair of windows, or one other pair only: no row has seen what begins there. The forward of
/// cuDNN at 131,072 tokens takes 10 % longer than its rows up to 32,768 let one expect. By tiles, rows from 32,768
/// tokens on are 2 to 3 % off at 8,192 for all windows alike, and those of 1024x16 with 8 heads 7 % off for 512x32.
inline constexpr double kLeastHalfBeyond = 0.1;
/// The same for a length between measured ones that no row has. All windows of a length share what the parts miss of
/// it, so no scatter of the other lengths shows it: 5 % in the H200's recording of the morning of 2026-11-28
/// (docs/paper.md).
inline constexpr double kLeastHalfBetween = 0.05;

/// `rows` are ok rows of one kernel, one pass and one device, with the heads per kv head, windows, lengths and sweeps
/// that there are; those of the newest version of the kernel count. Where `table` has the tiles of the kernel for
/// `wanted`, only rows of the instance that would run it count, and the parts are those of `TileUse::work`. Otherwise
/// they are triples and query rows, and for dot products a fixed part. Windows, their pairs of keys and heads must lie
/// between measured ones, the length within `kMostReach` of them. Of windows that none of the rows has,
/// the scatter of windows is in the interval. Where no row has the length, half of it is `kLeastHalfBetween` at least,
/// and where none has seen the length's side or the heads `kLeastHalfBeyond`. The time is that of the sweep that comes
/// nearest: by length, heads, then windows; where the length or the heads were not measured, that of any sweep.
LayerEstimate estimate_layer(std::span<const ResultRow* const> rows, const Problem& wanted, const WorkTable& table);

/// The same for many problems: what is fitted to the rows is fitted once. Rows and `table` must outlive it.
class LayerEstimator {
 public:
  LayerEstimator(std::span<const ResultRow* const> rows, const WorkIndex& table);
  ~LayerEstimator();
  LayerEstimate at(const Problem& wanted);

 private:
  struct Pool;
  struct Fitted;

  const Pool& pool_of(const std::optional<std::string>& instance);
  Fitted& fitted_to(const Pool& pool, std::size_t parts);
  std::optional<WorkEstimate> fitted_time(Fitted& fitted, const Problem& wanted, bool known);
  std::vector<double> parts_of(const std::optional<std::string>& instance, const Problem& problem) const;
  const std::vector<WorkFit>& other_instances(Fitted& fitted, const std::string& own) const;

  std::vector<const ResultRow*> rows_;  // of the newest version
  const WorkIndex& table_;
  std::map<std::optional<std::string>, std::unique_ptr<Pool>> pools_;  // by instance; none: tiles are not known
  std::map<std::pair<const Pool*, std::size_t>, std::unique_ptr<Fitted>> fitted_;  // by the number of parts
};

}  // namespace triscope
