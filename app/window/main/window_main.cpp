// triscope-window [DB] [--screenshot F.png | --report DIR] [--panel NAME] [--sweep N] [--in TENSORS] [--query I]
// [--head H] [--theme light|dark] [--size WxH] [--scale S] [--run]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/window/desktop/desktop.hpp"
#include "app/window/main/frame_loop.hpp"
#include "app/window/report/report.hpp"
#include "app/window/report/screenshot.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/standard_streams.hpp"
#include "kernels/base/system_limit.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "profiler/record/recorded_database.hpp"

namespace triscope {
namespace {

struct WindowArguments {
  std::string database, screenshot, report, panel, theme, tensors, size = "1440x900";
  std::optional<std::int64_t> query, head;
  float scale = 0;
  std::optional<std::int64_t> sweep;
  bool run = false;
};

void parse_size(const std::string& text, int& width, int& height) {
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < 200 || height < 150 ||
      width > 16384 || height > 16384) {
    throw Error(fmt::format("--size {} cannot be used", text), "it is not WIDTHxHEIGHT between 200x150 and 16384x16384",
                "write for example --size 1440x900", ExitCode::usage);
  }
}

/// What belongs to pictures is refused where it would be ignored.
void refuse_ignored(const WindowArguments& arguments) {
  const bool picture = !arguments.screenshot.empty(), report = !arguments.report.empty();
  const auto refuse = [](const char* option, const char* with) {
    throw Error(fmt::format("{} cannot be used", option), fmt::format("it belongs to {}", with),
                fmt::format("add {}, or leave it out", with), ExitCode::usage);
  };
  if (!arguments.panel.empty() && !picture) refuse("--panel", "--screenshot");
  if (!arguments.tensors.empty() && report) refuse("--in", "--screenshot");
  for (const auto& [option, value] : {std::pair("--query", arguments.query), std::pair("--head", arguments.head)}) {
    if (value && !picture) refuse(option, "--screenshot");
    if (value && arguments.tensors.empty()) refuse(option, "--in");
  }
  if (arguments.sweep == 0)  // inside, 0 is the newest
    throw Error("Nothing was drawn", "there is no sweep 0", "see `triscope list`", ExitCode::usage);
  if (picture || report) return;
  if (arguments.sweep) refuse("--sweep", "--screenshot or --report");
  if (arguments.scale > 0) refuse("--scale", "--screenshot or --report");
}

/// A window creates a missing database. A picture or a report of a missing database would be empty, so it is refused.
void require_database(const WindowArguments& arguments) {
  if (arguments.screenshot.empty() && arguments.report.empty()) return;
  std::error_code unreadable;
  if (arguments.database.empty() || std::filesystem::exists(arguments.database, unreadable)) return;
  throw Error("Nothing was drawn", fmt::format("there is no database {}", arguments.database), "check the path",
              ExitCode::environment);
}

int start(const WindowArguments& arguments) {
  refuse_ignored(arguments);
  require_database(arguments);
  int width = 0, height = 0;
  parse_size(arguments.size, width, height);
  if (!arguments.screenshot.empty()) {
    ScreenshotOptions options;
    options.database = arguments.database;
    options.file = arguments.screenshot;
    options.panel = arguments.panel;
    options.tensors = arguments.tensors;
    options.query = arguments.query;
    options.head = arguments.head;
    options.sweep = arguments.sweep.value_or(0);
    options.light = arguments.theme == "light";
    options.width = width;
    options.height = height;
    options.scale = arguments.scale > 0 ? arguments.scale : 1;
    take_screenshot(options);
    return 0;
  }
  if (!arguments.report.empty()) {
    ReportOptions options;
    options.database = arguments.database;
    options.folder = arguments.report;
    options.sweep = arguments.sweep.value_or(0);
    options.light = arguments.theme != "dark";
    if (arguments.scale > 0) options.scale = arguments.scale;
    for (const std::filesystem::path& file : write_report(options))
      std::printf("%s\n", plain_line(file.string()).c_str());
    return 0;
  }
  WindowOptions options;
  options.width = width;
  options.height = height;
  options.application.database = arguments.database;
  if (!arguments.tensors.empty()) options.application.tensors = std::filesystem::absolute(arguments.tensors);
  options.application.settings_folder = settings_folder();
  options.application.recorded_database = recorded_database();
  options.application.engine = real_engine();
  options.application.system_is_dark = system_prefers_dark();
  if (!arguments.theme.empty())
    options.application.theme = arguments.theme == "dark" ? ThemeChoice::dark : ThemeChoice::light;
  options.application.run_at_start = arguments.run;
  options.application.run_when_empty = arguments.database.empty();
  run_window(std::move(options));
  return 0;
}

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  triscope::open_standard_streams();
  std::signal(SIGCHLD, SIG_DFL);  // where they are ignored, nobody learns how a worker ended
  std::signal(SIGXFSZ, SIG_IGN);  // at a limit on the size of files a write then fails, as on a full disk
  std::signal(SIGPIPE, SIG_IGN);  // a clipboard tool that ends early must not end the window

  triscope::WindowArguments arguments;
  CLI::App app("Triscope's window", "triscope-window");
  const auto not_empty = [](const std::string& text) { return text.empty() ? std::string("is empty") : std::string(); };
  app.add_option("DB", arguments.database, "Database (default: results.db in the user's data folder)");
  app.add_option("--screenshot", arguments.screenshot, "Write a PNG of the window and exit; needs no display")
      ->type_name("FILE")
      ->check(not_empty);
  app.add_option("--report", arguments.report,
                 "Write tables and pictures of every panel into a folder and exit; needs no display")
      ->type_name("DIR")
      ->check(not_empty);
  app.add_option("--panel", arguments.panel, "Panel to bring to the front in --screenshot, or a page: paper:match3")
      ->type_name("NAME")
      ->check(not_empty);
  app.add_option("--sweep", arguments.sweep,
                 "Sweep to show in --screenshot and --report (default: one with a star, else the newest)")
      ->type_name("N");
  app.add_option("--in", arguments.tensors, "Tensors to look into, as of `triscope inspect --in`")
      ->type_name("FILE")
      ->check(not_empty);
  app.add_option("--query", arguments.query, "Query to show in --screenshot, from 0")->type_name("I");
  app.add_option("--head", arguments.head, "Query head to show in --screenshot, from 0")->type_name("H");
  app.add_option("--theme", arguments.theme, "light or dark; the window remembers it")
      ->check(CLI::IsMember({"light", "dark"}));
  app.add_option("--size", arguments.size, "Size in pixels")->type_name("WxH");
  app.add_option("--scale", arguments.scale, "Scale of text and controls in --screenshot and --report, 0.75 to 6")
      ->check([](const std::string& text) {  // CLI::Range lets NaN pass
        const double scale = std::strtod(text.c_str(), nullptr);
        return scale >= 0.75 && scale <= 6.0 ? std::string() : text + " is not between 0.75 and 6";
      });
  app.add_flag("--run", arguments.run, "Start the sweep that the setup describes at once");
  try {
    app.parse(argc, argv);
    return triscope::start(arguments);
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", app.help().c_str());
    return 0;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "triscope-window: the command line cannot be read: %s; see `triscope-window --help`.\n",
                 triscope::plain_text(error.what()).c_str());
    return static_cast<int>(triscope::ExitCode::usage);
  } catch (const triscope::Error& error) {
    std::fprintf(stderr, "triscope-window: %s\n", triscope::plain_text(error.what()).c_str());
    return static_cast<int>(error.code());
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "triscope-window: %s\n", triscope::plain_text(triscope::unforeseen(exception)).c_str());
    return 3;
  }
}
