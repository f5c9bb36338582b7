// The command line through the real program: help, errors, exit codes, and what needs no measuring.
#include "app/cli/command_line.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "profiler/store/store.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/app/cli/small_history.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kCommands{
    "gui",   "report", "sweep",   "list",    "show",    "compare",    "advise", "export", "import",  "eval", "inspect",
    "check", "doctor", "devices", "kernels", "version", "completion", "paper",  "plugin", "explore", "note", "search"};

const std::vector<std::string> kWindowOptions{"--screenshot", "--panel"};

TEST(DefaultCommand, is_the_window) {
  EXPECT_THAT(with_default_command({}, kCommands, kWindowOptions), ElementsAre("gui"));
  EXPECT_THAT(with_default_command({"--screenshot", "x.png"}, kCommands, kWindowOptions),
              ElementsAre("gui", "--screenshot", "x.png"));
  EXPECT_THAT(with_default_command({"/"}, kCommands, kWindowOptions), ElementsAre("gui", "/"));
  EXPECT_THAT(with_default_command({"--help"}, kCommands, kWindowOptions), ElementsAre("--help"));
  EXPECT_THAT(with_default_command({"sweep", "x"}, kCommands, kWindowOptions), ElementsAre("sweep", "x"));
}

TEST(DefaultCommand, a_misspelled_command_is_not_taken_for_a_database) {
  expect_error(run_triscope({"swep"}), 2, "did you mean `triscope sweep`");
  expect_error(run_triscope({"no-such.db"}), 2, "'no-such.db' is unknown");
}

TEST(DefaultCommand, an_unknown_option_is_not_taken_for_one_of_the_window) {
  expect_error(run_triscope({"-v"}), 2,
               "'-v' is unknown: it is neither an option of triscope nor one of the window; see `triscope --help`");
  expect_error(run_triscope({"--hlep"}), 2, "did you mean `triscope --help`");
}

TEST(CommandLine, every_command_explains_itself_with_exit_0) {
  const ProgramResult help = run_triscope({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const std::string& command : kCommands) {
    EXPECT_THAT(help.output, HasSubstr("  " + command));
    const ProgramResult own = run_triscope({command, "--help"});
    EXPECT_EQ(own.exit_code, 0) << command;
    EXPECT_THAT(own.output, HasSubstr("triscope " + command)) << command;
    EXPECT_THAT(own.errors, IsEmpty()) << command;
  }
}

TEST(CommandLine, version_names_the_commit_and_the_compiler) {
  for (const char* argument : {"version", "--version"}) {
    const ProgramResult result = run_triscope({argument});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.output, HasSubstr("commit "));
    EXPECT_THAT(result.output, HasSubstr("GNU"));
  }
}

TEST(CommandLine, unknown_options_and_missing_arguments_are_usage_errors) {
  const std::map<std::string, std::vector<std::string>> required{{"advise", {"--seq", "1k"}},
                                                                 {"compare", {"1", "2"}},
                                                                 {"import", {"x"}},
                                                                 {"report", {"-o", "x"}},
                                                                 {"eval", {"--in", "a", "--out", "b", "--kernel", "k"}},
                                                                 {"completion", {"bash"}},
                                                                 {"plugin", {"new", "x"}},
                                                                 {"note", {"1"}},
                                                                 {"search", {"x"}}};
  for (const std::string& command : kCommands) {
    std::vector<std::string> arguments{command, "--no-such-option"};
    if (required.count(command) > 0)
      arguments.insert(arguments.end(), required.at(command).begin(), required.at(command).end());
    expect_error(run_triscope(arguments), 2, "--no-such-option");
  }
  expect_error(run_triscope({"compare", "1"}), 2, "B");
  expect_error(run_triscope({"import"}), 2, "FILE");
  expect_error(run_triscope({"eval"}), 2, "--");
  expect_error(run_triscope({"completion", "tcsh"}), 2, "tcsh");
  expect_error(run_triscope({"list", "extra"}), 2, "extra");
  expect_error(run_triscope({"list", "--db"}), 2, "--db");
}

TEST(CommandLine, unknown_arguments_are_named_in_order_with_the_nearest_name) {
  expect_error(run_triscope({"sweep", "--kernal", "cpu.fast", "--first", "--second"}), 2,
               "'--kernal', 'cpu.fast', '--first', '--second' were not expected; did you mean --kernel? see `triscope "
               "sweep --help`");
  expect_error(run_triscope({"list", "--fromat=csv"}), 2, "'--fromat=csv' was not expected; did you mean --format?");
  expect_error(run_triscope({"list", "extra"}), 2, "'extra' was not expected; see `triscope list --help`");
  const ProgramResult kernel = run_triscope(
      {"sweep", "--kernel", "cpu.fsat", "--db", (std::filesystem::temp_directory_path() / "not-written.db").string()});
  expect_error(kernel, 2, "did you mean cpu.fast? choose from: ");
}

