#include "app/window/picture/picture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/export/heatmap.hpp"

namespace triscope {
namespace {

struct Colour {
  float r = 0, g = 0, b = 0, a = 0;  ///< 0..255
  bool operator==(const Colour&) const = default;
};

/// One through the other, as a coloured glass.
Colour operator*(const Colour& x, const Colour& y) {
  return {x.r * y.r / 255, x.g * y.g / 255, x.b * y.b / 255, x.a * y.a / 255};
}

Colour unpack(ImU32 c) {
  return {static_cast<float>((c >> IM_COL32_R_SHIFT) & 255), static_cast<float>((c >> IM_COL32_G_SHIFT) & 255),
          static_cast<float>((c >> IM_COL32_B_SHIFT) & 255), static_cast<float>((c >> IM_COL32_A_SHIFT) & 255)};
}

Colour texel(const ImTextureData& texture, int x, int y) {
  x = std::clamp(x, 0, texture.Width - 1);
  y = std::clamp(y, 0, texture.Height - 1);
  const unsigned char* p = texture.Pixels + (static_cast<std::size_t>(y) * static_cast<std::size_t>(texture.Width) +
                                             static_cast<std::size_t>(x)) *
                                                static_cast<std::size_t>(texture.BytesPerPixel);
  if (texture.Format == ImTextureFormat_Alpha8) return {255, 255, 255, static_cast<float>(p[0])};
  return {static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2]), static_cast<float>(p[3])};
}

/// Bilinear, as the GPU does it.
Colour sample(const ImTextureData& texture, float u, float v) {
  const float x = u * static_cast<float>(texture.Width) - 0.5F, y = v * static_cast<float>(texture.Height) - 0.5F;
  const float fx = std::floor(x), fy = std::floor(y), tx = x - fx, ty = y - fy;
  const int ix = static_cast<int>(fx), iy = static_cast<int>(fy);
  if (tx < 1e-3F && ty < 1e-3F) return texel(texture, ix, iy);
  const Colour a = texel(texture, ix, iy), b = texel(texture, ix + 1, iy), c = texel(texture, ix, iy + 1),
               d = texel(texture, ix + 1, iy + 1);
  const auto mix = [&](float Colour::*m) {
    return (a.*m * (1 - tx) + b.*m * tx) * (1 - ty) + (c.*m * (1 - tx) + d.*m * tx) * ty;
  };
  return {mix(&Colour::r), mix(&Colour::g), mix(&Colour::b), mix(&Colour::a)};
}

struct Vertex {
  float x, y, u, v;
  Colour colour;
};

struct Clip {
  int x0, y0, x1, y1;  ///< pixels, end exclusive
};

/// Twice the signed area of a, b, p.
double edge(const Vertex& a, const Vertex& b, double x, double y) {
  return (static_cast<double>(b.x) - a.x) * (y - a.y) - (static_cast<double>(b.y) - a.y) * (x - a.x);
}

/// A pixel centre on an edge belongs to one of two neighbours: the one for which the edge is left or top.
bool owns_edge(const Vertex& a, const Vertex& b) { return (a.y == b.y && b.x > a.x) || b.y < a.y; }

/// Pixels of a row, end exclusive.
struct Span {
  int first, last;
};

/// Takes away from `span` of row `y` what lies beyond the edge from `a` to `b`. The area grows or falls steadily along
/// a row, so what is left is one piece; its end is estimated and then looked for.
void cut_at_edge(Span& span, const Vertex& a, const Vertex& b, int y) {
  const bool own = owns_edge(a, b);
  const auto inside = [&](int x) {
    const double area = edge(a, b, x + 0.5, y + 0.5);
    return area > 0 || (area == 0 && own);
  };
  const double rise = static_cast<double>(b.y) - a.y;
  if (rise == 0) {
    if (!inside(span.first)) span.last = span.first;
    return;
  }
  const double crossing = a.x + (static_cast<double>(b.x) - a.x) * (y + 0.5 - a.y) / rise - 0.5;
  int end = static_cast<int>(std::clamp(crossing, static_cast<double>(span.first), static_cast<double>(span.last)));
  if (rise < 0) {  // inside is to the right
    while (end > span.first && inside(end - 1)) --end;
    while (end < span.last && !inside(end)) ++end;
    span.first = end;
  } else {
    while (end < span.last && inside(end)) ++end;
    while (end > span.first && !inside(end - 1)) --end;
    span.last = end;
  }
}

