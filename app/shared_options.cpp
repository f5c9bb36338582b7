#include "app/shared_options.hpp"

namespace triscope {

Form parse_simplicial_form(std::string_view option, std::string_view token) {
  const std::optional<Form> form = parse_form(token);
  if (form == Form::trilinear || form == Form::determinant) return *form;
  refuse_value(option, token, "this is no form of 2-simplicial attention", "choose from trilinear, determinant");
}

void add_worker_prefix_option(CLI::App& command, std::vector<std::string>& prefix) {
  const auto set = [&prefix](const std::string& text) { prefix = parse_words("--worker-prefix", text); };
  command
      .add_option_function<std::string>("--worker-prefix", set,
                                        "Command that starts the measuring process elsewhere, such as \"ssh host\"")
      ->type_name("COMMAND");
}

}  // namespace triscope
