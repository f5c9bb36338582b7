#include "app/window/desktop/settings_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "kernels/base/atomic_file.hpp"
#include "kernels/base/error.hpp"

namespace triscope {
namespace {

constexpr std::array kThemeNames{"system", "dark", "light"};

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// JSON holds UTF-8 only, a file name any bytes: one that is no UTF-8 is kept as the list of its bytes.
nlohmann::json json_of_path(const std::string& path) {
  try {
    (void)nlohmann::json(path).dump();
    return path;
  } catch (const nlohmann::json::type_error&) {
    return std::vector<unsigned char>(path.begin(), path.end());
  }
}

std::string path_of_json(const nlohmann::json& json) {
  if (!json.is_array()) return json.get<std::string>();
  const auto bytes = json.get<std::vector<unsigned char>>();
  return {bytes.begin(), bytes.end()};
}

void from_json(const nlohmann::json& json, StoredSettings& stored) {
  Settings& settings = stored.settings;
  const std::string theme = json.value("theme", "system");
  const auto found = std::find(kThemeNames.begin(), kThemeNames.end(), theme);
  if (found != kThemeNames.end()) settings.theme = static_cast<ThemeChoice>(found - kThemeNames.begin());
  settings.scale = std::clamp(json.value("scale", 1.0F), kSmallestScale, kLargestScale);
  settings.tolerance = std::clamp(json.value("tolerance", 0.005), 0.0, 0.5);
  if (json.contains("last_database")) settings.last_database = path_of_json(json["last_database"]);
  settings.offer_recorded = json.value("offer_recorded", true);
  for (const nlohmann::json& path : json.value("recent_databases", nlohmann::json::array()))
    settings.recent_databases.push_back(path_of_json(path));
  for (const std::string& id : json.value("hidden_panels", std::vector<std::string>{})) {
    if (const PanelInfo* info = find_panel(id)) settings.visible[static_cast<std::size_t>(info->panel)] = false;
  }
  if (json.contains("request")) stored.request_json = json["request"].dump();
}

nlohmann::json to_json(const StoredSettings& stored) {
  const Settings& settings = stored.settings;
  nlohmann::json json{{"theme", kThemeNames[static_cast<std::size_t>(settings.theme)]},
                      {"scale", std::round(settings.scale * 100) / 100.0},
                      {"tolerance", settings.tolerance},
                      {"last_database", json_of_path(settings.last_database)},
                      {"offer_recorded", settings.offer_recorded},
                      {"recent_databases", nlohmann::json::array()},
                      {"layout_version", kLayoutVersion},
                      {"hidden_panels", nlohmann::json::array()}};
  for (const std::string& path : settings.recent_databases) json["recent_databases"].push_back(json_of_path(path));
  for (const PanelInfo& info : panels()) {
    if (!settings.visible[static_cast<std::size_t>(info.panel)]) json["hidden_panels"].push_back(info.id);
  }
  if (!stored.request_json.empty()) json["request"] = nlohmann::json::parse(stored.request_json);
  return json;
}

}  // namespace

std::filesystem::path settings_folder() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config && *config)
    return std::filesystem::path(config) / "triscope";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::filesystem::path(home) / ".config" / "triscope";
  return {};
}

StoredSettings load_settings(const std::filesystem::path& folder) {
  StoredSettings stored;
  if (folder.empty()) return stored;
  const std::filesystem::path file = folder / "window.json";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return stored;
  try {
    const nlohmann::json json = nlohmann::json::parse(read_text(file));
    from_json(json, stored);
    if (json.value("layout_version", 0) == kLayoutVersion) stored.layout = read_text(folder / "layout.ini");
  } catch (const std::exception&) {
    stored = {};
    std::filesystem::path kept = file;
    kept += ".unreadable";
    std::filesystem::rename(file, kept, error);
    stored.problem =
        fmt::format("The settings in {} could not be read, so the defaults are used; the old file was kept as {}.",
                    file.string(), kept.filename().string());
  }
  return stored;
}

void save_settings(const std::filesystem::path& folder, const StoredSettings& stored) {
  if (folder.empty()) return;
  std::error_code error;  // what is wrong with the folder shows when the files are written
  std::filesystem::create_directories(folder, error);
  write_whole_file(folder / "window.json", to_json(stored).dump(2) + "\n");
  write_whole_file(folder / "layout.ini", stored.layout);
}

}  // namespace triscope
