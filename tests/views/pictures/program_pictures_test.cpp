// Pictures and reports that the window's program writes without a display.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/paths.hpp"
#include "tests/views/said.hpp"
#include "tests/views/window_fixture.hpp"
#include "views/model/paper/paper_ui.hpp"
#include "views/print/canvas/svg_canvas.hpp"

namespace triscope {
namespace {

using fixture::kWindow;
using fixture::Said;
using fixture::say;
using testing::HasSubstr;

TEST(Program, a_picture_of_each_page_of_the_paper_is_drawn) {
  TemporaryFolder folder;
  write_synthetic_database(folder / "a.db", 6, 20);
  const std::string command = kWindow + " " + (folder / "a.db").string() + " --size 900x600 --screenshot ";
  std::set<std::string> pictures;
  for (int n = 0; n < static_cast<int>(PaperPage::count); ++n) {
    const std::string id(paper_page_id(static_cast<PaperPage>(n)));
    const std::filesystem::path file = folder / (id + ".png");
    const Said said = say(command + file.string() + " --panel paper:" + id);
    EXPECT_EQ(said.code, 0) << said.text;
    std::ifstream bytes(file, std::ios::binary);
    pictures.emplace(std::istreambuf_iterator<char>(bytes), std::istreambuf_iterator<char>());
  }
  EXPECT_EQ(pictures.size(), static_cast<std::size_t>(PaperPage::count)) << "each another one";
  const Said said = say(command + (folder / "no.png").string() + " --panel paper:table5");
  EXPECT_EQ(said.code, 2);
  EXPECT_THAT(said.text,
              HasSubstr("the paper has no such page; choose one of paper:table1, paper:lengths, paper:operator"));
  EXPECT_FALSE(std::filesystem::exists(folder / "no.png"));
}

TEST(Program, a_picture_for_print_has_the_size_and_the_words_that_were_asked_for) {
  TemporaryFolder folder;
  write_synthetic_database(folder / "a.db", 6, 20);
  const std::string command = kWindow + " " + (folder / "a.db").string();
  const auto picture = [&](const std::string& name, const std::string& options) {
    const Said said = say(command + " --picture " + (folder / name).string() + " " + options);
    EXPECT_EQ(said.code, 0) << said.text;
    std::ifstream bytes(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(bytes), {});
  };
  const std::string svg = picture("a.svg", "--panel tflops --width 8.5cm --caption '' --title 'Figure 3'");
  EXPECT_THAT(svg, HasSubstr("width=\"85mm\""));
  const std::string ground = css_colour(dark_theme().panel);
  EXPECT_THAT(svg, testing::Not(HasSubstr(ground)));
  EXPECT_THAT(picture("dark.svg", "--panel tflops --theme dark"), HasSubstr(ground));
  EXPECT_THAT(svg, HasSubstr(">Figure 3<"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("medians")));
  EXPECT_THAT(picture("a.pdf", "--panel map --width 85mm --font-size 7pt"), HasSubstr("/MediaBox [0 0 240.94 "));
  EXPECT_THAT(picture("e.svg", "--panel explore --x w1 --y tflops --where pass=forward"), HasSubstr(">TFLOP/s by w1"));
  const std::vector<std::pair<std::string, std::string>> refused{
      {" --picture b.png --panel tflops", "ends in neither .svg nor .pdf"},
      {" --picture b.svg --panel tflops --width 8.5", "it is not a length between 3 and 100 cm"},
      {" --picture b.svg --panel tflops --width 3cm --font-size 30pt", "leave no room for the plot"},
      {" --picture b.svg --panel explore --where colour=red", "there is no such field"},
      {" --screenshot b.png --width 8cm", "it belongs to --picture or --report"}};
  for (const auto& [options, why] : refused) {
    const Said said = say(command + options);
    EXPECT_EQ(said.code, 2) << options;
    EXPECT_THAT(said.text, HasSubstr(why));
  }
}

TEST(Program, a_report_has_the_training_steps_beside_the_reference) {
  TemporaryFolder folder;
  const Said said = say(kWindow + " " + recorded_file() + " --sweep 1 --report " + (folder / "out").string());
  EXPECT_EQ(said.code, 0) << said.text;
  std::ifstream steps(folder / "out" / "steps.csv"), rows(folder / "out" / "latency.csv");
  const std::string of_steps(std::istreambuf_iterator<char>(steps), {});
  EXPECT_THAT(of_steps, testing::ContainsRegex("FlashAttention-3,▼ 1[.][0-9]*× longer,1[.][0-9]* to 1[.][0-9]*,yes,"));
  const std::string of_rows(std::istreambuf_iterator<char>(rows), {});
  EXPECT_THAT(of_rows, HasSubstr("forward its interval"));
}

TEST(Program, a_report_does_not_replace_vector_pictures_of_others) {
  TemporaryFolder folder;
  write_synthetic_database(folder / "a.db", 6, 20);
  std::filesystem::create_directory(folder / "out");
  for (const auto& [name, kind] : {std::pair{"tflops.svg", "an SVG picture"}, {"tflops.pdf", "a PDF"}}) {
    std::ofstream(folder / "out" / name) << "notes of somebody\n";
    const Said said = say(kWindow + " " + (folder / "a.db").string() + " --report " + (folder / "out").string());
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.text, HasSubstr(std::string(name) + "'")) << said.text;
    EXPECT_THAT(said.text, HasSubstr(std::string("it is not ") + kind));
    std::ifstream left(folder / "out" / name);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(left), {}), "notes of somebody\n");
    std::filesystem::remove(folder / "out" / name);
  }
}

