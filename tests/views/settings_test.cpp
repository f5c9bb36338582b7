// The window's settings, kept in a file.
#include <gmock/gmock.h>

#include <fstream>

#include "app/window/desktop/settings_file.hpp"
#include "tests/temporary_folder.hpp"

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
  stored.layout = "[Window][x]\n";
  save_settings(folder.path(), stored);
  const StoredSettings back = load_settings(folder.path());
  EXPECT_EQ(back.problem, "");
  EXPECT_EQ(back.settings.theme, ThemeChoice::light);
  EXPECT_EQ(back.settings.scale, 1.5F);
  EXPECT_FALSE(back.settings.visible[static_cast<std::size_t>(Panel::log)]);
  EXPECT_EQ(back.layout, stored.layout);
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

}  // namespace
}  // namespace triscope
