// The question for a file's path.
#include <gmock/gmock.h>
#include <imgui_internal.h>

#include "tests/views/pictures/canvas.hpp"
#include "views/shell/replaced_files.hpp"
#include "views/shell/shell.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ReplacedFiles, are_those_of_every_format_that_is_written) {
  FolderListing listing;
  listing.entries = {{.name = "x.png", .folder = true}, {.name = "y"}, {.name = "y.pdf"}, {.name = "z.svg"}};
  PathDialog path;
  path.also = {".pdf"};
  path.picture.emplace().panel = Panel::tflops;
  path.picture->own.title = "Rates";
  const auto named = [&](const char* text) {
    path.text = text;
    return replaced_files(path, listing);
  };
  EXPECT_THAT(named("/tmp/y.svg"), ElementsAre("y.pdf"));
  EXPECT_THAT(named("/tmp/y"), ElementsAre("y", "y.pdf"));
  EXPECT_THAT(named("/tmp/z.svg"), ElementsAre("z.svg"));
  EXPECT_THAT(named("/tmp/x.png"), IsEmpty()) << "a folder is not replaced";
  path.also = {".png", ".svg"};
  EXPECT_THAT(named("/tmp/y.pdf"), ElementsAre("y.pdf"));
  EXPECT_THAT(named("/tmp/z.pdf"), ElementsAre("z.svg"));
  path.picture.reset();
  EXPECT_THAT(named("/tmp/z.pdf"), IsEmpty()) << "one format is written";
}

TEST(ReplacedFiles, are_also_the_caption_as_text_where_there_is_one) {
  FolderListing listing;
  listing.entries = {{.name = "y.txt"}, {.name = "y.v2.txt"}, {.name = "y.svg"}};
  PathDialog path;
  path.also = {".svg", ".txt"};
  PictureDraft& picture = path.picture.emplace();
  picture.panel = Panel::tflops;
  picture.own.title = "Rates";
  const auto named = [&](const char* text) {
    path.text = text;
    return replaced_files(path, listing);
  };
  EXPECT_THAT(named("/tmp/y.pdf"), ElementsAre("y.svg")) << "an empty caption is not written";
  picture.caption = "Points are medians.";
  EXPECT_THAT(named("/tmp/y.pdf"), ElementsAre("y.svg", "y.txt"));
  EXPECT_THAT(named("/tmp/y.v2"), ElementsAre("y.v2.txt"));
  picture.panel = Panel::queue;
  EXPECT_THAT(named("/tmp/y.png"), ElementsAre("y.txt")) << "its picture has pixels alone";
}

TEST(PathDialog, has_its_size_before_the_folder_is_read) {
  for (const bool saves : {true, false}) {
    fixture::Canvas canvas;
    WindowData data;
    if (saves) {
      canvas.ui.path.waiting = ask::SaveChart{Panel::tflops};
    } else {
      canvas.ui.path.waiting = ask::OpenDatabase{};
    }
    const auto size = [&] {
      for (int frame = 0; frame < 4; ++frame) {
        ImGui::NewFrame();
        Context context{canvas.look, data, canvas.ui, canvas.models, canvas.requests, 0};
        draw_path_dialog(context);
        ImGui::Render();
        accept_textures(*ImGui::GetDrawData());
      }
      return ImGui::FindWindowByName("path")->Size.y;
    };
    const float before = size();
    auto listing = std::make_shared<FolderListing>();
    listing->asked = *canvas.ui.path.listed;
    listing->folder = "/data/";
    listing->parent = "/";
    listing->places = {{"Home", "/data/"}};
    listing->entries = {{.name = "runs", .folder = true}, {.name = "a.db"}, {.name = "a.png"}};
    data.folder = listing;
    EXPECT_NEAR(size(), before, saves ? 0 : ImGui::GetTextLineHeightWithSpacing());
  }
}

}  // namespace
}  // namespace triscope
