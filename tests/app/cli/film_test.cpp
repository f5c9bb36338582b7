// `triscope inspect --film`: numbered pictures with one size and one range of colours.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "tests/app/cli/program.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kFilmed{"inspect",    "--source", "peaked",    "--seq", "40",     "--q-heads", "2",
                                       "--head-dim", "8",        "--windows", "12x5",  "--head", "1"};

std::vector<std::string> film_of(std::vector<std::string> more) {
  more.insert(more.begin(), kFilmed.begin(), kFilmed.end());
  return more;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return {names.begin(), names.end()};
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Width and height stand in the header of a PNG; a whole one ends with its last chunk.
std::string size_in_png(const std::string& png) {
  EXPECT_EQ(png.substr(0, 4), "\x89PNG");
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
  return png.substr(16, 8);
}

TEST(Film, pictures_of_all_queries_have_one_size_and_the_colours_of_the_strongest) {
  const TemporaryFolder folder;
  const ProgramResult film =
      run_triscope(film_of({"--film", (folder / "scrub").string(), "--queries", "1..38/3", "--format", "json"}));
  ASSERT_EQ(film.exit_code, 0) << film.errors;
  const auto said = nlohmann::json::parse(film.output);
  EXPECT_EQ(said["pictures"], 13);
  EXPECT_EQ(said["stopped"], false);
  double largest = 0;
  for (std::int64_t query = 1; query <= 37; query += 3) {
    const std::string file = (folder / "alone.png").string();
    const ProgramResult one = run_triscope(film_of({"--query", std::to_string(query), "-o", file, "--format", "json"}));
    ASSERT_EQ(one.exit_code, 0) << one.errors;
    largest = std::max(largest, nlohmann::json::parse(one.output)["largest_p"].get<double>());
  }
  EXPECT_NEAR(said["p_high"].get<double>(), largest, 1e-9);
  EXPECT_NEAR(said["p_low"].get<double>(), largest * 1e-6, 1e-12);
  ASSERT_EQ(names_in(folder / "scrub").size(), 13U);
  std::set<std::string> sizes, pictures;
  for (std::int64_t n = 0; n < 13; ++n) {
    const std::string picture = bytes_of(folder / fmt::format("scrub/{:04}.png", n + 1));
    sizes.insert(size_in_png(picture));
    pictures.insert(picture);
  }
  EXPECT_EQ(sizes.size(), 1U);
  EXPECT_EQ(pictures.size(), 13U) << "each says its query";
}

TEST(Film, what_is_printed_says_where_it_is_how_it_is_coloured_and_what_makes_a_video) {
  const TemporaryFolder folder;
  const std::string scrub = (folder / "a 100% scrub").string();
  const ProgramResult film = run_triscope(film_of({"--film", scrub, "--queries", "20..21", "--linear"}));
  ASSERT_EQ(film.exit_code, 0) << film.errors;
  EXPECT_THAT(film.output, AllOf(HasSubstr("2 pictures of 724 x 278 pixels"), HasSubstr("queries 20 to 21, head 1"),
                                 HasSubstr("p from 0 to 0.")));
  EXPECT_THAT(film.output, HasSubstr(fmt::format("ffmpeg -framerate 25 -i '{1}/%04d.png' -vf "
                                                 "scale=1448:556:flags=neighbor -c:v libx264 -crf 18 -pix_fmt yuv420p "
                                                 "'{0}/film.mp4'\n",
                                                 scrub, (folder / "a 100%% scrub").string())));
  EXPECT_THAT(names_in(scrub), ElementsAre("0001.png", "0002.png"));
}

TEST(Film, ctrl_c_keeps_the_pictures_that_are_there_and_says_how_many) {
  const TemporaryFolder folder;
  Program program(program_path("triscope"),
                  {"inspect", "--source", "random", "--seq", "4000", "--windows", "256x64", "--film",
                   (folder / "scrub").string(), "--queries", "400..800", "--format", "json"});
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!std::filesystem::exists(folder / "scrub" / "0003.png") && program.running() &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(program.pid(), SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_EQ(result.exit_code, 1) << result.errors;
  const auto said = nlohmann::json::parse(result.output);
  EXPECT_EQ(said["stopped"], true);
  const std::vector<std::string> names = names_in(folder / "scrub");
  EXPECT_GE(names.size(), 3U);
  EXPECT_LT(names.size(), 401U);
  EXPECT_EQ(said["pictures"], names.size());
  for (const std::string& name : names) size_in_png(bytes_of(folder / "scrub" / name));
}

TEST(Film, a_stop_before_the_first_picture_leaves_no_folder) {
  for (const int wait_ms : {0, 700}) {  // while tensors are made, and while the range of colours is sought
    const TemporaryFolder folder;
    Program program(program_path("triscope"),
                    {"inspect", "--source", "random", "--seq", "4000", "--windows", "1024x512", "--film",
                     (folder / "scrub").string(), "--queries", "1000..2999"});
    while (!std::filesystem::exists(folder / "scrub") && program.running())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    EXPECT_TRUE(program.running());
    ::kill(program.pid(), SIGINT);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exit_code, 1) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(folder / "scrub"));
  }
}

