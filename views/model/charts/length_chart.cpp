#include "views/model/charts/length_chart.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "views/model/charts/chart_model.hpp"

namespace triscope {

void give_dashes(std::span<LengthCurve> baselines) {
  std::set<int> taken;
  std::vector<LengthCurve*> others;
  for (LengthCurve& curve : baselines) {
    curve.style = baseline_style(curve.card);
    if (!taken.insert(curve.style).second) others.push_back(&curve);
  }
  for (LengthCurve* curve : others) {
    curve->style = 0;
    while (!taken.insert(curve->style).second) ++curve->style;
  }
}

void share_colours(LengthChart& chart) {
  std::map<std::string, int> colours;
  const auto key = [](const Problem& p) {
    return fmt::format("{}|{}|{}|{}|{}|{}", to_string(p.form), p.q_heads, p.kv_heads, p.head_dim, p.window1, p.window2);
  };
  for (LengthPass* pass : {&chart.passes[0], &chart.passes[1], &chart.step}) {
    std::set<int> taken;
    std::vector<LengthCurve*> fresh;
    for (LengthCurve& curve : pass->curves) {
      if (curve.baseline) continue;
      const auto known = colours.find(key(curve.problem));
      const bool free = known != colours.end() && taken.insert(known->second).second;
      if (free) curve.style = known->second;
      if (!free) fresh.push_back(&curve);
    }
    for (LengthCurve* curve : fresh) {
      int colour = taken.contains(curve->style) ? 0 : curve->style;
      while (taken.contains(colour)) ++colour;
      taken.insert(curve->style = colour);
      colours.try_emplace(key(curve->problem), colour);
    }
  }
}

}  // namespace triscope
