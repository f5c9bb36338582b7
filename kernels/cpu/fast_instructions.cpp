// Which instruction sets were compiled, and which of them this CPU has.
#include <fmt/format.h>

#include "kernels/cpu/fast_tiles.hpp"

namespace triscope::cpu {

#ifdef TRISCOPE_X86
extern const InstructionSet kAvx512Instructions;
extern const InstructionSet kAvx2Instructions;
#endif
extern const InstructionSet kPortableInstructions;

const std::vector<const InstructionSet*>& instruction_sets() {
  static const std::vector<const InstructionSet*> sets = {
#ifdef TRISCOPE_X86
      &kAvx512Instructions, &kAvx2Instructions,
#endif
      &kPortableInstructions};
  return sets;
}

std::vector<std::string> instruction_set_names() {
  std::vector<std::string> names;
  for (const InstructionSet* set : instruction_sets()) names.emplace_back(set->name);
  return names;
}

const InstructionSet& best_instruction_set() {
  for (const InstructionSet* set : instruction_sets()) {
    if (set->available()) return *set;
  }
  return kPortableInstructions;
}

const InstructionSet* find_instruction_set(std::string_view name) {
  for (const InstructionSet* set : instruction_sets()) {
    if (set->name == name) return set;
  }
  return nullptr;
}

std::optional<std::string> unsupported_instruction_set(std::string_view name) {
  const InstructionSet* set = find_instruction_set(name);
  if (set == nullptr) return fmt::format("this build has no instance \"{}\"", name);
  if (!set->available()) return fmt::format("this CPU does not have the instructions of instance \"{}\"", name);
  return std::nullopt;
}

}  // namespace triscope::cpu
