// Which instruction sets slices were compiled for, and the best of them on this CPU.
#include <initializer_list>

#include "kernels/inspect/cpu/slice_rows.hpp"

namespace triscope::cpu {

#ifdef TRISCOPE_X86
extern const SliceInstructions kSliceAvx512Instructions;
extern const SliceInstructions kSliceAvx2Instructions;
#endif
extern const SliceInstructions kSlicePortableInstructions;

const SliceInstructions& slice_instructions() {
#ifdef TRISCOPE_X86
  for (const SliceInstructions* set : {&kSliceAvx512Instructions, &kSliceAvx2Instructions}) {
    if (set->available()) return *set;
  }
#endif
  return kSlicePortableInstructions;
}

}  // namespace triscope::cpu
