#include "kernels/inspect/slice.hpp"

namespace triscope {

std::string_view to_string(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::exact:
      return "exact";
    case Arithmetic::bf16_inputs:
      return "bf16_inputs";
    case Arithmetic::bf16_kernel:
      return "bf16_kernel";
  }
  return "?";
}

std::optional<Arithmetic> parse_arithmetic(std::string_view text) {
  for (Arithmetic value : {Arithmetic::exact, Arithmetic::bf16_inputs, Arithmetic::bf16_kernel}) {
    if (to_string(value) == text) return value;
  }
  return std::nullopt;
}

}  // namespace triscope
