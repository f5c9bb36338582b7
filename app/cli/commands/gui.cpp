// `triscope gui`: becomes triscope-window, which lies beside this program.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/values.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/program_folder.hpp"
#include "kernels/base/files/wheel.hpp"

namespace triscope {
namespace {

struct GuiOptions {
  std::vector<std::string> arguments;  ///< of triscope-window, in its own spelling
  std::string database;
};

/// Replaces this process by `program`, which then speaks as "triscope"; returns only by throwing.
[[noreturn]] void become(const std::filesystem::path& program, std::vector<std::string> arguments) {
  std::vector<std::string> words{"triscope"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  throw Error(fmt::format("{} cannot be started", program.string()), std::strerror(errno),
              came_in_a_wheel() ? "install the wheel again" : "build it again with ./run build");
}

bool needs_display(const GuiOptions& options) {
  return std::ranges::none_of(options.arguments,
                              [](const std::string& word) { return word == "--screenshot" || word == "--picture"; });
}

std::filesystem::path window_program() {
  const std::filesystem::path window = program_folder() / "triscope-window";
  if (access(window.c_str(), X_OK) == 0) return window;
  throw Error("the window cannot be opened", "there is no program triscope-window beside triscope",
              fmt::format("{}, or use `triscope sweep` and `triscope show`",
                          came_in_a_wheel() ? "install a wheel of a build that has it (TRISCOPE_WINDOW=ON)"
                                            : "build it too (TRISCOPE_WINDOW=ON; ./run does)"));
}

bool has_display() {
  const char* display = std::getenv("DISPLAY");
  return display != nullptr && *display != '\0';
}

int run(const GuiOptions& options) {
  const std::filesystem::path window = window_program();
  if (needs_display(options) && !has_display()) {
    throw Error("the window cannot be opened", "there is no display (DISPLAY is not set)",
                "start it in a desktop session or with `ssh -X`, or use `triscope sweep` and `triscope show`");
  }
  std::vector<std::string> words;
  if (!options.database.empty()) words.push_back(options.database);
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  become(window, std::move(words));
}

}  // namespace

void become_window(std::vector<std::string> arguments) { become(window_program(), std::move(arguments)); }

void add_gui_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("gui", "Open the window (what `triscope` alone does)");
  auto options = std::make_shared<GuiOptions>();
  command->add_option("DB", options->database, "Database (default: results.db in the user's data folder)")
      ->type_name("FILE")
      ->check(empty_database_fault);
  const auto pass_on = [&](const std::string& name, const char* type, const char* description) {
    const auto add = [options, name](const std::string& value) {
      options->arguments.push_back(name);
      options->arguments.push_back(value);
    };
    command->add_option_function<std::string>(name, add, description)->type_name(type);
  };
  pass_on("--screenshot", "FILE", "Draw the window, write a PNG and exit");
  pass_on("--picture", "FILE", "Write the chart of --panel for print, as .svg or .pdf, and exit");
  pass_on("--width", "LENGTH", "Its width on paper, such as 8.5cm (default: 17cm)");
  pass_on("--height", "LENGTH", "Its height on paper (default: as fits the width and the words)");
  pass_on("--font-size", "SIZE", "Size of its words on paper (default: 8pt)");
  pass_on("--title", "TEXT", "Its title in place of the chart's own; empty: none");
  pass_on("--caption", "TEXT", "Its caption in place of the chart's own; empty: none");
  pass_on("--panel", "NAME",
          "The panel to show in --screenshot or --picture, or a page of the paper, such as paper:match3");
  pass_on("--sweep", "N", "The sweep to draw in --screenshot (default: one with a star, else the newest)");
  pass_on("--in", "FILE", "Tensors to look into, as of `inspect --in`");
  pass_on("--query", "I", "The query of --in to show in --screenshot, from 0");
  pass_on("--head", "H", "The query head of --in to show in --screenshot, from 0");
  pass_on("--theme", "{light,dark}", "Colours; the window remembers them");
  pass_on("--size", "WxH", "Size of the window in pixels");
  pass_on("--scale", "S", "Scale of text and controls in --screenshot");
  command->footer(
      "Examples:\n"
      "  triscope\n"
      "  triscope gui run.db\n"
      "  triscope gui --in layer7.safetensors --query 900 --screenshot slice.png\n"
      "  triscope gui run.db --screenshot results.png --panel latency --theme light --size 1600x1000\n"
      "  triscope gui run.db --picture map.pdf --panel map --width 8.5cm --font-size 7pt");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

void add_report_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("report", "Tables and pictures of every panel as files; needs no display");
  struct Options {
    std::string folder, sweep, width, font_size;
    std::shared_ptr<std::string> database;
  };
  auto options = std::make_shared<Options>();
  command->add_option("-o,--out", options->folder, "Folder to write into")->type_name("DIR")->required();
  options->database = add_database_option(*command);
  command->add_option("--sweep", options->sweep, "The sweep to report (default: one with a star, else the newest)")
      ->type_name("N");
  command->add_option("--width", options->width, "Width of SVG and PDF on paper, such as 8.5cm (default: 17cm)")
      ->type_name("LENGTH");
  command->add_option("--font-size", options->font_size, "Size of their words on paper (default: 8pt)")
      ->type_name("SIZE");
  command->footer("Example:\n  triscope report -o out --db run.db");
  command->callback([options, &action] {
    action = [options]() -> int {
      if (options->folder.empty()) refuse_value("-o", "", "the name is empty", "name a folder");
      const std::filesystem::path database = std::filesystem::absolute(existing_database(*options->database));
      std::vector<std::string> words{"--report", options->folder};
      if (!options->sweep.empty()) words.insert(words.end(), {"--sweep", options->sweep});
      if (!options->width.empty()) words.insert(words.end(), {"--width", options->width});
      if (!options->font_size.empty()) words.insert(words.end(), {"--font-size", options->font_size});
      words.push_back(database.string());
      become_window(std::move(words));
    };
  });
}

}  // namespace triscope
