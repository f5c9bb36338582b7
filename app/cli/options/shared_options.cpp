#include "app/cli/options/shared_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/base/text/nearest_name.hpp"

namespace triscope {

void refuse_choice(std::string_view option, std::string_view token, std::string_view why,
                   std::span<const std::string> choices) {
  refuse_value(
      option, token, why,
      fmt::format("{}choose from {}", nearest_name_hint(std::string(token), choices), fmt::join(choices, ", ")));
}

Form parse_simplicial_form(std::string_view option, std::string_view token) {
  const std::optional<Form> form = parse_form(token);
  if (form == Form::trilinear || form == Form::determinant) return *form;
  refuse_choice(option, token, "this is not a form of 2-simplicial attention",
                std::vector<std::string>{"trilinear", "determinant"});
}

void add_logit_options(CLI::App& command, Problem& problem) {
  add_text(command, "--form", "{trilinear,determinant}", "Form of the logit (default: trilinear)",
           [&problem](const std::string& text) { problem.form = parse_simplicial_form("--form", text); });
  add_text(command, "--mask", "{causal,full}", "Mask (default: causal)", [&problem](const std::string& text) {
    problem.mask = parse_choice<Mask>("--mask", text, parse_mask, {"causal", "full"});
  });
  add_text(command, "--scale", "X", "Factor of the logits (default: 1/sqrt(head_dim))",
           [&problem](const std::string& text) { problem.scale = parse_number("--scale", text); });
  add_text(command, "--k2-bias", "X", "Added to every element of K2 (default: 0, off)",
           [&problem](const std::string& text) { problem.k2_bias = parse_number("--k2-bias", text); });
  add_text(command, "--v2-bias", "X", "Added to every element of V2 (default: 0, off)",
           [&problem](const std::string& text) { problem.v2_bias = parse_number("--v2-bias", text); });
}

void add_worker_prefix_option(CLI::App& command, std::vector<std::string>& prefix) {
  const auto set = [&prefix](const std::string& text) { prefix = parse_words("--worker-prefix", text); };
  command
      .add_option_function<std::string>("--worker-prefix", set,
                                        "Command that starts the measuring process elsewhere, such as \"ssh host\"")
      ->type_name("COMMAND");
}

void add_table_or_json(CLI::App& command, bool& json) {
  const auto set_format = [&json](const std::string& text) {
    if (text != "table" && text != "json")
      refuse_choice("--format", text, "this is not a format of this command",
                    std::vector<std::string>{"table", "json"});
    json = text == "json";
  };
  add_text(command, "--format", "{table,json}", "table or json, one object per line (default: table)", set_format);
  add_json_flag(command, [&json] { json = true; });
}

void add_json_flag(CLI::App& command, const std::function<void()>& set_json) {
  if (command.get_option_no_throw("--json") != nullptr) return;
  command.add_flag_callback("--json", set_json, "The same as --format json");
}

}  // namespace triscope
