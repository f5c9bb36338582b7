// `triscope plugin new`: the beginning of a kernel of one's own.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "app/cli/commands/commands.hpp"
#include "app/cli/options/values.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "kernels/base/files/made_folder.hpp"
#include "kernels/plugin/plugin_names.hpp"
#include "plugin_skeleton.hpp"

namespace triscope {
namespace {

constexpr char kPlaceholder[] = "mine";

void require_name(const std::string& name) {
  const bool usable = !name.empty() && name.size() <= kLongestPluginName && name.front() >= 'a' &&
                      name.front() <= 'z' && std::all_of(name.begin(), name.end(), [](char c) {
                        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
                      });
  if (usable && is_own_id(name))
    refuse_value("plugin new", name, "kernels of Triscope are called so", "choose another name");
  if (usable) return;
  refuse_value("plugin new", name, "it is no name of a kernel",
               fmt::format("use up to {} of a-z, 0-9, '_' and '-', a letter first", kLongestPluginName));
}

/// The skeleton, `name` in place of its own.
std::string source_for(const std::string& name) {
  std::string text = kPluginSource;
  const std::string placeholder = kPlaceholder;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;) {
    const bool whole = !letter(text[at - 1]) && !letter(text[at + placeholder.size()]);
    if (whole) text.replace(at, placeholder.size(), name);
    at += whole ? name.size() : placeholder.size();
  }
  return text;
}

int make_plugin(const std::string& name) {
  require_name(name);
  const std::filesystem::path folder = name;
  std::error_code error;
  if (std::filesystem::exists(folder, error)) {
    throw Error(fmt::format("the plug-in '{}' cannot be made", name), "there is a file or folder of that name here",
                "choose another name, or remove it", ExitCode::usage);
  }
  MadeFolder made(folder / "triscope", MadeFolder::Parents::made, error);
  if (error) {
    throw Error(fmt::format("the plug-in '{}' cannot be made", name),
                fmt::format("its folder cannot be made ({})", error.message()), "go to a folder that you may write to");
  }
  const auto write = [&](const std::filesystem::path& file, std::string_view text) {
    made.will_hold(file);
    write_whole_file(file, text);
  };
  write(folder / (name + ".c"), source_for(name));
  write(folder / "triscope" / "attention.h", kPluginHeader);
  made.keep();  // half a folder would be in the way of the next try
  write_output(
      fmt::format("{0}/{0}.c has a kernel that is right and slow. Build it and measure it:\n"
                  "  cd {0}\n"
                  "  cc -O2 -shared -fPIC -I. {0}.c -o {0}.so -lm\n"
                  "  triscope sweep --kernel ./{0}.so,cpu.fast --windows 16x4 --seq 128 --pass forward\n",
                  name));
  return static_cast<int>(ExitCode::done);
}

}  // namespace

void add_plugin_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("plugin", "Begin a kernel of your own");
  auto what = std::make_shared<std::string>(), name = std::make_shared<std::string>();
  command->add_option("new", *what, "The word new")->required()->type_name("");
  command->add_option("NAME", *name, "The kernel's name, and that of the folder that is made")
      ->required()
      ->type_name("");
  command->footer(
      "Writes the source of a plug-in: a library that exports triscope/attention.h. `triscope sweep --kernel "
      "./NAME.so`\n"
      "checks it against the fp64 oracle and measures it beside other kernels. Loading a library runs it: load none "
      "that\n"
      "you would not run as a program.\n"
      "\n"
      "Examples:\n"
      "  triscope plugin new mine");
  command->callback([what, name, &action] {
    if (*what != "new") refuse_value("plugin", *what, "it is unknown", "use `triscope plugin new NAME`");
    action = [name] { return make_plugin(*name); };
  });
}

}  // namespace triscope
