// What a user can do about an error code of CUPTI. Does not call CUPTI itself.
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