TEST(Film, a_folder_with_something_in_it_or_that_cannot_be_made_is_refused) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::filesystem::path& film, int code, const char* why) {
    const ProgramResult result = run_triscope(film_of({"--film", film.string(), "--queries", "20..21"}));
    EXPECT_EQ(result.exit_code, code) << result.output;
    EXPECT_THAT(result.errors, HasSubstr(why));
  };
  std::filesystem::create_directory(folder / "full");
  std::ofstream(folder / "full" / "notes.txt") << "mine\n";
  refused(folder / "full", 2, "there is something in it");
  EXPECT_THAT(names_in(folder / "full"), ElementsAre("notes.txt"));
  refused(folder / "full" / "notes.txt", 3, "cannot hold a film");
  refused(folder / "no" / "such", 3, "cannot hold a film");
  EXPECT_FALSE(std::filesystem::exists(folder / "no"));
  std::filesystem::create_directory(folder / "empty");
  EXPECT_EQ(run_triscope(film_of({"--film", (folder / "empty").string(), "--queries", "20..21"})).exit_code, 0);
  EXPECT_EQ(names_in(folder / "empty").size(), 2U);
}

TEST(Film, a_command_that_fails_before_the_first_picture_takes_its_folder_away) {
  const TemporaryFolder folder;
  const std::string scrub = (folder / "scrub").string();
  const auto refused = [&](std::vector<std::string> arguments, const char* why) {
    const ProgramResult result = run_triscope(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.errors, HasSubstr(why));
    EXPECT_FALSE(std::filesystem::exists(scrub));
  };
  refused({"inspect", "--source", "random", "--seq", "8192", "--head-dim", "4", "--q-heads", "1", "--windows",
           "8192x8192", "--film", scrub, "--queries", "2..3"},
          "a picture of 8192 x 8192 cells is too large");
  refused(film_of({"--film", scrub, "--queries", "20..40"}), "the tensors have 40 tokens");
  refused(film_of({"--film", scrub, "--queries", "21..20"}), "the last query comes before the first");
  refused(film_of({"--film", scrub, "--queries", "0..2000"}), "these are 2001 pictures, and at most 2000 are made");
  refused(film_of({"--film", scrub, "--queries", "20"}), "this is no range of queries");
  refused(film_of({"--film", scrub, "--queries", "20..30/0"}), "--queries");
  refused(film_of({"--film", scrub}), "--queries is missing");
  refused(film_of({"--film", "", "--queries", "20..21"}), "the name is empty");
  refused(film_of({"--queries", "20..21"}), "add --film DIR");
  for (const char* other : {"--query", "--top", "--kernel", "--out", "--find"})
    refused(film_of({"--film", scrub, "--queries", "20..21", other, "3"}), "cannot be used");
}

}  // namespace
}  // namespace triscope
