// Times of layers of one kind and pass at many lengths and with many windows, from rows that are looked through once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "profiler/paper/layers/layer_mix.hpp"
#include "profiler/paper/layers/problem_list.hpp"

namespace triscope {

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
