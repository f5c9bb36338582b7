// Pictures of what Dear ImGui drew, without a GPU, a display or OpenGL: the same draw lists, filled on the CPU.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "views/model/ui_state.hpp"

namespace triscope {

struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< row by row, top first, 3 bytes a pixel
};

/// Fills the triangles of `data` at its framebuffer scale over `background`. Textures must be Dear ImGui's own
/// (ImTextureData): fonts.
Picture rasterize(const ImDrawData& data, ImU32 background);

/// The part of `picture` inside `area` (logical pixels, times `scale`), clipped to the picture.
Picture crop(const Picture& picture, const Area& area, float scale);

/// PNG bytes. Throws `Error` for an empty picture.
std::vector<std::uint8_t> encode_png(const Picture& picture);

/// Marks the textures of a frame as taken over, as a renderer must. Call after each ImGui::Render without a renderer.
void accept_textures(const ImDrawData& data);

}  // namespace triscope
