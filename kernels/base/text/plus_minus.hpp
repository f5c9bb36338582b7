// The sign for what lies to both sides.
#pragma once

#include <string>

namespace triscope {

/// `text` with the sign ± for each "+-", which the command line writes.
std::string plus_minus(std::string text);

}  // namespace triscope
