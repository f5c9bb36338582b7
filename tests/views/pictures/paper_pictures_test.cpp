// Pictures of every page of the Paper panel. No two are alike; TRISCOPE_PICTURES names a folder to have them written,
// to be looked at.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiler/tiles/ask_tiles.hpp"
#include "tests/views/window_fixture.hpp"

namespace triscope {
namespace {

/// Those of a window of one size.
class PagePictures {
 public:
  /// `folder`: where they are written; null: nowhere.
  PagePictures(fixture::WindowOnDatabase& window, int width, const char* folder)
      : window_(window), width_(width), folder_(folder) {}

  /// In both themes.
  void take(const std::string& name) {
    for (const ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
      window_.application().ui().settings.theme = theme;
      window_.stage->settle();
      const std::vector<std::uint8_t> png = encode_png(window_.stage->memory().picture());
      const std::string file =
          fmt::format("paper_{}_{}_{}.png", name, width_, theme == ThemeChoice::dark ? "dark" : "light");
      const auto [same, is_new] = taken_.emplace(std::string(png.begin(), png.end()), file);
      EXPECT_TRUE(is_new) << file << " shows what " << same->second << " shows";
      if (folder_ == nullptr) continue;
      std::ofstream out(std::filesystem::path(folder_) / file, std::ios::binary);
      out.write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
      EXPECT_TRUE(out.flush()) << file << " cannot be written";
    }
  }

 private:
  fixture::WindowOnDatabase& window_;
  int width_;
  const char* folder_;
  std::map<std::string, std::string> taken_;  ///< by what they show
};

/// Of the pages that show measurements.
void take_measured(fixture::WindowOnDatabase& window, const char* database, PagePictures& pictures) {
  Application& application = window.application();
  application.carry_out(ask::OpenDatabase{database});
  window.stage->settle();
  application.carry_out(ask::ShowPanel{Panel::paper});
  PaperUi& ui = application.ui().paper;
  ui.recipe.typed = true, ui.recipe.seq_len = 32'768;
  ui.recipe.budget_ms = 0;
  pictures.take("recipe");
  ui.recipe.window1 = 384, ui.recipe.window2 = 48;
  pictures.take("estimate");
  ui.page = PaperPage::table1;
  pictures.take("table1");
  ui.page = PaperPage::the_operator;
  pictures.take("operator");
}

void take_pages(Application& application, PagePictures& pictures) {
  application.carry_out(ask::ShowPanel{Panel::paper});
  PaperUi& ui = application.ui().paper;
  for (int page = 0; page < static_cast<int>(PaperPage::count); ++page) {
    ui.page = static_cast<PaperPage>(page);
    pictures.take(fmt::format("page{}", page));
  }
  ui.page = PaperPage::laws;
  take_losses(ui.losses, "", example_losses());
  ui.losses.sizes = "7B, 70B";
  pictures.take("own");
  ui.page = PaperPage::recipe;
  ui.recipe.typed = true;
  ui.recipe.seq_len = 1024;
  ui.recipe.budget_ms =
      static_cast<float>(application.models().recipe(application.data(), ui.recipe)->steps.at(20).low);
  pictures.take("budget");
}

/// Each kernel's tiles, and each algorithm's steps.
void take_tiles_and_steps(fixture::WindowOnDatabase& window, bool tiles, PagePictures& pictures) {
  const TileData& data = window.application().data().tiles;
  PaperUi& ui = window.application().ui().paper;
  ui.page = PaperPage::tiling;
  ui.tiles.window1 = 284;
  window.stage->settle();
  ASSERT_NE(data.answer, nullptr) << data.problem;
  for (std::size_t n = 0; tiles && n < data.answer->uses.size(); ++n) {
    ui.tiles.use = use_key(data.answer->uses[n]);
    pictures.take(fmt::format("tiles{}", n));
  }
  ui.page = PaperPage::steps;
  for (int n = 0; n < kAlgorithms; ++n) {
    ui.steps.algorithm = static_cast<Algorithm>(n);
    ui.steps.step = 60;
    pictures.take(fmt::format("steps{}", n));
  }
}

/// With the real worker's answers; where they are written, in several sizes.
TEST(PaperPictures, of_every_page) {
  if (fixture::on_screen()) GTEST_SKIP() << "pictures are drawn in memory";
  const char* folder = std::getenv("TRISCOPE_PICTURES");
  for (const auto& [width, height] : {std::pair{1280, 800}, {2560, 1440}, {900, 600}}) {
    if (folder == nullptr && width != 1280) continue;
    fixture::WindowOnDatabase window(60, width, height);
    window.sweep.tiles = [](const TileQuestion& question) { return ask_tiles(question); };
    window.sweep.work = [](const std::vector<Problem>& problems) { return ask_work(problems); };
    PagePictures pictures(window, width, folder);
    take_pages(window.application(), pictures);
    if (const char* database = std::getenv("TRISCOPE_PICTURES_DATABASE")) {  // with rows of lengths, instead of tiles
      take_measured(window, database, pictures);
    } else {
      take_tiles_and_steps(window, width == 1280, pictures);
    }
  }
}

}  // namespace
}  // namespace triscope
