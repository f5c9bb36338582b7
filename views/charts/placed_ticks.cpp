#include "views/charts/placed_ticks.hpp"

#include <implot.h>

namespace triscope {

void set_placed_ticks(std::vector<PlacedTick> placed) {
  std::vector<double> ticks;
  std::vector<const char*> labels;
  for (PlacedTick& tick : placed) {
    if (tick.line > 0) tick.name.insert(0, static_cast<std::size_t>(tick.line), '\n');
    ticks.push_back(tick.at);
    labels.push_back(tick.name.c_str());
  }
  ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()), labels.data());
}

}  // namespace triscope
