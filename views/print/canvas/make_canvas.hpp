// The formats of vector pictures, and a canvas for each.
#pragma once

#include <memory>
#include <string_view>

#include "views/data/print_style.hpp"
#include "views/print/canvas/vector_canvas.hpp"

namespace triscope {

/// A length of the canvas in CSS pixels: words of 11 have the size that was asked for.
float unit_of(const PrintSize& size);

/// The colours of a picture.
const Theme& theme_of(const PrintStyle& style);

/// `title` is what a reader hears of the picture that does not see it. `size` counts in units of `style`.
std::unique_ptr<VectorCanvas> make_canvas(const PrintStyle& style, ImVec2 size, std::string_view title);

}  // namespace triscope
