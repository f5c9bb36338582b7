// What the order of axes that a person chose makes of the tensors of a file.
#pragma once

#include <string>

#include "views/model/attention/attention_draft.hpp"

namespace triscope {

/// "q is 512 × 4 × 64: 512 tokens, 4 heads.": what the chosen order makes of the shape, and whether the other one fits
/// better. Empty without a q of three or four dimensions.
std::string order_sentence(const SourceReply& reply, const TensorMapping& mapping);

}  // namespace triscope
