// Compressed bytes, as PNG and PDF hold them.
#pragma once

#include <string>
#include <string_view>

namespace triscope {

/// A zlib stream (RFC 1950) of `bytes`.
std::string deflated(std::string_view bytes);

}  // namespace triscope
