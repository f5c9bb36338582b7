// The window's own files, after damage: settings are read or set aside, and of a layout Dear ImGui gets only what
// passed the check, which it then draws.
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <array>
#include <fstream>

#include "app/window/desktop/layout_check.hpp"
#include "app/window/desktop/settings_file.hpp"
#include "tests/fuzz/corpus.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

constexpr std::array<std::string_view, 14> kSettingsTokens{
    "{", "}", "[", "]", ",", ":", "null", "1e300", "-1", "\"scale\":", "\"request\":", "[[[[[[", "\xff", "\"dark\""};

TEST(WindowFilesFuzz, settings_are_read_or_set_aside) {
  TemporaryFolder folder;
  fuzz_corpus(
      "settings", kSettingsTokens,
      [&](const std::string& text) {
        folder.write("window.json", text);
        const StoredSettings stored = load_settings(folder.path());
        ASSERT_EQ(stored.problem.empty(), !std::filesystem::exists(folder / "window.json.unreadable"));
        std::filesystem::remove(folder / "window.json.unreadable");
        save_settings(folder.path(), stored);
        ASSERT_EQ(load_settings(folder.path()).problem, "");
      },
      500);
}

/// Three frames of a window with this layout, in which every panel of it is open.
void draw_with(const std::string& layout) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_DockingEnable;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  io.DisplaySize = ImVec2(1440, 900);
  ImGui::LoadIniSettingsFromMemory(layout.c_str(), layout.size());
  for (int frame = 0; frame < 3; ++frame) {
    io.DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    ImGui::DockSpaceOverViewport(ImGui::GetID("dock"), ImGui::GetMainViewport());
    for (const char* panel :
         {"setup", "history", "latency", "compare", "paper", "log", "tflops", "scaling", "details"}) {
      ImGui::Begin((std::string("Panel###") + panel).c_str());
      ImGui::End();
    }
    ImGui::Render();
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) texture->SetStatus(ImTextureStatus_OK);
  }
  ASSERT_EQ(layout_fault(ImGui::SaveIniSettingsToMemory()), "");
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) texture->SetStatus(ImTextureStatus_Destroyed);
  ImGui::DestroyContext();
}

constexpr std::array<std::string_view, 16> kLayoutTokens{"\n",
                                                         "[Window][setup]\n",
                                                         "[Docking][Data]\n",
                                                         "DockNode  ID=0x00000009 Parent=0x00000001 SizeRef=1,1\n",
                                                         "Split=X",
                                                         "Parent=0x00000002",
                                                         "CentralNode=1",
                                                         "DockSpace",
                                                         "-1",
                                                         "1e9",
                                                         "0x00000000",
                                                         "0xFFFFFFFF",
                                                         "Size=0,0\n",
                                                         "[Table][0xD91E29C2,17]\n",
                                                         "Column 0  Width=10\n",
                                                         "NoTabBar=1"};

TEST(WindowFilesFuzz, a_layout_that_passes_the_check_is_drawn) {
  int drawn = 0, refused = 0;
  fuzz_corpus(
      "layout", kLayoutTokens,
      [&](const std::string& layout) {
        if (!layout_fault(layout).empty()) {
          ++refused;
        } else {
          ++drawn;
          draw_with(layout);
        }
      },
      20);
  EXPECT_GT(drawn, 10);
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace triscope