TEST(CommandLine, a_misspelled_value_suggests_the_nearest_name) {
  expect_error(run_triscope({"sweep", "--form", "triliner"}), 2,
               "did you mean trilinear? choose from trilinear, determinant, dot_product");
  expect_error(run_triscope({"sweep", "--pass", "Forwrad"}), 2, "did you mean forward? choose from forward, backward");
  expect_error(run_triscope({"inspect", "--source", "inducton"}), 2, "did you mean induction?");
  expect_error(run_triscope({"show", "--format", "tabel"}), 2, "did you mean table?");
  expect_error(run_triscope({"show", "lates"}), 2, "did you mean latest?");
  expect_error(run_triscope({"sweep", "--device", "cpu", "--instance", "ALL"}), 2, "did you mean all?");
}

TEST(CommandLine, an_option_that_is_given_twice_is_named) {
  expect_error(run_triscope({"sweep", "--seq", "1k", "--seq", "2k"}), 2, "--seq was given 2 times; give it once");
}

struct BadValue {
  std::vector<std::string> arguments;
  std::string named;  ///< what the message must name
};

TEST(CommandLine, every_option_refuses_bad_values_by_name) {
  const std::vector<BadValue> cases{
      {{"sweep", "--windows", "512"}, "512"},
      {{"sweep", "--windows", "0x32"}, "0x32"},
      {{"sweep", "--windows", "-4x32"}, "-4x32"},
      {{"sweep", "--windows", "99999999999999999999x1"}, "99999999999999999999"},
      {{"sweep", "--windows", ""}, "windows"},
      {{"sweep", "--windows", "grid:1024..16"}, "1024..16"},
      {{"sweep", "--windows", "4611686018427387904x2"}, "4611686018427387904"},
      {{"sweep", "--seq", "9223372036854775807"}, "9223372036854775807"},
      {{"sweep", "--seq", "0"}, "'0'"},
      {{"sweep", "--seq", "nan"}, "'nan'"},
      {{"sweep", "--batch", "-1"}, "'-1'"},
      {{"sweep", "--q-heads", "8,,8"}, "--q-heads"},
      {{"sweep", "--kv-heads", "one"}, "'one'"},
      {{"sweep", "--head-dim", "1e2"}, "'1e2'"},
      {{"sweep", "--form", "cubic"}, "'cubic'"},
      {{"sweep", "--form", "gemm"}, "'gemm'"},
      {{"sweep", "--mask", "band"}, "'band'"},
      {{"sweep", "--element", "fp16"}, "'fp16'"},
      {{"sweep", "--scale", "nan"}, "'nan'"},
      {{"sweep", "--scale", "1e308"}, "scale is 1e+308"},
      {{"sweep", "--k2-bias", "inf"}, "'inf'"},
      {{"sweep", "--v2-bias", "1e999"}, "'1e999'"},
      {{"sweep", "--sink", "x"}, "'x'"},
      {{"sweep", "--pass", "sideways"}, "'sideways'"},
      {{"sweep", "--kernel", ""}, "--kernel"},
      {{"sweep", "--instance", ""}, "--instance"},
      {{"sweep", "--device", ""}, "--device"},
      {{"sweep", "--regime", "warm"}, "'warm'"},
      {{"sweep", "--precision", "0.5"}, "'0.5'"},
      {{"sweep", "--budget", "10"}, "'10'"},
      {{"sweep", "--time-limit", "0s"}, "'0s'"},
      {{"sweep", "--seed", "-1"}, "'-1'"},
      {{"sweep", "--tensors", ""}, "--tensors"},
      {{"sweep", "--worker-prefix", " "}, "--worker-prefix"},
      {{"sweep", "--db", ""}, "--db"},
      {{"sweep", "--resume", "--seq", "4k"}, "--seq"},
      {{"list", "--format", "xml"}, "'xml'"},
      {{"show", "--format", "xml"}, "'xml'"},
      {{"show", "nonsense"}, "'nonsense'"},
      {{"compare", "1", "x"}, "'x'"},
      {{"compare", "1", "2", "--fail-if", "slow"}, "'slow'"},
      {{"compare", "1", "2", "--tolerance", "1"}, "'1'"},
      {{"compare", "1", "2", "--format", "xml"}, "'xml'"},
      {{"export", "--format", "xml"}, "'xml'"},
      {{"eval", "--in", "a", "--out", "b", "--kernel", "k", "--windows", "table1"}, "'table1'"},
      {{"eval", "--in", "a", "--out", "b", "--kernel", "k"}, "--windows"},
      {{"eval", "--in", "a", "--out", "", "--kernel", "k", "--windows", "1x1"}, "--out"},
      {{"eval", "--in", "", "--out", "b", "--kernel", "k", "--windows", "1x1"}, "--in"},
      {{"check", "--seed", "x"}, "'x'"},
  };
  TemporaryFolder folder;
  const std::filesystem::path file = folder / "x.db";
  write_small_history(file);
  for (BadValue bad : cases) {
    const bool names_database = std::find(bad.arguments.begin(), bad.arguments.end(), "--db") != bad.arguments.end();
    const std::string& command = bad.arguments.front();
    if (!names_database && command != "eval" && command != "inspect" && command != "check") {
      bad.arguments.emplace_back("--db");
      bad.arguments.push_back(file.string());
    }
    SCOPED_TRACE(testing::PrintToString(bad.arguments));
    expect_error(run_triscope(bad.arguments), 2, bad.named);
  }
}

