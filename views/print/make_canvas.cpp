#include "views/print/make_canvas.hpp"

#include "views/print/pdf_canvas.hpp"
#include "views/print/svg_canvas.hpp"

namespace triscope {

std::unique_ptr<VectorCanvas> make_canvas(VectorFormat format, ImVec2 size, std::string_view title, ImU32 ground) {
  if (format == VectorFormat::pdf) return std::make_unique<PdfCanvas>(size, title, ground);
  return std::make_unique<SvgCanvas>(size, title, ground);
}

}  // namespace triscope
