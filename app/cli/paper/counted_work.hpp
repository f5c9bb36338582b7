// What the kernels of this build compute for many problems, which may take some seconds.
#pragma once

#include <vector>

#include "profiler/paper/layers/work_table.hpp"

namespace triscope {

/// `ask_work`. After two seconds a terminal is told how far it is.
WorkTable count_work(const std::vector<Problem>& problems);

}  // namespace triscope
