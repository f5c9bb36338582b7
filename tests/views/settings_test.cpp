// The window's settings, kept in a file.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>
#include <random>

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

TEST(Settings, an_older_file_that_was_set_aside_stays) {
  TemporaryFolder folder;
  for (const char* const text : {"{ first", "{ second", "{ third"}) {
    folder.write("window.json", text);
    (void)load_settings(folder.path());
  }
  EXPECT_EQ(read_bytes(folder / "window.json.unreadable"), "{ first");
  EXPECT_EQ(read_bytes(folder / "window.json.unreadable.2"), "{ second");
  EXPECT_EQ(read_bytes(folder / "window.json.unreadable.3"), "{ third");
}

TEST(Settings, that_cannot_be_set_aside_are_not_said_to_be) {
  TemporaryFolder folder;
  folder.write("window.json.unreadable", "");
  for (int n = 2; n <= 100; ++n) folder.write("window.json.unreadable." + std::to_string(n), "");
  folder.write("window.json", "{ not json");
  const std::string problem = load_settings(folder.path()).problem;
  EXPECT_THAT(problem, testing::HasSubstr("window.json could not be set aside (there are 100 older ones)"));
  EXPECT_THAT(problem, testing::Not(testing::HasSubstr("was kept as")));
  EXPECT_EQ(read_bytes(folder / "window.json"), "{ not json");
}

TEST(Settings, come_back_as_they_were) {
  TemporaryFolder folder;
  StoredSettings stored;
  stored.settings.theme = ThemeChoice::light;
  stored.settings.scale = 1.5F;
  stored.settings.visible[static_cast<std::size_t>(Panel::log)] = false;
  stored.settings.recent_databases = {"/a.db"};
  stored.settings.explore_views = {{"energy", {"ms", "joules", "window", "", "kernel~hopper", true, "form"}}};
  stored.settings.print_size = {8.5, 6.25, 7, true, true, false, true};
  stored.settings.chart_endings = {".pdf", ".svg", ".txt"};
  stored.framed_keeps = FramedKeeps::distances;
  stored.layout = "[Window][x]\n";
  save_settings(folder.path(), stored);
  const StoredSettings back = load_settings(folder.path());
  EXPECT_EQ(back.problem, "");
  EXPECT_EQ(back.framed_keeps, FramedKeeps::distances);
  EXPECT_EQ(back.settings.print_size, stored.settings.print_size);
  EXPECT_EQ(back.settings.chart_endings, stored.settings.chart_endings);
  EXPECT_EQ(back.settings.theme, ThemeChoice::light);
  EXPECT_EQ(back.settings.scale, 1.5F);
  EXPECT_FALSE(back.settings.visible[static_cast<std::size_t>(Panel::log)]);
  EXPECT_EQ(back.layout, stored.layout);
  ASSERT_EQ(back.settings.explore_views.size(), 1U);
  EXPECT_EQ(back.settings.explore_views[0].name, "energy");
  EXPECT_EQ(back.settings.explore_views[0].query, stored.settings.explore_views[0].query);
}

TEST(Settings, a_caption_is_never_the_format_of_a_picture) {
  TemporaryFolder folder;
  folder.write("window.json", R"({"chart_endings": [".txt", ".exe"]})");
  EXPECT_EQ(load_settings(folder.path()).settings.chart_endings, (std::vector<std::string>{".png", ".txt"}));
}

TEST(Settings, what_the_form_says_of_the_machine_comes_back_at_the_next_start) {
  fixture::WindowOnDatabase window(3);
  const auto restart = [&] {
    window.start(window.folder / "test.db");
    window.stage->settle();
  };
  restart();
  SetupForm form = window.application().ui().form;
  form.seq_lens = "4096";
  form.counters = true;  // the invented machine has no GPU: they wait for one
  form.excluded_kernels = {"cpu.fast", "not.here"};
  window.application().ui().form = form;
  restart();
  EXPECT_TRUE(window.application().ui().form == form);
  form.seq_lens = "none";  // what cannot be read is not kept; what was chosen is
  window.application().ui().form = form;
  restart();
  EXPECT_TRUE(window.application().ui().form.counters);
  EXPECT_EQ(window.application().ui().form.excluded_kernels, form.excluded_kernels);
}

