#include "profiler/protocol/jobs.hpp"

namespace triscope {

std::string_view to_string(InputKind kind) {
  switch (kind) {
    case InputKind::normal:
      return "normal";
    case InputKind::peaked4:
      return "peaked4";
    case InputKind::peaked8:
      return "peaked8";
    case InputKind::huge_early:
      return "huge_early";
    case InputKind::huge_late:
      return "huge_late";
    case InputKind::rising:
      return "rising";
  }
  return "?";
}

std::optional<InputKind> parse_input_kind(std::string_view text) {
  for (InputKind kind : {InputKind::normal, InputKind::peaked4, InputKind::peaked8, InputKind::huge_early,
                         InputKind::huge_late, InputKind::rising}) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace triscope
