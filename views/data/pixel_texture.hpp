// A picture made of pixels, drawn by Dear ImGui: uploaded when it changed and at no other time.
#pragma once

#include <cstdint>
#include <vector>

struct ImDrawList;
struct ImTextureData;
struct ImVec2;

namespace triscope {

/// Owned by the drawing thread. May outlive Dear ImGui's context.
class PixelTexture {
 public:
  PixelTexture() = default;
  ~PixelTexture();
  PixelTexture(const PixelTexture&) = delete;
  PixelTexture& operator=(const PixelTexture&) = delete;

  /// Room for width x height pixels, RGBA bytes, rows `stride()` apart. What was there is lost.
  std::uint32_t* begin(int width, int height);
  int stride() const;
  /// The pixels are written: uploads them with this frame.
  void end();
  bool empty() const { return texture_ == nullptr; }
  /// Over [low, high); one pixel of the picture should be one of the screen.
  void draw(ImDrawList* list, ImVec2 low, ImVec2 high) const;

 private:
  void retire();

  ImTextureData* texture_ = nullptr;
  std::vector<ImTextureData*> retired_;  // until the renderer has let them go
  int width_ = 0, height_ = 0;
};

}  // namespace triscope
