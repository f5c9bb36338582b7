#include "views/print/canvas/pdf_canvas.hpp"

#include <fmt/format.h>

#include <utility>

#include "profiler/export/deflate.hpp"

namespace triscope {
namespace {

std::string pdf_point(ImVec2 at) { return vector_number(at.x) + " " + vector_number(at.y); }

/// "0.12 0.43 0.92": red, green and blue.
std::string rgb(ImU32 colour) {
  const auto part = [&](int shift) { return vector_number(static_cast<float>((colour >> shift) & 255) / 255); };
  return fmt::format("{} {} {}", part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT), part(IM_COL32_B_SHIFT));
}

/// Text of the file's information, which is UTF-16 there.
std::string information(std::string_view words) {
  std::string digits = "FEFF";
  for (const char32_t letter : letters_of(words))
    digits += fmt::format("{:04X}", letter < 0x10000 ? static_cast<std::uint32_t>(letter) : 0xFFFDU);
  return "<" + digits + ">";
}

}  // namespace

PdfCanvas::PdfCanvas(ImVec2 size, float unit, std::string_view title, const Theme& theme)
    : VectorCanvas(theme), points_(0.75F * unit * size.x, 0.75F * unit * size.y), title_(title) {
  // y goes down, as on a screen
  content_ = fmt::format("{0:.6f} 0 0 -{0:.6f} 0 {1} cm\n1 j\n", 0.75F * unit, vector_number(points_.y));
  box(ImVec2(0, 0), size, ground());
}

void PdfCanvas::text(float x, float y, std::string_view words, const VectorText& style) {
  PdfFont& font = style.numbers ? numbers_ : words_;
  const float width = static_cast<float>(font.width(words)) * style.size;
  const float back = style.anchor == Anchor::start ? 0 : style.anchor == Anchor::end ? width : width / 2;
  if (style.upwards) {
    y += back;
  } else {
    x -= back;
  }
  content_ += fmt::format("BT {} rg /{} {} Tf {} {} Tm <{}> Tj ET\n", rgb(style.colour), style.numbers ? "F1" : "F0",
                          vector_number(style.size), style.upwards ? "0 -1 -1 0" : "1 0 0 -1", pdf_point(ImVec2(x, y)),
                          font.glyphs(words));
}

void PdfCanvas::line(const std::vector<ImVec2>& points, ImU32 colour, float width, std::string_view dashes) {
  if (points.size() < 2) return;
  content_ += fmt::format("{} RG {} w [{}] 0 d\n", rgb(colour), vector_number(width), dashes);
  for (std::size_t n = 0; n < points.size(); ++n) content_ += pdf_point(points[n]) + (n == 0 ? " m " : " l ");
  content_ += "S\n";
}

void PdfCanvas::paint(ImU32 colour, bool hollow) {
  if (hollow) {
    content_ += fmt::format("{} rg {} RG 1.5 w [] 0 d\n", rgb(ground()), rgb(colour));
  } else {
    content_ += rgb(colour) + " rg\n";
  }
}

void PdfCanvas::polygon(const std::vector<ImVec2>& corners, ImU32 colour, bool hollow) {
  paint(colour, hollow);
  for (std::size_t n = 0; n < corners.size(); ++n) content_ += pdf_point(corners[n]) + (n == 0 ? " m " : " l ");
  content_ += hollow ? "b\n" : "f\n";
}

void PdfCanvas::circle(ImVec2 centre, float radius, ImU32 colour, bool hollow) {
  paint(colour, hollow);
  const float k = 0.5523F * radius;  // control points of a quarter
  const auto at = [&](float x, float y) { return pdf_point(ImVec2(centre.x + x, centre.y + y)); };
  const float r = radius;
  content_ += fmt::format("{} m {} {} {} c {} {} {} c {} {} {} c {} {} {} c {}\n", at(r, 0), at(r, k), at(k, r),
                          at(0, r), at(-k, r), at(-r, k), at(-r, 0), at(-r, -k), at(-k, -r), at(0, -r), at(k, -r),
                          at(r, -k), at(r, 0), hollow ? "b" : "f");
}

void PdfCanvas::image(ImVec2 low, ImVec2 high, int width, int height, const std::vector<std::uint8_t>& pixels) {
  images_.push_back(pdf_stream(
      deflated({reinterpret_cast<const char*>(pixels.data()), pixels.size()}),
      fmt::format("/Type /XObject /Subtype /Image /Width {} /Height {} /ColorSpace /DeviceRGB /BitsPerComponent 8 "
                  "/Filter /FlateDecode",
                  width, height)));
  // Its first row is the upper one, and here y goes down.
  content_ += fmt::format("q {} 0 0 {} {} cm /I{} Do Q\n", vector_number(high.x - low.x), vector_number(low.y - high.y),
                          pdf_point(ImVec2(low.x, high.y)), images_.size() - 1);
}

void PdfCanvas::clip(ImVec2 low, ImVec2 high) {
  content_ +=
      fmt::format("q {} {} {} re W n\n", pdf_point(low), vector_number(high.x - low.x), vector_number(high.y - low.y));
}

void PdfCanvas::end_clip() { content_ += "Q\n"; }

std::string PdfCanvas::finish() {
  std::vector<std::string> objects(5);
  std::string fonts;
  const auto add = [&](const char* name, const PdfFont& font) {
    if (!font.used()) return;
    fonts += fmt::format("/{} {} 0 R ", name, objects.size() + 1);
    for (std::string& object : font.objects(objects.size() + 1)) objects.push_back(std::move(object));
  };
  add("F0", words_);
  add("F1", numbers_);
  std::string images;
  for (std::size_t n = 0; n < images_.size(); ++n) {
    images += fmt::format("/I{} {} 0 R ", n, objects.size() + 1);
    objects.push_back(std::move(images_[n]));
  }
  if (!images.empty()) images = fmt::format("/XObject << {}>> ", images);
  objects[0] = "<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /DisplayDocTitle true >> >>";
  objects[1] = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
  objects[2] = fmt::format(
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R /Resources << {}/Font << {}>> >> >>",
      vector_number(points_.x), vector_number(points_.y), images, fonts);
  objects[3] = pdf_stream(content_);
  objects[4] = fmt::format("<< /Title {} /Producer (Triscope) >>", information(title_));
  std::string file = "%PDF-1.6\n%\xE2\xE3\xCF\xD3\n", places;
  for (std::size_t n = 0; n < objects.size(); ++n) {
    places += fmt::format("{:010} 00000 n \n", file.size());
    file += fmt::format("{} 0 obj\n{}\nendobj\n", n + 1, objects[n]);
  }
  const std::size_t begin = file.size();
  return file + fmt::format(
                    "xref\n0 {0}\n0000000000 65535 f \n{1}trailer\n<< /Size {0} /Root 1 0 R /Info 5 0 R >>\n"
                    "startxref\n{2}\n%%EOF\n",
                    objects.size() + 1, places, begin);
}

}  // namespace triscope
