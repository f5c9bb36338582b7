#include "app/cli/commands/section_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

/// What a section takes beside its name.
struct SectionOptions {
  std::string_view section;
  std::vector<std::string_view> options;
};

const std::vector<SectionOptions>& taken() {
  static const std::vector<SectionOptions> all{
      {"results", {"--sizes", "--format", "--json"}},
      {"operator",
       {"--window", "--seq", "--q-heads", "--kv-heads", "--head-dim", "--form", "--match", "--db", "--format",
        "--json"}},
      {"overview",
       {"--window", "--seq", "--q-heads", "--kv-heads", "--head-dim", "--form", "--match", "--db", "--format",
        "--json"}},
      {"table1", {"--db", "--format", "--json"}},
      {"lengths",
       {"--window", "--q-heads", "--kv-heads", "--head-dim", "--form", "--match", "--db", "--format", "--json"}},
      {"scaling",
       {"--sizes", "--losses", "--forecast", "--law", "--trained-on", "--irreducible", "--format", "--json"}},
      {"tiling",
       {"--window", "--seq", "--q-heads", "--kv-heads", "--head-dim", "--form", "--db", "--format", "--json"}},
      {"recipe",
       {"--window", "--seq", "--q-heads", "--kv-heads", "--head-dim", "--form", "--layers", "--every", "--sequences",
        "--budget", "--match", "--db", "--format", "--json"}},
      {"match3", {"--numbers", "--tokens", "--modulus", "--c", "--precision", "--seed", "--format", "--json"}},
      {"formulas", {"--format", "--json"}},
      {"steps", {"--format", "--json"}},
      {"rotation", {"--format", "--json"}},
      {"errata", {"--format", "--json"}},
      {"page", {"--window", "--seq", "--q-heads", "--kv-heads", "--head-dim", "--form", "--match", "--db", "--out"}}};
  return all;
}

bool takes(const SectionOptions& section, const CLI::Option& option) {
  return std::ranges::any_of(section.options,
                             [&](std::string_view name) { return option.check_name(std::string(name)); });
}

void refuse_alone(const CLI::App& command, const char* option, const char* needed) {
  if (command.count(option) == 0 || command.count(needed) > 0) return;
  throw Error(fmt::format("{} without {}", option, needed), fmt::format("it says something of {} only", needed),
              fmt::format("give {} too, or leave it out", needed), ExitCode::usage);
}

void refuse_together(const CLI::App& command, const char* option, const char* other) {
  if (command.count(option) == 0 || command.count(other) == 0) return;
  throw Error(fmt::format("{} beside {}", option, other), fmt::format("with {} it has no effect", other),
              "leave one of them out", ExitCode::usage);
}

}  // namespace

const std::vector<std::string>& paper_sections() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const SectionOptions& one : taken()) all.emplace_back(one.section);
    return all;
  }();
  return names;
}

void refuse_unused_options(const CLI::App& command, std::string_view section, std::string_view asked) {
  const auto of_section = std::ranges::find(taken(), section, &SectionOptions::section);
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_positional() || takes(*of_section, *option)) continue;
    std::vector<std::string_view> others;
    for (const SectionOptions& one : taken()) {
      if (takes(one, *option)) others.push_back(one.section);
    }
    throw Error(fmt::format("{} with `triscope paper {}`", option->get_name(), asked), "it has no effect there",
                fmt::format("leave it out; it is for {}", fmt::join(others, ", ")), ExitCode::usage);
  }
  refuse_alone(command, "--trained-on", "--law");
  refuse_together(command, "--sizes", "--losses");
  refuse_together(command, "--tokens", "--numbers");
}

}  // namespace triscope
