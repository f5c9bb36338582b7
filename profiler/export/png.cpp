#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

#include "kernels/base/error.hpp"
#include "profiler/export/heatmap.hpp"

namespace triscope {

std::vector<std::uint8_t> encode_png(int width, int height, const std::uint8_t* rgb) {
  if (width <= 0 || height <= 0)
    throw Error("The picture was not made", "it is empty", "make the window or the chart larger");
  stbi_write_png_compression_level = 5;  // the least: files a thousandth larger, in three quarters of the time
  stbi_write_force_png_filter = 0;       // drawings are flat: a tenth smaller than with chosen filters, and faster
  std::vector<std::uint8_t> bytes;
  const auto append = [](void* context, void* data, int size) {
    const auto* begin = static_cast<const std::uint8_t*>(data);
    auto* out = static_cast<std::vector<std::uint8_t>*>(context);
    out->insert(out->end(), begin, begin + size);
  };
  stbi_write_png_to_func(append, &bytes, width, height, 3, rgb, width * 3);
  return bytes;
}

}  // namespace triscope
