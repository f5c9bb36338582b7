// Factors: how many times as large one is as another.
#pragma once

#include <string>

namespace triscope {

/// `usual` decimals of a factor, or one more where these would hide on which side of 1 it lies: 0.996 is not "1.00".
int factor_decimals(double factor, int usual);
/// `significant_text` of a factor, with as many decimals: "0.996", "1.004", "1.00" of 1 itself.
std::string factor_text(double factor, int digits = 3);

}  // namespace triscope
