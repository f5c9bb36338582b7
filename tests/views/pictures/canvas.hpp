// Panels drawn with no display and no application.
#pragma once

#include <imgui_internal.h>
#include <implot.h>

#include <string>
#include <vector>

#include "app/window/picture/picture.hpp"
#include "views/panels/panels.hpp"
#include "views/parts/context.hpp"
#include "views/shell/shell.hpp"

namespace triscope::fixture {

/// A Dear ImGui session without renderer.
class Canvas {
 public:
  Canvas() {
    ImGui::CreateContext();
    ImPlot::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures | ImGuiBackendFlags_RendererHasVtxOffset;
    io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
    io.DisplaySize = ImVec2(1280, 800);
    io.DeltaTime = 1.0F / 60;
    load_fonts(look);
    look.theme = dark_theme();
    apply_look(look);
    ui.form = default_form(false);
  }
  ~Canvas() {
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    }
    ImPlot::DestroyContext();
    ImGui::DestroyContext();
  }
  /// Draws `panel` alone for three frames; returns the vertices of the last.
  int draw(Panel panel, const WindowData& data) {
    for (int frame = 0; frame < 3; ++frame) {
      ImGui::NewFrame();
      ImGui::SetNextWindowPos(ImVec2(0, 0));
      ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
      ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
      Context context{look, data, ui, models, requests, 0};
      ImGui::LogToBuffer();
      draw_panel(context, panel);
      text = ImGui::GetCurrentContext()->LogBuffer.c_str();
      ImGui::LogFinish();
      ImGui::End();
      ImGui::Render();
      accept_textures(*ImGui::GetDrawData());
    }
    return ImGui::GetDrawData()->TotalVtxCount;
  }
  std::string text;  ///< of the items drawn last
  Look look;
  UiState ui;
  Models models;
  std::vector<Request> requests;
};

}  // namespace triscope::fixture
