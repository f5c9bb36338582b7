// triscope-window [DB] [--screenshot F.png | --picture F.pdf | --report DIR] [--panel NAME] [--sweep N] [--in TENSORS]
// [--query I]
// [--head H] [--theme light|dark] [--size WxH] [--scale S] [--run]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/desktop/desktop.hpp"
#include "app/window/main/frame_loop.hpp"
#include "app/window/report/report.hpp"
#include "app/window/report/screenshot.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/standard_streams.hpp"
#include "kernels/base/system_limit.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "kernels/base/text/shell_word.hpp"
#include "profiler/record/recorded_database.hpp"
#include "profiler/store/open/default_database.hpp"

namespace triscope {
namespace {

struct WindowArguments {
  std::string program;  ///< as it was started: "triscope-window", or "triscope"
  std::string database, screenshot, picture, report, panel, theme, tensors, size = "1440x900";
  std::optional<std::int64_t> query, head;
  float scale = 0;
  std::optional<std::int64_t> sweep;
  bool run = false;
  std::string width, height, font_size;
  std::optional<std::string> title, caption;
  ExploreQuery query_of_explore;
  bool explores = false;  ///< an option of `query_of_explore` is there
  bool draws() const { return !screenshot.empty() || !picture.empty(); }
};

/// A length on paper in `unit`, "cm" or "pt", from text such as "8.5cm", "85mm", "3.3in" or "9pt".
double length_of(const char* option, const std::string& text, double least, double most, const char* unit) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> kCmOf{
      {{"cm", 1}, {"mm", 0.1}, {"in", 2.54}, {"pt", 2.54 / 72}}};
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const auto found = std::ranges::find(kCmOf, std::string_view(end), &std::pair<std::string_view, double>::first);
  const auto asked = std::ranges::find(kCmOf, std::string_view(unit), &std::pair<std::string_view, double>::first);
  if (end != text.c_str() && found != kCmOf.end()) {
    const double length = number * found->second / asked->second;
    if (length >= least && length <= most) return length;
  }
  throw Error(fmt::format("{} {} cannot be used", option, text),
              fmt::format("it is not a length between {:g} and {:g} {}", least, most, unit),
              fmt::format("write for example {} {}", option, std::string_view(unit) == "cm" ? "8.5cm" : "8pt"),
              ExitCode::usage);
}

PrintSize print_size_of(const WindowArguments& arguments) {
  PrintSize size;
  if (!arguments.width.empty())
    size.width_cm = length_of("--width", arguments.width, kLeastPrintCm, kMostPrintCm, "cm");
  if (!arguments.height.empty())
    size.height_cm = length_of("--height", arguments.height, kLeastPrintCm, kMostPrintCm, "cm");
  if (!arguments.font_size.empty())
    size.font_pt = length_of("--font-size", arguments.font_size, kLeastFontPt, kMostFontPt, "pt");
  return size;
}

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
  const bool picture = arguments.draws(), report = !arguments.report.empty();
  const auto refuse = [](const char* option, const char* with) {
    throw Error(fmt::format("{} cannot be used", option), fmt::format("it belongs to {}", with),
                fmt::format("add {}, or leave it out", with), ExitCode::usage);
  };
  if (!arguments.panel.empty() && !picture) refuse("--panel", "--screenshot or --picture");
  const bool print = !arguments.picture.empty();
  for (const auto& [option, text] : {std::pair("--width", &arguments.width), std::pair("--height", &arguments.height),
                                     std::pair("--font-size", &arguments.font_size)}) {
    if (!text->empty() && !print && !report) refuse(option, "--picture or --report");
  }
  if (arguments.title && !print) refuse("--title", "--picture");
  if (arguments.caption && !print) refuse("--caption", "--picture");
  if (arguments.explores && !(picture && arguments.panel == "explore")) refuse("what Explore asks", "--panel explore");
  if (!arguments.tensors.empty() && report) refuse("--in", "--screenshot");
  for (const auto& [option, value] : {std::pair("--query", arguments.query), std::pair("--head", arguments.head)}) {
    if (value && !picture) refuse(option, "--screenshot");
    if (value && arguments.tensors.empty()) refuse(option, "--in");
  }
  if (arguments.sweep == 0)  // inside, 0 is the newest
    throw Error("Nothing was drawn", "there is no sweep 0", with_database("see `triscope list`", arguments.database),
                ExitCode::usage);
  if (picture || report) return;
  if (arguments.sweep) refuse("--sweep", "--screenshot or --report");
  if (arguments.scale > 0) refuse("--scale", "--screenshot or --report");
}