class Target {
 public:
  Target(Picture& picture) : picture_(picture) {}

  void triangle(Vertex a, Vertex b, Vertex c, const Clip& clip, const ImTextureData* texture) {
    double area = edge(a, b, c.x, c.y);
    if (area == 0) return;
    if (area < 0) {
      std::swap(b, c);
      area = -area;
    }
    const int y0 = std::max(clip.y0, static_cast<int>(std::floor(std::min({a.y, b.y, c.y}))));
    const int y1 = std::min(clip.y1, static_cast<int>(std::ceil(std::max({a.y, b.y, c.y}))));
    const int x0 = std::max(clip.x0, static_cast<int>(std::floor(std::min({a.x, b.x, c.x}))));
    const int x1 = std::min(clip.x1, static_cast<int>(std::ceil(std::max({a.x, b.x, c.x}))));
    const bool flat_uv = a.u == b.u && b.u == c.u && a.v == b.v && b.v == c.v;
    const Colour flat = texture && flat_uv ? sample(*texture, a.u, a.v) : Colour{255, 255, 255, 255};
    const bool one_colour = (!texture || flat_uv) && a.colour == b.colour && a.colour == c.colour;
    for (int y = y0; y < y1; ++y) {
      Span span{x0, x1};
      for (const auto& [from, to] : {std::pair(&b, &c), {&c, &a}, {&a, &b}}) {
        if (span.first < span.last) cut_at_edge(span, *from, *to, y);
      }
      if (one_colour) {
        fill(y, span, a.colour * flat);
        continue;
      }
      for (int x = span.first; x < span.last; ++x) {
        const double px = x + 0.5, py = y + 0.5;
        const auto l0 = static_cast<float>(edge(b, c, px, py) / area),
                   l1 = static_cast<float>(edge(c, a, px, py) / area),
                   l2 = static_cast<float>(edge(a, b, px, py) / area);
        const auto mix = [&](float Colour::*m) { return a.colour.*m * l0 + b.colour.*m * l1 + c.colour.*m * l2; };
        Colour texture_colour = flat;
        if (texture && !flat_uv)
          texture_colour = sample(*texture, a.u * l0 + b.u * l1 + c.u * l2, a.v * l0 + b.v * l1 + c.v * l2);
        blend(at(x, y), Colour{mix(&Colour::r), mix(&Colour::g), mix(&Colour::b), mix(&Colour::a)} * texture_colour);
      }
    }
  }

 private:
  std::uint8_t* at(int x, int y) {
    return picture_.rgb.data() +
           (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture_.width) + static_cast<std::size_t>(x)) * 3;
  }

  void fill(int y, const Span& span, const Colour& colour) {
    if (span.first >= span.last) return;
    std::uint8_t* p = at(span.first, y);
    std::uint8_t* const end = at(span.last, y);
    if (colour.a < 255) {
      for (; p != end; p += 3) blend(p, colour);
      return;
    }
    std::uint8_t opaque[3] = {};
    blend(opaque, colour);
    for (; p != end; p += 3) std::copy(opaque, opaque + 3, p);
  }

  static void blend(std::uint8_t* p, const Colour& colour) {
    const float alpha = std::clamp(colour.a / 255, 0.0F, 1.0F);
    const auto over = [&](std::uint8_t below, float above) {
      return static_cast<std::uint8_t>(
          std::clamp(static_cast<float>(below) * (1 - alpha) + above * alpha + 0.5F, 0.0F, 255.0F));
    };
    p[0] = over(p[0], colour.r);
    p[1] = over(p[1], colour.g);
    p[2] = over(p[2], colour.b);
  }

  Picture& picture_;
};

}  // namespace

