// The drawings of what sweeps span, in the list of sweeps.
#include <gtest/gtest.h>

#include <string>

#include "profiler/plan/request.hpp"
#include "tests/views/pictures/canvas.hpp"
#include "views/history/sweep_thumbnail.hpp"
#include "views/parts/chart_tools.hpp"

namespace triscope {
namespace {

TEST(Thumbnails, stand_in_a_line_whose_title_has_no_room_too) {
  SweepRequest request;
  request.seq_lens = {1024, 4096, 16384};
  WindowData data;
  data.sweeps.resize(1);
  SweepInfo& info = data.sweeps.front();
  info.id = 1;
  info.uuid = "one";
  info.request_json = to_json(request);
  info.finished = info.started = "2026-11-29T12:00:00Z";
  const auto coloured = [&](const std::string& note) {
    info.note = note;
    fixture::Canvas canvas;
    ImGui::GetIO().DisplaySize = ImVec2(270, 300);  // as History has it in a small window
    canvas.draw(Panel::history, data);
    const ImU32 colour = colour_of_style(canvas.look.theme, canvas.models.history().shape(info).style);
    const Picture picture = rasterize(*ImGui::GetDrawData(), IM_COL32_BLACK);
    int count = 0;
    for (std::size_t n = 0; n + 2 < picture.rgb.size(); n += 3) {
      count += picture.rgb[n] == (colour >> IM_COL32_R_SHIFT & 255) &&
               picture.rgb[n + 1] == (colour >> IM_COL32_G_SHIFT & 255) &&
               picture.rgb[n + 2] == (colour >> IM_COL32_B_SHIFT & 255);
    }
    return count;
  };
  const int brief = coloured("short");
  EXPECT_GT(brief, 40);
  EXPECT_EQ(coloured("a name that is far too long for the line of a narrow list of sweeps"), brief);
}

}  // namespace
}  // namespace triscope
