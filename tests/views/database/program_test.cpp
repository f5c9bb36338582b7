// What the window's program says where it opens no window. Options, files and databases that it refuses.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "kernels/tensors/tensor_file.hpp"
#include "tests/views/said.hpp"
#include "tests/views/window_fixture.hpp"

namespace triscope {
namespace {

using fixture::kWindow;
using fixture::Said;
using fixture::say;
using testing::HasSubstr;

TEST(Program, says_what_to_do_without_a_display) {
  const Said said = say("env -u DISPLAY -u WAYLAND_DISPLAY " + kWindow);
  EXPECT_EQ(said.code, 3);
  EXPECT_THAT(said.text, HasSubstr("there is no display"));
  EXPECT_THAT(said.text, HasSubstr("triscope report"));
  EXPECT_EQ(std::count(said.text.begin(), said.text.end(), '\n'), 1);
}

TEST(Program, refuses_options_that_it_would_ignore) {
  for (const std::string option : {"--panel map", "--sweep 2", "--scale 2", "--report /nowhere/r --panel map"}) {
    const Said said = say("env -u DISPLAY -u WAYLAND_DISPLAY " + kWindow + " " + option);
    EXPECT_EQ(said.code, 2) << option;
    EXPECT_THAT(said.text, HasSubstr("--screenshot")) << option;
  }
}

TEST(Program, refuses_what_it_cannot_read_in_one_sentence) {
  TemporaryFolder folder;
  write_synthetic_database(folder / "a.db", 6, 20);
  const std::string picture = " --screenshot " + (folder / "a.png").string();
  for (const std::string& wrong : {picture + " --sweep x", picture + " --theme blak", picture + " --bogus 1",
                                   picture + " --scale nan", picture + " --scale 7", picture + " --panel ''",
                                   std::string(" --screenshot ''"), std::string(" --report ''")}) {
    const Said said = say("timeout 120 " + kWindow + " " + (folder / "a.db").string() + wrong);
    EXPECT_EQ(said.code, 2) << wrong << ": " << said.text;
    EXPECT_THAT(said.text, HasSubstr("the command line cannot be read")) << wrong;
    EXPECT_FALSE(std::filesystem::exists(folder / "a.png")) << wrong;
  }
}

TEST(Program, refuses_a_picture_of_a_database_that_it_cannot_read) {
  TemporaryFolder folder;
  write_synthetic_database(folder / "a.db", 6, 20);
  SQLite::Database((folder / "a.db").string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE sweep SET command = replace(hex(zeroblob(20000000)), '00', 'AA')");
  for (const std::string output : {"--screenshot", "--report"}) {
    const Said said =
        say(kWindow + " " + (folder / "a.db").string() + " " + output + " " + (folder / "a.png").string());
    EXPECT_EQ(said.code, 3);
    EXPECT_THAT(said.text, HasSubstr("a text in it is larger than 32 MiB"));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.png")) << output;
  }
}

TEST(Program, refuses_a_picture_of_a_sweep_that_is_not_there) {
  TemporaryFolder folder;
  write_synthetic_database(folder / "a.db", 6, 20);
  for (const std::string sweep : {"99", "-1", "0"}) {
    const Said said = say(kWindow + " " + (folder / "a.db").string() + " --sweep " + sweep + " --screenshot " +
                          (folder / "a.png").string());
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.text, HasSubstr("there is no sweep " + sweep));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.png"));
  }
}

TEST(Program, a_picture_shows_tensors_of_a_file) {
  TemporaryFolder folder;
  write_synthetic_database(folder / "a.db", 6, 20);
  std::vector<HostTensor> tensors;
  for (const char* name : {"q", "k1", "k2", "v1", "v2"})
    tensors.push_back({name, {1, 64, 2, 8}, std::vector<float>(64 * 2 * 8, 0.5F)});
  write_safetensors(folder / "own.safetensors", tensors);
  const std::string command = kWindow + " " + (folder / "a.db").string() + " --screenshot " +
                              (folder / "a.png").string() + " --size 900x600 --in ";
  const Said missing = say(command + (folder / "none.safetensors").string());
  EXPECT_NE(missing.code, 0);
  EXPECT_THAT(missing.text, HasSubstr("none.safetensors"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.png"));
  const auto refused = [&](const std::string& place, const std::string& why) {
    const Said told = say(command + (folder / "own.safetensors").string() + place);
    EXPECT_EQ(told.code, 2) << told.text;
    EXPECT_THAT(told.text, HasSubstr(why));
    EXPECT_FALSE(std::filesystem::exists(folder / "a.png")) << place;
  };
  refused(" --query 64", "there is no query 64; choose one from 0 to 63");
  refused(" --head 2", "there is no query head 2; choose one from 0 to 1");
  tensors.resize(1);
  write_safetensors(folder / "queries.safetensors", tensors);
  const Said without_keys = say(command + (folder / "queries.safetensors").string());
  EXPECT_NE(without_keys.code, 0);
  EXPECT_THAT(without_keys.text, testing::AllOf(HasSubstr("k1"), testing::Not(HasSubstr("not ready"))));
  const Said said = say(command + (folder / "own.safetensors").string() + " --query 40 --head 1");
  EXPECT_EQ(said.code, 0) << said.text;
  EXPECT_TRUE(std::filesystem::exists(folder / "a.png"));
  EXPECT_EQ(say(kWindow + " --query 3 --screenshot " + (folder / "b.png").string()).code, 2) << "without --in";
}

TEST(Program, a_picture_or_report_of_a_database_that_is_not_there_makes_none) {
  TemporaryFolder folder;
  for (const std::string option : {"--screenshot", "--report"}) {
    const Said said =
        say(kWindow + " " + (folder / "missing.db").string() + " " + option + " " + (folder / "out").string());
    EXPECT_EQ(said.code, 3) << said.text;
    EXPECT_THAT(said.text, HasSubstr("there is no database")) << option;
    EXPECT_FALSE(std::filesystem::exists(folder / "missing.db")) << option;
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << option;
  }
}

TEST(Program, a_picture_or_report_of_what_is_no_database_says_so_in_one_sentence) {
  TemporaryFolder folder;
  folder.write("letter.db", std::string(200, 'x'));
  for (const std::string option : {"--screenshot", "--report"}) {
    const Said said =
        say(kWindow + " " + (folder / "letter.db").string() + " " + option + " " + (folder / "out").string());
    EXPECT_EQ(said.code, 3) << said.text;
    EXPECT_THAT(said.text, testing::EndsWith("letter.db: it is not an SQLite database; check the database.\n"));
  }
}

TEST(Program, a_report_says_why_its_folder_cannot_be_created) {
  TemporaryFolder folder;
  write_synthetic_database(folder / "a.db", 6, 20);
  std::ofstream(folder / "letter") << "a file in the way";
  const Said said =
      say(kWindow + " " + (folder / "a.db").string() + " --report " + (folder / "letter" / "out").string());
  EXPECT_EQ(said.code, 3) << said.text;
  EXPECT_THAT(said.text, HasSubstr("letter/out cannot be created: Not a directory"));
}

}  // namespace
}  // namespace triscope