Picture rasterize(const ImDrawData& data, ImU32 background) {
  const ImVec2 scale = data.FramebufferScale;
  Picture picture;
  picture.width = static_cast<int>(data.DisplaySize.x * scale.x);
  picture.height = static_cast<int>(data.DisplaySize.y * scale.y);
  const Colour ground = unpack(background);
  picture.rgb.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 3);
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3) {
    picture.rgb[i] = static_cast<std::uint8_t>(ground.r);
    picture.rgb[i + 1] = static_cast<std::uint8_t>(ground.g);
    picture.rgb[i + 2] = static_cast<std::uint8_t>(ground.b);
  }
  Target target(picture);
  for (const ImDrawList* list : data.CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) {
      if (command.UserCallback) continue;
      const auto pixel = [&](float v, float origin, float s, int most) {
        return std::clamp(static_cast<int>(std::lround((v - origin) * s)), 0, most);
      };
      const Clip clip{pixel(command.ClipRect.x, data.DisplayPos.x, scale.x, picture.width),
                      pixel(command.ClipRect.y, data.DisplayPos.y, scale.y, picture.height),
                      pixel(command.ClipRect.z, data.DisplayPos.x, scale.x, picture.width),
                      pixel(command.ClipRect.w, data.DisplayPos.y, scale.y, picture.height)};
      const ImTextureData* texture =
          command.TexRef._TexData && command.TexRef._TexData->Pixels ? command.TexRef._TexData : nullptr;
      const auto vertex = [&](unsigned int i) {
        const ImDrawVert& v =
            list->VtxBuffer[static_cast<int>(list->IdxBuffer[static_cast<int>(i)] + command.VtxOffset)];
        return Vertex{(v.pos.x - data.DisplayPos.x) * scale.x, (v.pos.y - data.DisplayPos.y) * scale.y, v.uv.x, v.uv.y,
                      unpack(v.col)};
      };
      for (unsigned int i = command.IdxOffset; i + 2 < command.IdxOffset + command.ElemCount; i += 3)
        target.triangle(vertex(i), vertex(i + 1), vertex(i + 2), clip, texture);
    }
  }
  return picture;
}

Picture crop(const Picture& picture, const Area& area, float scale) {
  const auto bound = [](float v, int most) { return std::clamp(static_cast<int>(std::lround(v)), 0, most); };
  const int x0 = bound(area.x * scale, picture.width), y0 = bound(area.y * scale, picture.height);
  const int x1 = bound((area.x + area.width) * scale, picture.width),
            y1 = bound((area.y + area.height) * scale, picture.height);
  Picture part{std::max(0, x1 - x0), std::max(0, y1 - y0), {}};
  for (int y = y0; y < y1; ++y) {
    const auto row = picture.rgb.begin() + (static_cast<std::ptrdiff_t>(y) * picture.width + x0) * 3;
    part.rgb.insert(part.rgb.end(), row, row + static_cast<std::ptrdiff_t>(part.width) * 3);
  }
  return part;
}

std::vector<std::uint8_t> encode_png(const Picture& picture) {
  return encode_png(picture.width, picture.height, picture.rgb.data());
}

void accept_textures(const ImDrawData& data) {
  if (!data.Textures) return;
  for (ImTextureData* texture : *data.Textures) {
    if (texture->Status == ImTextureStatus_WantCreate || texture->Status == ImTextureStatus_WantUpdates) {
      texture->SetTexID(reinterpret_cast<ImTextureID>(texture));
      texture->SetStatus(ImTextureStatus_OK);
    } else if (texture->Status == ImTextureStatus_WantDestroy && texture->UnusedFrames > 0) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    }
  }
}

}  // namespace triscope
