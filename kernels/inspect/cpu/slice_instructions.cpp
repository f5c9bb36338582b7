// Which instruction sets slices were compiled for, and the best of them on this CPU.
#include <initializer_list>

#include "kernels/inspect/cpu/slice_rows.hpp"

namespace triscope::cpu {

#ifdef TRISCOPE_X86
extern const SliceInstructions slice_avx512_instructions;
extern const SliceInstructions slice_avx2_instructions;
#endif
extern const SliceInstructions slice_portable_instructions;

const SliceInstructions& slice_instructions() {
#ifdef TRISCOPE_X86
  for (const SliceInstructions* set : {&slice_avx512_instructions, &slice_avx2_instructions}) {
    if (set->available()) return *set;
  }
#endif
  return slice_portable_instructions;
}

}  // namespace triscope::cpu
