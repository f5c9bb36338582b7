// Options that more than one command shares: choices by name and the worker's command prefix.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/options/values.hpp"
#include "kernels/attention/problem.hpp"

namespace triscope {

/// Throws `Error` (usage) that names `token`, what it is not ("this is no format"), the choices, and the nearest of
/// them.
[[noreturn]] void refuse_choice(std::string_view option, std::string_view token, std::string_view why,
                                std::span<const std::string> choices);

/// The value `parse` finds for `token`; throws `Error` (usage) naming the token and the choices.
template <typename Value>
Value parse_choice(std::string_view option, std::string_view token, std::optional<Value> (*parse)(std::string_view),
                   std::initializer_list<std::string> choices) {
  if (const std::optional<Value> value = parse(token)) return *value;
  refuse_choice(option, token, "this is not a known choice", std::vector(choices));
}

/// The forms a user may ask for: trilinear and determinant. Others belong to the baselines.
Form parse_simplicial_form(std::string_view option, std::string_view token);

/// Adds an option whose text `set` reads; it throws `Error` (usage) when the text is wrong.
template <typename Set>
void add_text(CLI::App& command, const char* name, const char* type, const char* description, Set set) {
  command.add_option_function<std::string>(name, set, description)->type_name(type);
}

/// Adds what a logit depends on besides tensors and windows: `--form`, `--mask`, `--scale`, `--k2-bias`, `--v2-bias`.
/// `problem` must outlive the parsing.
void add_logit_options(CLI::App& command, Problem& problem);

/// Adds `--format` of a command that prints a table or JSON. `json` must outlive the parsing.
void add_table_or_json(CLI::App& command, bool& json);
/// --json, which every command that prints facts takes; nothing where the command has one already.
void add_json_flag(CLI::App& command, const std::function<void()>& set_json);

/// Adds `--worker-prefix`, the command that runs the worker elsewhere ("ssh host", "srun --gpus=1").
void add_worker_prefix_option(CLI::App& command, std::vector<std::string>& prefix);

}  // namespace triscope
