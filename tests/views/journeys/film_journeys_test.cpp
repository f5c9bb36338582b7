// Films of the attention panel, with a real worker: the question, the pictures, a stop, and what goes wrong.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "tests/views/journeys/attention_journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"

namespace triscope {
namespace {

using fixture::AttentionJourney;

class FilmJourney : public AttentionJourney {
 protected:
  static std::filesystem::path folder() { return world().folder / "scrub"; }
  static std::vector<std::string> names() {
    std::vector<std::string> found;
    if (!std::filesystem::exists(folder())) return found;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }
  static bool asks() { return ui().path.waiting && std::holds_alternative<ask::SaveFilm>(*ui().path.waiting); }
  static FilmQueries& asked() { return *std::get<ask::SaveFilm>(*ui().path.waiting).queries; }
  static std::string saved() {
    const auto notice = std::ranges::find(data().notices, NoticeId::saved, &Notice::id);
    return notice == data().notices.end() ? std::string() : notice->text;
  }
  /// Opens the question and types the queries.
  static void ask_for(ImGuiTestContext* c, int first, int last, int step) {
    c->ItemClick("//**/###film");
    c->Yield(3);
    IM_CHECK(asks());
    // The list of files makes the question larger, which moves its fields.
    until(c, [] { return data().folder && ui().path.listed == data().folder->asked; });
    c->Yield(3);
    c->SetRef("//$FOCUSED");
    c->ItemInputValue("##film_first", first);
    c->ItemInputValue("##film_last", last);
    c->ItemInputValue("##film_step", step);
  }
  /// Types the folder's name, with Enter.
  static void name_folder(ImGuiTestContext* c) {
    c->ItemInput("##path");
    c->KeyCharsReplaceEnter(folder().c_str());
    c->Yield(2);
  }
};

TEST_F(FilmJourney, a_walk_is_saved_as_pictures_and_a_folder_that_holds_some_is_refused) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/###film");
    c->Yield(3);
    IM_CHECK(asks());
    IM_CHECK_EQ(asked().first, attention().query);
    IM_CHECK_EQ(asked().count(), std::min<std::int64_t>(100, side().source->seq_len - attention().query));
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
    IM_CHECK(!asks() && !std::filesystem::exists(folder()));

    ask_for(c, 600, 608, 0);
    name_folder(c);
    IM_CHECK(asks() && !std::filesystem::exists(folder()));  // a step of 0: Enter is not taken
    c->ItemInputValue("##film_step", 4);
    name_folder(c);
    wait(c);
    IM_CHECK((names() == std::vector<std::string>{"0001.png", "0002.png", "0003.png"}));
    IM_CHECK(saved().starts_with("Saved 3 pictures of "));
    IM_CHECK(!data().attention.film.running);
    const auto bytes = [](const char* name) {
      std::ifstream stream(folder() / name, std::ios::binary);
      return std::string{std::istreambuf_iterator<char>(stream), {}};
    };
    IM_CHECK(bytes("0001.png").size() > 500 && bytes("0001.png") != bytes("0002.png"));
    const std::string before = bytes("0001.png");

    ask_for(c, 700, 701, 1);
    name_folder(c);
    wait(c);
    IM_CHECK(asks());  // with the same queries
    IM_CHECK_EQ(asked().first, 700);
    IM_CHECK(ui().path.problem.find("there is something in it") != std::string::npos);
    IM_CHECK_EQ(names().size(), 3U);
    IM_CHECK(bytes("0001.png") == before);
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
    IM_CHECK(!asks());
  });
}

TEST_F(FilmJourney, only_folders_are_listed_where_a_folder_is_asked_for) {
  travel([](ImGuiTestContext* c) {
    std::filesystem::create_directory(world().folder / "older");
    std::ofstream(world().folder / "picture.png") << "of something else";
    open(c);
    ui().path.all_files = true;  // as the question before left it
    c->ItemClick("//**/###film");
    c->Yield(2);
    ui().path.text = folder().string();
    until(c, [] { return data().folder && data().folder->folder == world().folder.path().string() + "/"; });
    c->Yield(3);
    const std::string text = fixture::drawn_text(c);
    IM_CHECK(fixture::says(text, "older/"));
    IM_CHECK(!fixture::says(text, "picture.png") && !fixture::says(text, "All files"));
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
  });
}

TEST_F(FilmJourney, a_film_is_stopped_by_its_button_and_keeps_its_pictures) {
  travel([](ImGuiTestContext* c) {
    open(c);
    ask_for(c, 0, 900, 1);
    name_folder(c);
    until(c, [] { return data().attention.film.written > 1; });
    c->ItemClick("//**/###film");
    wait(c);
    IM_CHECK(!data().attention.film.running);
    const std::size_t written = names().size();
    IM_CHECK(written > 1 && written < 901);
    const std::string stopped =
        fmt::format("Stopped: {} of 901 pictures are in {} and stay.", written, folder().string());
    IM_CHECK_STR_EQ(saved().c_str(), stopped.c_str());
  });
}

TEST_F(FilmJourney, the_time_left_stands_on_the_button_and_a_full_disk_is_said_with_what_is_there) {
  travel([](ImGuiTestContext* c) {
    open(c);
    ask_for(c, 0, 900, 1);
    name_folder(c);
    until(c, [] { return data().attention.film.written > 1; });
    IM_CHECK(data().attention.film.seconds_left && data().attention.film.total == 2 * 901);
    c->Yield(2);
    IM_CHECK(std::string(c->ItemInfo("//**/###film").DebugLabel).find(" left") != std::string::npos);
    auto* const old_handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit old{}, none{};
    getrlimit(RLIMIT_FSIZE, &old);
    none = old;
    none.rlim_cur = 16;  // what a full disk does to a write
    setrlimit(RLIMIT_FSIZE, &none);
    until(c, [] { return !data().attention.film.running; });
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, old_handler);
    wait(c);
    const std::size_t written = names().size();
    IM_CHECK(written > 1 && written < 901);
    const std::string said = saved();
    IM_CHECK(said.starts_with(fmt::format("cannot write '{}/", folder().string())));
    IM_CHECK(said.ends_with(fmt::format("{} of 901 pictures are in {} and stay.", written, folder().string())));
  });
}

TEST_F(FilmJourney, a_folder_that_cannot_be_made_is_said_where_it_is_asked_for) {
  travel([](ImGuiTestContext* c) {
    open(c);
    ask_for(c, 0, 3, 1);
    c->ItemInput("##path");
    c->KeyCharsReplaceEnter("/proc/scrub");
    wait(c);
    IM_CHECK(asks());
    IM_CHECK_EQ(asked().last, 3);
    IM_CHECK(ui().path.problem.starts_with("the folder '/proc/scrub' cannot hold a film: "));
    IM_CHECK_STR_EQ(ui().path.text.c_str(), "/proc/scrub");  // to be corrected
  });
}

}  // namespace
}  // namespace triscope
