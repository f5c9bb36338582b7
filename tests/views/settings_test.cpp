// The window's settings, kept in a file.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "app/window/desktop/layout_check.hpp"
#include "app/window/desktop/settings_file.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/views/window_fixture.hpp"

namespace triscope {
namespace {

TEST(Settings, what_cannot_be_read_is_kept_and_named) {
  TemporaryFolder folder;
  { std::ofstream(folder / "window.json") << "{ not json"; }
  const StoredSettings stored = load_settings(folder.path());
  EXPECT_THAT(stored.problem, testing::HasSubstr("could not be read"));
  EXPECT_TRUE(std::filesystem::exists(folder / "window.json.unreadable"));
  EXPECT_EQ(stored.settings.scale, 1);
}

TEST(Settings, come_back_as_they_were) {
  TemporaryFolder folder;
  StoredSettings stored;
  stored.settings.theme = ThemeChoice::light;
  stored.settings.scale = 1.5F;
  stored.settings.visible[static_cast<std::size_t>(Panel::log)] = false;
  stored.settings.recent_databases = {"/a.db"};
  stored.settings.explore_views = {{"energy", {"ms", "joules", "window", "", "kernel~hopper", true, "form"}}};
  stored.layout = "[Window][x]\n";
  save_settings(folder.path(), stored);
  const StoredSettings back = load_settings(folder.path());
  EXPECT_EQ(back.problem, "");
  EXPECT_EQ(back.settings.theme, ThemeChoice::light);
  EXPECT_EQ(back.settings.scale, 1.5F);
  EXPECT_FALSE(back.settings.visible[static_cast<std::size_t>(Panel::log)]);
  EXPECT_EQ(back.layout, stored.layout);
  ASSERT_EQ(back.settings.explore_views.size(), 1U);
  EXPECT_EQ(back.settings.explore_views[0].name, "energy");
  EXPECT_EQ(back.settings.explore_views[0].query, stored.settings.explore_views[0].query);
}

TEST(Settings, paths_that_are_no_utf8_come_back_as_they_were) {
  TemporaryFolder folder;
  StoredSettings stored;
  stored.settings.last_database = "/tmp/r\xe9.db";
  stored.settings.recent_databases = {"/tmp/r\xe9.db", "/tmp/ré.db"};
  save_settings(folder.path(), stored);
  const StoredSettings back = load_settings(folder.path());
  EXPECT_EQ(back.problem, "");
  EXPECT_EQ(back.settings.last_database, stored.settings.last_database);
  EXPECT_EQ(back.settings.recent_databases, stored.settings.recent_databases);
}

TEST(Settings, remember_a_database_by_its_whole_path) {
  fixture::WindowOnDatabase window(3);
  const std::filesystem::path whole = window.folder / "test.db";
  window.start(std::filesystem::relative(whole));
  window.stage->settle();
  const Settings& settings = window.application().ui().settings;
  ASSERT_EQ(settings.recent_databases.size(), 1u) << "one file is listed once";
  EXPECT_EQ(settings.last_database, settings.recent_databases.front());
  EXPECT_TRUE(std::filesystem::path(settings.last_database).is_absolute()) << settings.last_database;
  EXPECT_TRUE(std::filesystem::equivalent(settings.last_database, whole));
}

TEST(Settings, of_200000_brackets_are_set_aside) {
  TemporaryFolder folder;
  folder.write("window.json", R"({"request":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}");
  EXPECT_THAT(load_settings(folder.path()).problem, testing::HasSubstr("could not be read"));
  EXPECT_TRUE(std::filesystem::exists(folder / "window.json.unreadable"));
}

/// A window on an empty database whose settings folder holds what a test put there.
struct WindowWithSettings {
  fixture::WindowOnDatabase window{0};
  std::filesystem::path folder = window.folder / "config";

  WindowWithSettings() { window.stage.reset(); }
  void write(const char* name, const std::string& text) { std::ofstream(folder / name) << text; }
  void start() {
    window.start(window.folder / "test.db");
    window.stage->settle();
  }
  std::string notice() {
    for (const Notice& notice : window.application().data().notices) {
      if (notice.id == NoticeId::settings) return notice.text;
    }
    return {};
  }
};

TEST(Settings, a_pipe_in_their_place_is_set_aside_and_nobody_waits_for_its_writer) {
  TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "window.json").c_str(), 0600), 0);
  EXPECT_THAT(load_settings(folder.path()).problem, testing::HasSubstr("could not be read"));
  EXPECT_FALSE(std::filesystem::exists(folder / "window.json"));
}

TEST(Settings, are_not_written_into_a_pipe_in_their_place) {
  for (const char* const name : {"window.json", "layout.ini"}) {
    TemporaryFolder folder;
    const std::filesystem::path file = folder / name;
    ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
    const int reader = open(file.c_str(), O_RDONLY | O_NONBLOCK);  // without one the window would wait
    save_settings(folder.path(), {});
    close(reader);
    EXPECT_TRUE(std::filesystem::is_regular_file(file)) << name;
    EXPECT_TRUE(std::filesystem::is_fifo(file.string() + ".unreadable")) << name;
  }
}

TEST(Settings, a_damaged_layout_is_set_aside_and_the_window_starts) {
  int seen = 0;
  for (const auto& file : std::filesystem::directory_iterator(source_file("tests/fuzz/corpus/layout"))) {
    SCOPED_TRACE(file.path().filename());
    if (!file.path().filename().string().starts_with("crash")) continue;
    ++seen;
    WindowWithSettings settings;
    settings.write("layout.ini", read_bytes(file.path()));
    settings.start();
    EXPECT_THAT(settings.notice(), testing::HasSubstr("layout"));
    EXPECT_EQ(read_bytes(settings.folder / "layout.ini.unreadable"), read_bytes(file.path()));
    settings.window.stage.reset();
    EXPECT_EQ(layout_fault(read_bytes(settings.folder / "layout.ini")), "");
  }
  EXPECT_GE(seen, 7);
}

TEST(Settings, a_layout_that_the_window_wrote_comes_back) {
  WindowWithSettings settings;
  settings.start();
  settings.window.stage.reset();
  const std::string written = read_bytes(settings.folder / "layout.ini");
  EXPECT_THAT(written, testing::HasSubstr("DockNode"));
  EXPECT_EQ(layout_fault(written), "");
  settings.start();
  EXPECT_EQ(settings.notice(), "");
}

TEST(Settings, a_start_after_a_crash_is_a_clean_one) {
  WindowWithSettings settings;
  settings.write("starting", "");  // what a start leaves that did not get as far as the window
  settings.write("window.json", R"({"layout_version": 1, "scale": 1.5})");
  settings.start();
  EXPECT_THAT(settings.notice(), testing::HasSubstr("crash"));
  EXPECT_EQ(settings.window.application().ui().settings.scale, 1);
  EXPECT_TRUE(std::filesystem::exists(settings.folder / "window.json.unreadable"));
  EXPECT_FALSE(std::filesystem::exists(settings.folder / "starting"));  // the window stands
}

TEST(Settings, a_second_window_that_starts_meanwhile_is_no_crash) {
  TemporaryFolder folder;
  StartMarker first(folder.path());
  EXPECT_FALSE(first.crashed_before());
  EXPECT_FALSE(StartMarker(folder.path()).crashed_before());
  EXPECT_TRUE(std::filesystem::exists(folder / "starting"));
}

}  // namespace
}  // namespace triscope