TEST(Settings, paths_that_are_no_utf8_come_back_as_they_were) {
  TemporaryFolder folder;
  StoredSettings stored;
  stored.settings.last_database = "/tmp/r\xe9.db";
  stored.settings.recent_databases = {"/tmp/r\xe9.db", "/tmp/ré.db"};
  stored.settings.explore_databases = {"/tmp/o\xe9.db"};
  save_settings(folder.path(), stored);
  const StoredSettings back = load_settings(folder.path());
  EXPECT_EQ(back.problem, "");
  EXPECT_EQ(back.settings.last_database, stored.settings.last_database);
  EXPECT_EQ(back.settings.recent_databases, stored.settings.recent_databases);
  EXPECT_EQ(back.settings.explore_databases, stored.settings.explore_databases);
}

TEST(Settings, a_text_that_is_no_utf8_keeps_no_other_setting_from_being_written) {
  TemporaryFolder folder;
  StoredSettings stored;
  stored.settings.scale = 1.5F;
  stored.settings.explore_views = {{"half \xc3", {}}};
  save_settings(folder.path(), stored);
  const StoredSettings back = load_settings(folder.path());
  EXPECT_EQ(back.problem, "");
  EXPECT_EQ(back.settings.scale, 1.5F);
  ASSERT_EQ(back.settings.explore_views.size(), 1U);
  EXPECT_EQ(back.settings.explore_views[0].name, "half \xef\xbf\xbd");
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

/// Puts something that is no file there.
using Maker = void (*)(const std::filesystem::path&);
const std::pair<const char*, Maker> kNoFiles[] = {
    {"pipe", [](const std::filesystem::path& place) { ASSERT_EQ(mkfifo(place.c_str(), 0600), 0); }},
    {"folder", [](const std::filesystem::path& place) { std::filesystem::create_directories(place / "a"); }},
    {"endless device", [](const std::filesystem::path& place) { std::filesystem::create_symlink("/dev/zero", place); }},
    {"terminal", [](const std::filesystem::path& place) { std::filesystem::create_symlink("/dev/ptmx", place); }},
    {"socket",
     [](const std::filesystem::path& place) {
       const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
       sockaddr_un address{AF_UNIX, ""};
       place.string().copy(address.sun_path, sizeof address.sun_path - 1);
       ASSERT_EQ(bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
       close(socket);
     }},
};

TEST(Settings, that_are_no_file_are_set_aside_and_nobody_waits_for_them) {
  for (const auto& [what, make] : kNoFiles) {
    SCOPED_TRACE(what);
    TemporaryFolder folder;
    make(folder / "window.json");
    EXPECT_THAT(load_settings(folder.path()).problem, testing::HasSubstr("could not be read"));
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(folder / "window.json")));
  }
}

TEST(Settings, are_not_written_into_what_is_no_file) {
  for (const auto& [what, make] : kNoFiles) {
    for (const char* const name : {"window.json", "layout.ini"}) {
      SCOPED_TRACE(std::string(what) + " as " + name);
      TemporaryFolder folder;
      const std::filesystem::path file = folder / name;
      make(file);
      // Without its reader the window would wait for it.
      const int reader = std::filesystem::is_fifo(file) ? open(file.c_str(), O_RDONLY | O_NONBLOCK) : -1;
      save_settings(folder.path(), {});
      if (reader >= 0) close(reader);
      EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file)));
      EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(file.string() + ".unreadable")));
    }
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

TEST(Settings, a_layout_of_random_bytes_is_set_aside_whatever_else_is_there) {
  std::string bytes(4096, ' ');
  std::minstd_rand random(7);
  for (char& byte : bytes) byte = static_cast<char>(random());
  for (const char* const settings : {"", "{ not json", R"({"layout_version": 0, "scale": 1.5})"}) {
    SCOPED_TRACE(settings);
    TemporaryFolder folder;
    if (*settings != '\0') folder.write("window.json", settings);
    folder.write("layout.ini", bytes);
    const StoredSettings stored = load_settings(folder.path());
    EXPECT_EQ(stored.layout, "");
    EXPECT_THAT(stored.problem, testing::HasSubstr("The layout in " + (folder / "layout.ini").string()));
    EXPECT_TRUE(read_bytes(folder / "layout.ini.unreadable") == bytes);
  }
}

TEST(Settings, a_layout_that_is_no_file_costs_no_other_setting) {
  for (const auto& [what, make] : kNoFiles) {
    SCOPED_TRACE(what);
    TemporaryFolder folder;
    StoredSettings kept;
    kept.settings.scale = 1.5F;
    save_settings(folder.path(), kept);
    std::filesystem::remove(folder / "layout.ini");
    make(folder / "layout.ini");
    const StoredSettings stored = load_settings(folder.path());
    EXPECT_EQ(stored.settings.scale, 1.5F);
    EXPECT_THAT(stored.problem, testing::HasSubstr("The layout in"));
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(folder / "layout.ini.unreadable")));
  }
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
