#include "app/window/desktop/settings_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/window/desktop/layout_check.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "profiler/record/bounded_json.hpp"

namespace triscope {
namespace {

constexpr std::array kThemeNames{"system", "dark", "light"};
constexpr std::array kKeepsNames{"as_framed", "positions", "distances"};

std::string read_text(const std::filesystem::path& file) {
  constexpr std::size_t kMost = 1 << 20;  // bytes; what is cut off there shows as damage
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return {};  // a pipe of that name would wait for its writer
  std::ifstream stream(file, std::ios::binary);
  std::string text(kMost, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(kMost));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
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

ExploreView view_of_json(const nlohmann::json& json) {
  ExploreView view{json.at("name").get<std::string>(), {}};
  ExploreQuery& query = view.query;
  query.x = json.value("x", query.x);
  query.y = json.value("y", query.y);
  query.color = json.value("color", query.color);
  query.panels = json.value("panels", query.panels);
  query.rows = json.value("rows", "");
  query.where = json.value("where", "");
  query.best = json.value("best", false);
  return view;
}

nlohmann::json json_of_view(const ExploreView& view) {
  const ExploreQuery& query = view.query;
  return {{"name", view.name},      {"x", query.x},       {"y", query.y},         {"color", query.color},
          {"panels", query.panels}, {"rows", query.rows}, {"where", query.where}, {"best", query.best}};
}

PrintSize print_size_of_json(const nlohmann::json& json) {
  const PrintSize usual;
  PrintSize size;
  size.width_cm = std::clamp(json.value("width_cm", usual.width_cm), kLeastPrintCm, kMostPrintCm);
  if (json.contains("height_cm"))
    size.height_cm = std::clamp(json["height_cm"].get<double>(), kLeastPrintCm, kMostPrintCm);
  size.font_pt = std::clamp(json.value("font_pt", usual.font_pt), kLeastFontPt, kMostFontPt);
  size.from_zero = json.value("from_zero", usual.from_zero);
  size.dark = json.value("dark", usual.dark);
  size.captioned = json.value("captioned", usual.captioned);
  size.whole = json.value("whole", usual.whole);
  return size;
}

nlohmann::json json_of_print_size(const PrintSize& size) {
  nlohmann::json json{{"width_cm", size.width_cm}, {"font_pt", size.font_pt},     {"from_zero", size.from_zero},
                      {"dark", size.dark},         {"captioned", size.captioned}, {"whole", size.whole}};
  if (size.height_cm) json["height_cm"] = *size.height_cm;
  return json;
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
  for (const nlohmann::json& path : json.value("explore_databases", nlohmann::json::array()))
    settings.explore_databases.push_back(path_of_json(path));
  for (const nlohmann::json& view : json.value("explore_views", nlohmann::json::array()))
    settings.explore_views.push_back(view_of_json(view));
  if (json.contains("print_size")) settings.print_size = print_size_of_json(json["print_size"]);
  if (auto endings = json.value("chart_endings", std::vector<std::string>{}); !endings.empty())
    settings.chart_endings = std::move(endings);
  const auto is_picture = [](const auto& ending) {
    return std::ranges::find(kChartEndings, ending) != kChartEndings.end();
  };
  std::erase_if(settings.chart_endings,
                [&](const auto& ending) { return !is_picture(ending) && ending != kCaptionEnding; });
  if (settings.chart_endings.empty() || !is_picture(settings.chart_endings.front()))
    settings.chart_endings.emplace(settings.chart_endings.begin(), kChartEndings.front());
  for (const std::string& id : json.value("hidden_panels", std::vector<std::string>{})) {
    if (const PanelInfo* info = find_panel(id)) settings.visible[static_cast<std::size_t>(info->panel)] = false;
  }
  if (json.contains("request")) stored.request_json = json["request"].dump();
  const auto keeps = std::ranges::find(kKeepsNames, json.value("framed_pair_keeps", ""));
  if (keeps != kKeepsNames.end()) stored.framed_keeps = static_cast<FramedKeeps>(keeps - kKeepsNames.begin());
  stored.counters = json.value("counters", false);
  stored.excluded_kernels = json.value("excluded_kernels", std::vector<std::string>{});
}

nlohmann::json to_json(const StoredSettings& stored) {
  const Settings& settings = stored.settings;
  nlohmann::json json{{"theme", kThemeNames[static_cast<std::size_t>(settings.theme)]},
                      {"scale", std::round(settings.scale * 100) / 100.0},
                      {"tolerance", settings.tolerance},
                      {"last_database", json_of_path(settings.last_database)},
                      {"offer_recorded", settings.offer_recorded},
                      {"recent_databases", nlohmann::json::array()},
                      {"explore_databases", nlohmann::json::array()},
                      {"print_size", json_of_print_size(settings.print_size)},
                      {"chart_endings", settings.chart_endings},
                      {"framed_pair_keeps", kKeepsNames[static_cast<std::size_t>(stored.framed_keeps)]},
                      {"counters", stored.counters},
                      {"excluded_kernels", stored.excluded_kernels},
                      {"layout_version", kLayoutVersion},
                      {"hidden_panels", nlohmann::json::array()}};
  for (const std::string& path : settings.recent_databases) json["recent_databases"].push_back(json_of_path(path));
  for (const std::string& path : settings.explore_databases) json["explore_databases"].push_back(json_of_path(path));
  for (const PanelInfo& info : panels()) {
    if (!settings.visible[static_cast<std::size_t>(info.panel)]) json["hidden_panels"].push_back(info.id);
  }
  for (const ExploreView& view : settings.explore_views) json["explore_views"].push_back(json_of_view(view));
  if (!stored.request_json.empty()) json["request"] = nlohmann::json::parse(stored.request_json);
  return json;
}

bool is_there(const std::filesystem::path& file) {
  std::error_code unknown;
  return std::filesystem::exists(std::filesystem::symlink_status(file, unknown));
}

/// Renames `file`, so that the next start does not read it, to a name that nothing has. Says what became of it:
/// "the old file was kept as window.json.unreadable"; empty: there is none.
std::string set_aside(const std::filesystem::path& file) {
  constexpr int kMost = 100;
  const std::string name = file.filename().string();
  if (!is_there(file)) return "";
  for (int n = 1; n <= kMost; ++n) {
    const std::string kept = n == 1 ? name + ".unreadable" : fmt::format("{}.unreadable.{}", name, n);
    const std::filesystem::path place = file.parent_path() / kept;
    if (is_there(place)) continue;
    if (::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) == 0 ||
        (errno == EINVAL && ::rename(file.c_str(), place.c_str()) == 0))  // not every file system can do the first
      return fmt::format("the old file was kept as {}", kept);
    if (errno != EEXIST) return fmt::format("{} could not be set aside ({})", name, std::strerror(errno));
  }
  return fmt::format("{} could not be set aside (there are {} older ones)", name, kMost);
}

/// The same of a file that is there, as the end of a sentence.
std::string and_set_aside(const std::filesystem::path& file) {
  const std::string what = set_aside(file);
  return what.empty() ? "" : "; " + what;
}

/// A pipe in the place of `file`, or what else is no file, is set aside: it would wait for its reader, and the window
/// would not close.
void write_own_file(const std::filesystem::path& file, std::string_view bytes) {
  const auto in_the_way = [&file] {
    std::error_code unknown;
    return std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown);
  };
  if (in_the_way()) set_aside(file);
  if (in_the_way())
    throw Error(fmt::format("cannot write '{}'", file.string()), "what is in its place is no file", "remove it");
  write_whole_file(file, bytes);
}

/// One that cannot be read is set aside, also where it would not be used.
void load_layout(const std::filesystem::path& file, bool used, StoredSettings& stored) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  std::string layout = read_text(file);
  const std::string fault = std::filesystem::is_regular_file(file, error) ? layout_fault(layout) : "it is no file";
  if (!fault.empty()) {
    stored.problem += fmt::format("{}The layout in {} could not be read ({}), so the usual one is used{}.",
                                  stored.problem.empty() ? "" : " ", file.string(), fault, and_set_aside(file));
  } else if (used) {
    stored.layout = std::move(layout);
  }
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
  bool knows_layout = false;  // it says of which version the layout beside it is
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    try {
      const nlohmann::json json = parse_bounded(read_text(file));
      from_json(json, stored);
      knows_layout = json.value("layout_version", 0) == kLayoutVersion;
    } catch (const std::exception&) {
      stored = {};
      stored.problem = fmt::format("The settings in {} could not be read, so the defaults are used{}.", file.string(),
                                   and_set_aside(file));
    }
  }
  load_layout(folder / "layout.ini", knows_layout, stored);
  return stored;
}

StoredSettings settings_after_crash(const std::filesystem::path& folder) {
  StoredSettings stored;
  stored.problem = fmt::format(
      "The last start ended in a crash, so this one uses default settings and the usual layout (in {}{}{}).",
      folder.string(), and_set_aside(folder / "window.json"), and_set_aside(folder / "layout.ini"));
  return stored;
}

void save_settings(const std::filesystem::path& folder, const StoredSettings& stored) {
  if (folder.empty()) return;
  std::error_code error;  // what is wrong with the folder shows when the files are written
  std::filesystem::create_directories(folder, error);
  // One text that is no UTF-8 must not keep all the other settings from being written.
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  write_own_file(folder / "window.json", to_json(stored).dump(2, ' ', false, kReplace) + "\n");
  write_own_file(folder / "layout.ini", stored.layout);
}

}  // namespace triscope
