#include "profiler/export/deflate.hpp"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include <cstdlib>
#include <memory>

namespace triscope {

std::string deflated(std::string_view bytes) {
  constexpr int kQuality = 8;
  std::string input(bytes);
  int size = 0;
  const std::unique_ptr<unsigned char, decltype(&std::free)> made(
      stbi_zlib_compress(reinterpret_cast<unsigned char*>(input.data()), static_cast<int>(input.size()), &size,
                         kQuality),
      &std::free);
  return {reinterpret_cast<const char*>(made.get()), static_cast<std::size_t>(size)};
}

}  // namespace triscope
