#include "views/data/pixel_texture.hpp"

#include <imgui_internal.h>

#include <algorithm>

namespace triscope {
namespace {

constexpr int kRound = 256;  // textures grow in steps, so that resizing a panel does not make one every frame

int rounded(int pixels) { return (std::max(pixels, 1) + kRound - 1) / kRound * kRound; }

void forget(ImTextureData* texture) {
  if (ImGui::GetCurrentContext()) {
    ImGui::UnregisterUserTexture(texture);
    ImGui::GetPlatformIO().Textures.find_erase(texture);
  }
  IM_DELETE(texture);
}

}  // namespace

PixelTexture::~PixelTexture() {
  for (ImTextureData* texture : retired_) forget(texture);
  if (texture_) forget(texture_);
}

void PixelTexture::retire() {
  if (!texture_) return;
  texture_->WantDestroyNextFrame = true;
  retired_.push_back(texture_);
  texture_ = nullptr;
}

std::uint32_t* PixelTexture::begin(int width, int height) {
  std::erase_if(retired_, [](ImTextureData* texture) {
    if (texture->Status != ImTextureStatus_Destroyed) return false;
    forget(texture);
    return true;
  });
  const int wanted_width = rounded(width), wanted_height = rounded(height);
  if (texture_ && (texture_->Width < wanted_width || texture_->Height < wanted_height)) retire();
  if (!texture_) {
    texture_ = IM_NEW(ImTextureData)();
    texture_->Create(ImTextureFormat_RGBA32, wanted_width, wanted_height);
    texture_->UseColors = true;
    ImGui::RegisterUserTexture(texture_);
  }
  width_ = width;
  height_ = height;
  return reinterpret_cast<std::uint32_t*>(texture_->Pixels);
}

int PixelTexture::stride() const { return texture_->Width; }

void PixelTexture::end() {
  if (texture_->Status != ImTextureStatus_OK) return;  // created with this frame anyway
  const ImTextureRect all{0, 0, static_cast<unsigned short>(width_), static_cast<unsigned short>(height_)};
  texture_->Updates.resize(0);
  texture_->Updates.push_back(all);
  texture_->UpdateRect = all;
  texture_->UsedRect = all;
  texture_->SetStatus(ImTextureStatus_WantUpdates);
}

void PixelTexture::draw(ImDrawList* list, ImVec2 low, ImVec2 high) const {
  if (!texture_) return;
  const ImVec2 end(static_cast<float>(width_) / static_cast<float>(texture_->Width),
                   static_cast<float>(height_) / static_cast<float>(texture_->Height));
  // One sample a pixel, where the renderer has a choice: software renderers pay for each.
  const ImGuiPlatformIO& renderer = ImGui::GetPlatformIO();
  const bool chooses = renderer.DrawCallback_SetSamplerNearest && renderer.DrawCallback_SetSamplerLinear;
  if (chooses) list->AddCallback(renderer.DrawCallback_SetSamplerNearest, nullptr);
  list->AddImage(texture_->GetTexRef(), low, high, ImVec2(0, 0), end);
  if (chooses) list->AddCallback(renderer.DrawCallback_SetSamplerLinear, nullptr);
}

}  // namespace triscope
