#include "app/window/report/offscreen.hpp"

#include <implot.h>

#include <chrono>
#include <thread>

#include "views/shell/shell.hpp"

namespace triscope {

Offscreen::Offscreen(ApplicationOptions options, int width, int height, float scale) : scale_(scale) {
  ImGui::CreateContext();
  ImPlot::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures | ImGuiBackendFlags_RendererHasVtxOffset;
  io.DisplaySize = ImVec2(static_cast<float>(width), static_cast<float>(height));
  io.DeltaTime = 1.0F / 60;
  application_ = std::make_unique<Application>(std::move(options));
}

Offscreen::~Offscreen() {
  application_.reset();
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    texture->SetTexID(ImTextureID_Invalid);
    texture->SetStatus(ImTextureStatus_Destroyed);
  }
  ImPlot::DestroyContext();
  ImGui::DestroyContext();
}

void Offscreen::frame() {
  application_->prepare_frame(scale_);
  ImGuiIO& io = ImGui::GetIO();
  const float picture_scale = application_->wanted_picture_scale();
  io.DisplayFramebufferScale = picture_scale > 0 ? ImVec2(picture_scale, picture_scale) : ImVec2(1, 1);
  ImGui::NewFrame();
  application_->draw();
  ImGui::Render();
  accept_textures(*ImGui::GetDrawData());
  if (picture_scale > 0) application_->take_picture(*ImGui::GetDrawData());
}

void Offscreen::settle(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int quiet = 0;
  while (quiet < 6 && std::chrono::steady_clock::now() < end) {
    quiet = application_->settled() ? quiet + 1 : 0;
    if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    frame();
  }
}

Picture Offscreen::picture() const {
  return rasterize(*ImGui::GetDrawData(), ground_of(application_->ui(), application_->look().theme));
}

}  // namespace triscope
