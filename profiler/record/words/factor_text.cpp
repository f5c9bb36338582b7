#include "profiler/record/words/factor_text.hpp"

#include <fmt/format.h>

#include "profiler/record/columns.hpp"

namespace triscope {

int factor_decimals(double factor, int usual) {
  const bool hides_side = factor != 1 && std::stod(fmt::format("{:.{}f}", factor, usual)) == 1;
  return hides_side ? usual + 1 : usual;
}

std::string factor_text(double factor, int digits) {
  const std::string text = significant_text(factor, digits);
  return std::stod(text) == 1 ? fmt::format("{:.{}f}", factor, factor_decimals(factor, digits - 1)) : text;
}

}  // namespace triscope
