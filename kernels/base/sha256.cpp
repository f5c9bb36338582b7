#include "kernels/base/sha256.hpp"

#include <sha2.h>  // libmd

#include <cstdint>

namespace triscope {

std::string sha256_hex(std::span<const std::byte> bytes) {
  char text[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), text);
  return text;
}

}  // namespace triscope