// Damages the page on which the table of samples begins.
void damage_samples(const std::filesystem::path& file) {
  std::size_t page = 0;
  {
    const SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
    SQLite::Statement query(database, "SELECT rootpage FROM sqlite_schema WHERE name = 'sample'");
    ASSERT_TRUE(query.executeStep());
    page = static_cast<std::size_t>(query.getColumn(0).getInt64());
  }
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekg(16);
  const int high = bytes.get(), low = bytes.get();
  bytes.seekp(static_cast<std::streamoff>((page - 1) * static_cast<std::size_t>(256 * high + low)));
  bytes << std::string(64, '\xff') << std::flush;
}

// `file` must be the default database: of others triscope-check-file finds the damage before anything is read.
void expect_refused(const std::filesystem::path& file, const std::string& wish) {
  const std::filesystem::path data = file.parent_path().parent_path();
  const Said said = say("XDG_DATA_HOME=" + data.string() + " " + kWindow + " " + file.string() + wish);
  EXPECT_EQ(said.code, 3) << said.text;
  EXPECT_THAT(said.text, HasSubstr("cannot read the database")) << wish;
  EXPECT_EQ(std::count(said.text.begin(), said.text.end(), '\n'), 1) << said.text;
}

// Rows are read first and shown, then the samples.
TEST(Program, no_picture_and_no_report_is_made_of_what_was_read_by_half) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "triscope" / "results.db";
  std::filesystem::create_directory(folder / "triscope");
  std::filesystem::copy_file(recorded_file(), file);  // its rows are compared by their samples
  std::filesystem::permissions(file, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  damage_samples(file);
  expect_refused(file, " --screenshot " + (folder / "a.png").string());
  expect_refused(file, " --report " + (folder / "out").string());
  EXPECT_FALSE(std::filesystem::exists(folder / "a.png"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Program, no_picture_is_made_where_only_the_samples_of_the_selected_row_are_read_and_damaged) {
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "triscope" / "results.db";
  std::filesystem::create_directory(folder / "triscope");
  write_synthetic_database(file, 6, 20);  // no two of its rows are compared by their samples
  damage_samples(file);
  expect_refused(file, " --screenshot " + (folder / "a.png").string());
  EXPECT_FALSE(std::filesystem::exists(folder / "a.png"));
}

}  // namespace
}  // namespace triscope
