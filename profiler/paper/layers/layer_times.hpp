// Times of layers of one kind and pass at many lengths and with many windows, from rows that are looked through once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/paper/layers/layer_estimate.hpp"
#include "profiler/paper/layers/layer_rows.hpp"
#include "profiler/paper/layers/problem_list.hpp"

namespace triscope {

/// What a layer's time stands on, the best first.
enum class LayerBasis { measured, between_lengths, estimated };

/// A 95 % interval of a time in milliseconds, or of a ratio of times.
struct MsRange {
  double low = 0, high = 0;
  bool operator==(const MsRange&) const = default;
};

/// What is said of a value with this 95 % interval, measured or estimated, of a time or of a length: up to the first
/// half-width, as a part of the value, the number; up to the second the interval alone; beyond it nothing.
inline constexpr double kNumberHalf = 0.05, kWidestHalf = 0.25;

/// Time of one launch on one sequence.
struct LayerTime {
  double ms = 0;
  double low_ms = 0, high_ms = 0;  ///< 95 % interval; between two lengths that of the line through their ends
  std::string kernel;
  std::string basis;  ///< "measured"; "between 8192 and 32768 tokens"; "estimate by tiles ..."
  LayerBasis kind = LayerBasis::measured;
  const ResultRow* row = nullptr;  ///< that it was measured as; null: it is made of others
  double half() const { return (high_ms - low_ms) / (2 * ms); }  ///< of the interval, as a part of the time
  bool is_number() const;                                        ///< else only the interval says something
  MsRange interval() const { return {low_ms, high_ms}; }
  std::string basis_text() const;  ///< with half of the interval: "measured, +-0.5 %"
};

/// A time, or why there is none.
struct LayerAnswer {
  std::optional<LayerTime> time;
  std::string reason;                  ///< "of cuda.hopper, the shorter window is 64 where 16 to 32 was measured"
  std::optional<LengthBeyond> beyond;  ///< where that alone is the reason
};

/// The device with most rows that say something of the request's layers.
std::string usual_device(std::span<const ResultRow* const> rows, const LayerMixRequest& request);

class LayerTimes {
 public:
  enum class Kind { simplicial, global };

  /// The layers of `request`, whatever its length and windows, by the rows of `device`. Rows and `table` must outlive
  /// it.
  LayerTimes(std::span<const ResultRow* const> rows, const LayerMixRequest& request, const std::string& device,
             Kind kind, Pass pass, const WorkTable& table);
  ~LayerTimes();

  /// What `layer_costs` says of such a layer. Windows do not matter to a global one.
  LayerAnswer at(std::int64_t seq_len, const Windows& windows);
  /// Adds the problems whose tiles `at` wants to know.
  void add_problems(std::int64_t seq_len, const Windows& windows, ProblemList& problems);

 private:
  struct Kernel;
  using Curve = std::map<std::int64_t, const ResultRow*>;

  const Curve& curve_of(Kernel& kernel) const;
  LayerAnswer known_time(Kernel& kernel) const;
  LayerAnswer best_known();
  bool was_faster(Kernel& kernel, Kernel& than) const;
  std::vector<Kernel*> to_estimate(const LayerAnswer& known);
  LayerAnswer best_estimate(const LayerAnswer& known);
  Problem wanted_problem(const Kernel& kernel) const;
  void ask(std::int64_t seq_len, const Windows& windows);

  LayerMixRequest request_;  // with the length and the windows that are asked for
  bool global_;
  WorkIndex table_;
  std::map<std::string, std::unique_ptr<Kernel>> kernels_;
};

}  // namespace triscope
