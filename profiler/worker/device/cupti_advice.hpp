// What to do about an error of CUPTI's: its codes in the words of a user. Pure; CUPTI is elsewhere.
#pragma once

#include <string>

namespace triscope {

/// What went wrong and what to do, for a CUptiResult (cupti_result.h of CUDA 13; the codes are stable).
struct CuptiAdvice {
  std::string why;  ///< empty: the code says no more than its own name
  std::string fix;
};
CuptiAdvice cupti_advice(int result);

}  // namespace triscope
