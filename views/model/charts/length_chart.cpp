#include "views/model/charts/length_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "views/data/format.hpp"
#include "views/model/styles/series_style.hpp"
#include "views/model/tables/latency_model.hpp"

namespace triscope {

bool is_causal(const Problem& problem) { return problem.window1 >= problem.seq_len; }

std::string curve_key(const Problem& p, bool baseline) {
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", static_cast<int>(p.form), static_cast<int>(p.mask),
                     static_cast<int>(p.element), p.deterministic, p.batch, p.q_heads, p.kv_heads, p.head_dim,
                     baseline && is_causal(p) ? 0 : p.window1, p.window2, optional_key(p.scale), p.k2_bias, p.v2_bias,
                     optional_key(p.sink));
}

void give_dashes(std::span<LengthCurve> baselines) {
  std::set<int> taken;
  std::vector<LengthCurve*> others;
  for (LengthCurve& curve : baselines) {
    curve.style = baseline_style(curve.card);
    if (!taken.insert(curve.style).second) others.push_back(&curve);
  }
  for (LengthCurve* curve : others) curve->style = next_free_style(taken, 0);
}

void give_styles(LengthChart& chart) {
  struct Use {
    std::vector<LengthCurve*> curves;
    std::set<std::size_t> passes;
  };
  std::map<std::string, Use> uses;
  const std::array passes{&chart.passes[0], &chart.passes[1], &chart.step};
  for (std::size_t pass = 0; pass < passes.size(); ++pass) {
    for (LengthCurve& curve : passes[pass]->curves) {
      if (curve.baseline) continue;
      Use& use = uses[curve_key(curve.problem, false)];
      use.curves.push_back(&curve);
      use.passes.insert(pass);
    }
  }
  std::array<std::set<int>, passes.size()> taken;
  const auto is_free = [&](const Use& use, int style) {
    return std::ranges::none_of(use.passes, [&](std::size_t pass) { return taken[pass].contains(style); });
  };
  for (const bool wished : {true, false}) {  // first those that get their own
    for (auto& [key, use] : uses) {
      if (use.curves.empty()) continue;
      const Problem& p = use.curves.front()->problem;
      const int own = style_of_windows(p.window1, p.window2);
      if (wished && !is_free(use, own)) continue;
      int style = own;
      for (int next = 1; !is_free(use, style); ++next)
        style = next < kStyleColours ? (own + next) % kStyleColours : next;
      for (const std::size_t pass : use.passes) taken[pass].insert(style);
      for (LengthCurve* curve : std::exchange(use.curves, {})) curve->style = style;
    }
  }
}

}  // namespace triscope
