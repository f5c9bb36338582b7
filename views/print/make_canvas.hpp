// The formats of vector pictures, and a canvas for each.
#pragma once

#include <memory>
#include <string_view>

#include "views/print/vector_canvas.hpp"

namespace triscope {

enum class VectorFormat { svg, pdf };

/// `title` is what a reader hears of the picture that does not see it.
std::unique_ptr<VectorCanvas> make_canvas(VectorFormat format, ImVec2 size, std::string_view title, ImU32 ground);

}  // namespace triscope