TEST(CommandLine, a_value_that_is_missing_behind_an_equals_sign_is_not_the_next_word) {
  TemporaryFolder folder;
  const std::string picture = (folder / "new.png").string();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"list", "--db=", "--json"},
                                                {"show", "--db=", "3"},
                                                {"sweep", "--dry-run", "--db=", "--json"}})
    expect_error(run_triscope(words), 2, "--db '': the name is empty");
  expect_error(run_triscope({"sweep", "--dry-run", "--seq=", "--q-heads=1"}), 2, "--seq ''");
  EXPECT_EQ(Program(program_path("triscope-window"), {"--screenshot=", picture}).wait().exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(picture));
}

TEST(CommandLine, what_import_says_of_the_other_database_does_not_name_the_one_it_writes_to) {
  const TemporaryFolder folder;
  const std::string usual = (folder / "triscope" / "results.db").string();
  const ProgramResult refused =
      run_triscope({"import", usual, "--db", (folder / "all.db").string()},
                   {.environment = {{"XDG_DATA_HOME", folder.path().string()}}, .output = {}, .new_group = false});
  expect_error(refused, 3, "there is no such file; record one with `triscope sweep`, or name another one");
}

TEST(CommandLine, json_beside_another_format_is_refused) {
  TemporaryFolder folder;
  write_small_history(folder / "h.db");
  const std::string file = (folder / "h.db").string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"paper", "results", "--json", "--format", "table"},
        {"list", "--db", file, "--format", "table", "--json"},
        {"show", "--db", file, "--json", "--format", "csv"},
        {"export", "--db", file, "--json", "--format", "latex"},
        {"explore", file, "--json", "--format", "csv"},
        {"kernels", "--json", "--format", "table"},
        {"compare", "1", "2", "--db", file, "--json", "--format", "md"}})
    expect_error(run_triscope(words), 2, "--json beside --format");
  EXPECT_EQ(run_triscope({"list", "--db", file, "--json", "--format", "json"}).exit_code, 0) << "they say the same";
}

TEST(CommandLine, a_part_of_the_paper_that_refuses_an_option_is_named_as_it_was_typed) {
  expect_error(run_triscope({"paper", "algorithm2", "--db", "x.db"}), 2, "--db with `triscope paper algorithm2`");
}

TEST(CommandLine, without_a_display_the_window_says_so) {
  const ProgramResult result = run_triscope({}, {.environment = {{"DISPLAY", ""}}, .output = {}, .new_group = false});
  expect_error(result, 3, "the window cannot be opened");
}

TEST(CommandLine, output_that_cannot_be_written_is_an_error) {
  const ProgramResult result = run_triscope({"--help"}, {.environment = {}, .output = "/dev/full", .new_group = false});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.errors, HasSubstr("could not be written"));
}

TEST(CommandLine, bash_completes_commands_options_and_choices) {
  const std::string complete =
      "source <(\"$0\" completion bash); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _triscope; echo \"${COMPREPLY[@]}\"";
  const auto reply = [&](const std::string& words) {
    const ProgramResult result =
        Program("/bin/bash", {"-c", "COMP_WORDS=(" + words + "); " + complete, program_path("triscope").string()})
            .wait();
    EXPECT_THAT(result.errors, IsEmpty());
    return result.output;
  };
  EXPECT_EQ(reply("triscope sw"), "sweep\n");
  EXPECT_EQ(reply("triscope sweep --wi"), "--windows\n");
  EXPECT_EQ(reply("triscope sweep --form tri"), "trilinear\n");
  EXPECT_EQ(reply("triscope completion z"), "zsh\n");
  EXPECT_EQ(reply("triscope explore --y tfl"), "tflops\n");
  EXPECT_THAT(reply("triscope export --format ''"), HasSubstr("csv"));
  EXPECT_THAT(reply("triscope sweep --db /et"), HasSubstr("/etc"));
  EXPECT_EQ(reply("triscope sweep --seq ''"), "\n") << "free values are not guessed";
}

