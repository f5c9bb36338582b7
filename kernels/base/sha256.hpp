// SHA-256 (FIPS 180-4): whether a file that is loaded at run time is the one whose behaviour is known.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace triscope {

/// The digest as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace triscope
