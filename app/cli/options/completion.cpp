#include "app/cli/options/completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/explore/explore_fields.hpp"

namespace triscope {
namespace {

enum class ValueKind { none, words, file, other };

/// What one option or positional takes.
struct Value {
  ValueKind kind = ValueKind::other;
  std::vector<std::string> words;
};

Value value_of(const CLI::Option& option) {
  if (option.get_type_size_max() == 0) return {ValueKind::none, {}};
  const std::string type = option.get_type_name();
  if (type == "FILE" || type == "DIR") return {ValueKind::file, {}};
  if (type == "FIELD") {
    Value value{ValueKind::words, {}};
    for (const ExploreField& field : explore_fields()) value.words.emplace_back(field.id);
    return value;
  }
  if (type.size() < 2 || type.front() != '{' || type.back() != '}') return {};
  Value value{ValueKind::words, {}};
  for (const std::string& word : CLI::detail::split(type.substr(1, type.size() - 2), ',')) value.words.push_back(word);
  return value;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  return names;
}

std::string bash_reply(const Value& value) {
  switch (value.kind) {
    case ValueKind::words:
      return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", fmt::join(value.words, " "));
    case ValueKind::file:
      return "COMPREPLY=($(compgen -f -- \"$cur\"))";
    default:
      return ":";
  }
}

/// The body of one command's case: values of its options by the previous word, else its option names and positionals.
std::string bash_command(const CLI::App& command, const std::vector<std::string>& more_words) {
  std::string values;
  std::vector<std::string> words = more_words;
  std::string positional;
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> names = names_of(*option);
    const Value value = value_of(*option);
    if (names.empty()) {
      if (positional.empty() && value.kind != ValueKind::other) positional = bash_reply(value);
      continue;
    }
    words.insert(words.end(), names.begin(), names.end());
    if (value.kind != ValueKind::none) {
      values += fmt::format("        {}) {}; return ;;\n", fmt::join(names, "|"), bash_reply(value));
    }
  }
  std::string text;
  if (!values.empty()) text += "      case \"$prev\" in\n" + values + "      esac\n";
  if (!positional.empty()) text += fmt::format("      if [[ $cur != -* ]]; then {}; return; fi\n", positional);
  return text + fmt::format("      COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))\n", fmt::join(words, " "));
}

std::string bash_script(const CLI::App& app) {
  std::vector<std::string> commands;
  std::string cases;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    commands.push_back(command->get_name());
    cases += fmt::format("    {})\n{}      ;;\n", command->get_name(), bash_command(*command, {}));
  }
  std::string text =
      fmt::format("# bash completion for {0}. Use it with: source <({0} completion bash)\n_{0}() {{\n", app.get_name());
  text += "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\" command=\"\" word\n";
  text += "  COMPREPLY=()\n";
  text += "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n";
  text += fmt::format("    case \"$word\" in {}) command=\"$word\"; break ;; esac\n  done\n", fmt::join(commands, "|"));
  text += "  case \"$command\" in\n" + cases;
  text += "    *)\n" + bash_command(app, commands) + "      ;;\n  esac\n}\n";
  return text + fmt::format("complete -F _{0} {0}\n", app.get_name());
}

/// Text inside single quotes of an _arguments specification.
std::string zsh_text(const std::string& text) {
  std::string escaped;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'') {
      escaped += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
      escaped += c;
    }
  }
  return escaped;
}

std::string zsh_value(const Value& value) {
  switch (value.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::words:
      return fmt::format(":value:({})", fmt::join(value.words, " "));
    case ValueKind::file:
      return ":file:_files";
    default:
      return ":value:";
  }
}

std::string zsh_arguments(const CLI::App& command) {
  std::string text = "_arguments";
  for (const CLI::Option* option : command.get_options()) {
    const std::string value = zsh_value(value_of(*option));
    const std::vector<std::string> names = names_of(*option);
    for (const std::string& name : names) {
      text += fmt::format(" \\\n        '{}[{}]{}'", name, zsh_text(option->get_description()), value);
    }
    if (names.empty()) text += fmt::format(" \\\n        '*{}'", value.empty() ? ":value:" : value);
  }
  return text;
}

std::string zsh_script(const CLI::App& app) {
  std::string commands, cases;
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
    cases += fmt::format("    {})\n      {}\n      ;;\n", command->get_name(), zsh_arguments(*command));
  }
  std::string text = fmt::format(
      "#compdef {0}\n# zsh completion for {0}. Use it with: source <({0} completion zsh)\n_{0}() {{\n", app.get_name());
  text += "  local -a commands=(\n" + commands + "  )\n";
  text += "  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n";
  text += "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n";
  text += "  case $command in\n" + cases + "  esac\n}\n";
  return text + fmt::format("compdef _{0} {0}\n", app.get_name());
}

/// `text`'s first line as a word of fish.
std::string fish_text(const std::string& text) {
  std::string escaped = "'";
  for (const char c : text.substr(0, text.find('\n'))) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped + "'";
}

/// What fish offers as an option's value or as an argument. Files are offered nowhere else: `complete -f` stands first.
std::string fish_value(const Value& value, bool of_option) {
  switch (value.kind) {
    case ValueKind::none:
      return "";
    case ValueKind::words:
      return fmt::format(" {}a '{}'", of_option ? "-x" : "-", fmt::join(value.words, " "));
    case ValueKind::file:
      return of_option ? " -rF" : " -F";
    default:
      return of_option ? " -x" : "";
  }
}

/// One line for each option of `command`, under fish's condition `when`.
std::string fish_options(const std::string& program, const CLI::App& command, const std::string& when) {
  std::string text;
  for (const CLI::Option* option : command.get_options()) {
    const bool named = !option->get_lnames().empty() || !option->get_snames().empty();
    const std::string value = fish_value(value_of(*option), named);
    if (!named && value.empty()) continue;
    text += fmt::format("complete -c {} -n '{}'", program, when);
    for (const std::string& name : option->get_lnames()) text += " -l " + name;
    for (const std::string& name : option->get_snames()) text += " -s " + name;
    text += value;
    if (named) text += " -d " + fish_text(option->get_description());
    text += '\n';
  }
  return text;
}

std::string fish_script(const CLI::App& app) {
  const std::string& name = app.get_name();
  std::string text =
      fmt::format("# fish completion for {0}. Use it with: {0} completion fish | source\ncomplete -c {0} -f\n", name);
  text += fmt::format("complete -c {} -n __fish_use_subcommand -F\n", name);  // a database to open
  text += fish_options(name, app, "__fish_use_subcommand");
  for (const CLI::App* command : app.get_subcommands(nullptr)) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", name, command->get_name(),
                        fish_text(command->get_description()));
    text += fish_options(name, *command, "__fish_seen_subcommand_from " + command->get_name());
  }
  return text;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(app);
  if (shell == "zsh") return zsh_script(app);
  if (shell == "fish") return fish_script(app);
  throw Error(fmt::format("completion for '{}'", shell), "only bash, zsh and fish are known", "name one of them",
              ExitCode::usage);
}

}  // namespace triscope