/// A window makes a database that is not there, and says so. Of an empty one a picture or a report would be empty.
void require_database(const WindowArguments& arguments) {
  if (arguments.database.empty() || (!arguments.draws() && arguments.report.empty())) return;
  std::error_code unreadable;  // who opens it says why
  if (std::filesystem::exists(arguments.database, unreadable) || unreadable) return;
  throw Error("Nothing was drawn", fmt::format("there is no database {}", arguments.database), "check the path",
              ExitCode::environment);
}

/// On stderr, in the name under which it was started: `triscope gui`, `explore` and `report` become this program.
void say(const WindowArguments& arguments, const std::string& sentence) {
  std::fprintf(stderr, "%s\n", plain_text(fmt::format("{}: {}", arguments.program, sentence)).c_str());
}

void say_passed_over(const WindowArguments& arguments, const std::string& sentence) {
  if (!sentence.empty()) say(arguments, plain_line(sentence));
}

int start(const WindowArguments& arguments) {
  refuse_ignored(arguments);
  require_database(arguments);
  int width = 0, height = 0;
  parse_size(arguments.size, width, height);
  if (!arguments.screenshot.empty() && !arguments.picture.empty())
    throw Error("--picture cannot be used", "it stands beside --screenshot", "leave one of them out", ExitCode::usage);
  if (arguments.draws()) {
    ScreenshotOptions options;
    options.database = arguments.database;
    options.for_print = !arguments.picture.empty();
    options.file = options.for_print ? arguments.picture : arguments.screenshot;
    options.print = {print_size_of(arguments), arguments.title, arguments.caption};
    options.print.size.dark = arguments.theme == "dark";  // paper is light
    if (arguments.explores) {
      explore({}, arguments.query_of_explore);  // so that a wrong filter or field is named at once
      options.explore = arguments.query_of_explore;
    }
    options.panel = arguments.panel;
    options.tensors = arguments.tensors;
    options.query = arguments.query;
    options.head = arguments.head;
    options.sweep = arguments.sweep.value_or(0);
    options.light = arguments.theme == "light";
    options.width = width;
    options.height = height;
    options.scale = arguments.scale > 0 ? arguments.scale : 1;
    say_passed_over(arguments, take_screenshot(options));
    return 0;
  }
  if (!arguments.report.empty()) {
    ReportOptions options;
    options.database = arguments.database;
    options.folder = arguments.report;
    options.sweep = arguments.sweep.value_or(0);
    options.light = arguments.theme != "dark";
    if (arguments.scale > 0) options.scale = arguments.scale;
    options.print_size = print_size_of(arguments);
    const WrittenReport written = write_report(options);
    for (const std::filesystem::path& file : written.files) std::printf("%s\n", plain_line(file.string()).c_str());
    say_passed_over(arguments, written.passed_over);
    for (const std::string& why : written.not_drawn) say(arguments, plain_line("not drawn: " + why));
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

/// What CLI11 says of an empty value.
std::string not_empty(const std::string& text) { return text.empty() ? "is empty" : std::string(); }

/// The options of pictures for print, and of what Explore asks in a picture.
void add_print_options(CLI::App& app, WindowArguments& arguments) {
  app.add_option("--picture", arguments.picture,
                 "Write the chart of --panel for print, as SVG or PDF, and exit; needs no display")
      ->type_name("FILE")
      ->check(not_empty);
  app.add_option("--width", arguments.width, "Width on paper in --picture and --report (default: 17cm)")
      ->type_name("LENGTH")
      ->check(not_empty);
  app.add_option("--height", arguments.height, "Height on paper (default: as fits the width and the words)")
      ->type_name("LENGTH")
      ->check(not_empty);
  app.add_option("--font-size", arguments.font_size, "Size of the words on paper (default: 8pt)")
      ->type_name("SIZE")
      ->check(not_empty);
  // Not as an optional value: that would take an empty text for none.
  const auto words = [&](const char* name, std::optional<std::string> WindowArguments::*text, const char* description) {
    app.add_option_function<std::string>(
           name, [&arguments, text](const std::string& given) { arguments.*text = given; }, description)
        ->type_name("TEXT");
  };
  words("--title", &WindowArguments::title, "Title of --picture in place of the chart's own; empty: none");
  words("--caption", &WindowArguments::caption, "Caption of --picture in place of the chart's own; empty: none");
  const auto explores = [&](const char* name, std::string ExploreQuery::*field, const char* description) {
    app.add_option_function<std::string>(
           name,
           [&arguments, field](const std::string& text) {
             arguments.query_of_explore.*field = field != &ExploreQuery::where && text == "none" ? std::string() : text;
             arguments.explores = true;
           },
           description)
        ->type_name(field == &ExploreQuery::where ? "FILTER" : "FIELD");
  };
  explores("--x", &ExploreQuery::x, "With --panel explore: what stands along the axis");
  explores("--y", &ExploreQuery::y, "What is shown");
  explores("--color", &ExploreQuery::color, "What the series are, or none");
  explores("--panels", &ExploreQuery::panels, "What tells charts apart, or none");
  explores("--rows", &ExploreQuery::rows, "What tells rows of charts apart, or none");
  explores("--where", &ExploreQuery::where, "Which measurements");
  app.add_flag_callback(
      "--best", [&arguments] { arguments.query_of_explore.best = arguments.explores = true; },
      "Of each x and series only the best");
}

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  triscope::open_standard_streams();
  std::signal(SIGCHLD, SIG_DFL);  // where they are ignored, nobody learns how a worker ended
  std::signal(SIGXFSZ, SIG_IGN);  // at a limit on the size of files a write then fails, as on a full disk
  std::signal(SIGPIPE, SIG_IGN);  // a clipboard tool that ends early must not end the window

  triscope::WindowArguments arguments;
  arguments.program = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "triscope-window";
  CLI::App app("Triscope's window", "triscope-window");
  app.add_option("DB", arguments.database, "Database (default: results.db in the user's data folder)")
      ->check(triscope::not_empty);
  app.add_option("--screenshot", arguments.screenshot, "Write a PNG of the window and exit; needs no display")
      ->type_name("FILE")
      ->check(triscope::not_empty);
  triscope::add_print_options(app, arguments);
  app.add_option("--report", arguments.report,
                 "Write tables and pictures of every panel into a folder and exit; needs no display")
      ->type_name("DIR")
      ->check(triscope::not_empty);
  app.add_option("--panel", arguments.panel, "Panel of --screenshot or --picture, or a page: paper:match3")
      ->type_name("NAME")
      ->check(triscope::not_empty);
  app.add_option("--sweep", arguments.sweep,
                 "Sweep to show in --screenshot and --report (default: one with a star, else the newest)")
      ->type_name("N");
  app.add_option("--in", arguments.tensors, "Tensors to look into, as of `triscope inspect --in`")
      ->type_name("FILE")
      ->check(triscope::not_empty);
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
    std::vector<std::string> words = triscope::with_empty_values({argv + 1, argv + argc});
    std::ranges::reverse(words);  // CLI11 takes them from the back
    app.parse(std::move(words));
    return triscope::start(arguments);
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", app.help().c_str());
    return 0;
  } catch (const CLI::ParseError& error) {
    triscope::say(arguments,
                  fmt::format("the command line cannot be read: {}; see `triscope-window --help`.", error.what()));
    return static_cast<int>(triscope::ExitCode::usage);
  } catch (const triscope::Error& error) {
    triscope::say(arguments, error.what());
    return static_cast<int>(error.code());
  } catch (const std::exception& exception) {
    triscope::say(arguments, triscope::unforeseen(exception));
    return 3;
  }
}
