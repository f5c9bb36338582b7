// The comparison of two versions of a kernel in few words.
#pragma once

#include <string>

#include "views/model/tables/compare_model.hpp"

namespace triscope {

/// Of two versions whose rows are judged beside what did not change: "0 of 34 slower, 1 faster, 2 unclear. Largest
/// +2.7 %, 512 × 32 at 65,536 tokens, inside +-4.7 %; FlashAttention-3, unchanged, moved by +3.3 %. A and B were
/// measured on two GPUs: less than 4.7 % cannot be told." Empty where too little did not change.
std::string versions_headline(const CompareModel& model);
/// "64k, 64/1" of "trilinear, 65,536 tokens, 64/1 heads": for a column that is to be narrow.
std::string brief_setting(std::string setting);

}  // namespace triscope
