// A problem as include/triscope/attention.h describes it: kernels/interface/translate.cpp reads it back.
#pragma once

#include "include/triscope/attention.h"
#include "kernels/attention/problem.hpp"

namespace triscope {

/// Of the trilinear or determinant form, which is all that the header knows.
triscope_problem c_problem(const Problem& problem);

}  // namespace triscope