TEST(CommandLine, zsh_script_parses) {
  TemporaryFolder folder;
  std::ofstream(folder / "_triscope") << run_triscope({"completion", "zsh"}).output;
  const ProgramResult result = Program("/bin/zsh", {"-n", (folder / "_triscope").string()}).wait();
  EXPECT_EQ(result.exit_code, 0) << result.errors;
}

TEST(CommandLine, fish_completes_commands_options_and_choices) {
  if (!std::filesystem::exists("/usr/bin/fish")) GTEST_SKIP() << "fish is not installed";
  const std::string complete = "$argv[1] completion fish | source; complete -C $argv[2]";
  const auto reply = [&](const std::string& words) {
    const ProgramResult result =
        Program("/usr/bin/fish", {"--no-config", "-c", complete, program_path("triscope").string(), words}).wait();
    EXPECT_THAT(result.errors, IsEmpty());
    return result.output;
  };
  EXPECT_THAT(reply("triscope sw"), HasSubstr("sweep\t"));
  EXPECT_THAT(reply("triscope sweep --wi"), HasSubstr("--windows\t"));
  EXPECT_THAT(reply("triscope sweep --form tri"), StartsWith("trilinear\t")) << "and what the option is for";
  EXPECT_EQ(reply("triscope completion z"), "zsh\n");
  EXPECT_THAT(reply("triscope export --format "), HasSubstr("csv"));
  EXPECT_THAT(reply("triscope sweep --db /et"), HasSubstr("/etc"));
  EXPECT_EQ(reply("triscope sweep --seq "), "") << "free values are not guessed";
}

/// What `triscope ARGUMENTS` gives in a shell, which closes streams.
ProgramResult run_in_shell(const std::string& arguments) {
  return Program("/bin/sh", {"-c", "exec '" + program_path("triscope").string() + "' " + arguments}).wait();
}

TEST(CommandLine, closed_streams_are_no_abort) {
  for (const std::string arguments : {"list --db /nowhere/x.db 2>&-", "list --db /nowhere/x.db >&- 2>&-"})
    EXPECT_EQ(run_in_shell(arguments).exit_code, 3) << arguments;
  EXPECT_EQ(run_in_shell("--version >/dev/full 2>/dev/full").exit_code, 3);
  const ProgramResult closed = run_in_shell("--version >&-");
  EXPECT_EQ(closed.exit_code, 3);
  EXPECT_THAT(closed.errors, HasSubstr("the output could not be written"));
}

TEST(CommandLine, a_sweep_without_streams_is_measured_and_stored) {
  const TemporaryFolder folder;
  const std::string database = folder / "a.db";
  const ProgramResult result = run_in_shell(
      "sweep --windows 2x2 --seq 16 --q-heads 1 --kv-heads 1 --head-dim 8 "
      "--device cpu --kernel cpu.fast --budget 10ms --db " +
      database + " >&- 2>&-");
  EXPECT_EQ(result.exit_code, 3);  // the output could not be written
  EXPECT_EQ(Snapshot(database).sweeps().front().ok, 2);
  EXPECT_FALSE(Snapshot(database).sweeps().front().finished.empty());
}

TEST(CommandLine, a_sweep_that_nobody_listens_to_is_measured_and_stored) {
  const TemporaryFolder folder;
  const std::string database = folder / "a.db";
  const std::string sweep =
      "sweep --windows 2x2 --seq 16 --q-heads 1 --kv-heads 1 --head-dim 8 --device cpu --kernel cpu.fast --budget 10ms "
      "--db " +
      database;
  const std::filesystem::path code = folder / "code";
  for (const std::string options : {"", " --json"}) {
    const std::string command = "'" + program_path("triscope").string() + "' " + sweep + options;
    Program("/bin/sh", {"-c", "(" + command + "; echo $? > " + code.string() + ") 2>&1 | true"}).wait();
    EXPECT_EQ(read_bytes(code), "3\n") << "what was to be said was not: " << options;
    EXPECT_EQ(Snapshot(database).sweeps().front().ok, 2) << options;
    EXPECT_FALSE(Snapshot(database).sweeps().front().finished.empty()) << options;
  }
}

TEST(CommandLine, escapes_from_elsewhere_do_not_reach_the_terminal) {
  const ProgramResult result = run_triscope({"\x1b[31mred"});
  EXPECT_THAT(result.errors, AllOf(HasSubstr("\\x1b[31mred"), Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace triscope
