// SHA-256 (FIPS 180-4), to check that a library loaded at run time is the known file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace triscope {

/// The digest as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace triscope
