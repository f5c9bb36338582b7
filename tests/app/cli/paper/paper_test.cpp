// `triscope paper` through the real program.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "profiler/record/json.hpp"
#include "profiler/verdict/row_verdicts.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/json_lines.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Paper, results_name_what_is_reproduced_and_what_is_not) {
  const ProgramResult text = run_triscope({"paper"});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("with 1B, 2B and 3.5B active parameters"));
  for (const char* there : {"beyond rounding", "~176B", "-2.265%"}) EXPECT_THAT(text.output, HasSubstr(there));
  // The change and the line that says what of it is reproduced are one number, written in one way.
  EXPECT_THAT(text.output, testing::ContainsRegex("change +[+]0[.]763% +[+]0[.]187% +[+]0[.]000% +[+]0[.]892%"));
  const std::vector<json> lines = json_lines(run_triscope({"paper", "results", "--format", "json"}));
  ASSERT_EQ(lines.size(), 62U) << "six rows of losses, 55 values and the sizes that explain them";
  EXPECT_EQ(lines[5]["total_parameters"], 176e9);
  EXPECT_EQ(lines[5]["losses"]["MMLU-pro"], 0.7689);
  EXPECT_EQ(lines.back()["type"], "solved_sizes");
  int reproduced = 0;
  for (const json& line : lines) reproduced += line.value("reproduced", json(false)) == json(true) ? 1 : 0;
  EXPECT_GT(reproduced, 20);
  EXPECT_LT(reproduced, 45);
}

TEST(Paper, table1_has_an_h100_beside_it_and_says_that_the_papers_gpu_is_unknown) {
  const ProgramResult text = run_triscope({"paper", "table1", "--db", recorded_file()});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  for (const char* there : {"does not say which GPU", "104.1", "47.07 +-0.59 %", "24.07 +-0.77 %",
                            "the 520 of its text", "at most 507", "NVIDIA H100 80GB HBM3", "NVIDIA H200"})
    EXPECT_THAT(text.output, HasSubstr(there));
  const std::vector<json> lines =
      json_lines(run_triscope({"paper", "table1", "--db", recorded_file(), "--format", "json"}));
  ASSERT_EQ(lines.size(), 9U) << "seven pairs of windows, and the paper's Triton kernels in both passes";
  EXPECT_EQ(lines[7]["type"], "paper_kernel");
  EXPECT_NEAR(lines[7]["ms"].get<double>() / lines[7]["ours_ms"].get<double>(), 13.2, 0.1);
  EXPECT_NEAR(lines[7]["ratio"].get<double>(), 13.2, 0.1);
  EXPECT_EQ(lines[7]["in_turns"], true) << "not the quotient of the medians";
  EXPECT_LT(lines[7]["ratio_low"].get<double>(), lines[7]["ratio"].get<double>());
  EXPECT_GT(lines[7]["ratio_high"].get<double>(), lines[7]["ratio"].get<double>());
  EXPECT_EQ(lines[8]["pass"], "backward");
  EXPECT_THAT(text.output, HasSubstr("paper's Triton kernels"));
  EXPECT_EQ(lines[4]["paper_ms"], 55.1);
  EXPECT_NEAR(lines[4]["recorded_ms"].get<double>(), 24.0677, 1e-9);
  EXPECT_NEAR(lines[4]["recorded_low_ms"].get<double>(), 23.8831, 1e-9);
  EXPECT_NEAR(lines[4]["recorded_high_ms"].get<double>(), 24.2536, 1e-9);
  EXPECT_EQ(lines[4]["kernel"], "cuda.hopper");
  EXPECT_NEAR(lines[4]["ms"].get<double>(), 23.80, 0.005)
      << "the row that counts: sweep 4 knows it better than sweep 1";
}

TEST(Paper, other_sizes_change_the_fits_only) {
  const auto lines = json_lines(run_triscope({"paper", "--format", "json"}));
  const auto other = json_lines(run_triscope({"paper", "--sizes", "1.06B,2.01B,3.39B", "--format", "json"}));
  ASSERT_EQ(lines.size(), other.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool fit = lines[i].contains("from") && lines[i]["from"] == "the losses of Table 2";
    EXPECT_EQ(lines[i] != other[i], fit) << lines[i];
  }
  expect_error(run_triscope({"paper", "--sizes", "1B,2B"}), 2, "the paper has three model sizes");
  expect_error(run_triscope({"paper", "--sizes", "1B,2B,x"}), 2, "'x' cannot be read");
  expect_error(run_triscope({"paper", "--sizes", "1B,1B,1B"}), 2, "they do not grow");
  expect_error(run_triscope({"paper", "--sizes", "1T,1.0000000000000002T,1.0000000000000004T"}), 2,
               "two sizes that differ");
}

TEST(Paper, scaling_says_that_three_points_decide_nothing) {
  int differences = 0, forecasts = 0;
  for (const json& line : json_lines(run_triscope({"paper", "scaling", "--forecast", "7B", "--format", "json"}))) {
    if (line["type"] == "alpha_difference") {
      ++differences;
      EXPECT_FALSE(line["significant"].get<bool>());
      EXPECT_FALSE(line["paired_significant"].get<bool>());
      EXPECT_GT(line["half"].get<double>(), line["value"].get<double>());
    }
    forecasts += line["type"] == "forecast" ? 1 : 0;
  }
  EXPECT_EQ(differences, 4);
  EXPECT_EQ(forecasts, 8);
}

TEST(Paper, scaling_evaluates_the_law_that_the_paper_starts_from) {
  const ProgramResult text = run_triscope({"paper", "scaling"});
  EXPECT_THAT(text.output, HasSubstr("L(N, D) = E + A / N^alpha + B / D^beta"));
  int laws = 0;
  for (const json& line : json_lines(run_triscope({"paper", "scaling", "--law", "0.1,100,0.3,200,0.25", "--trained-on",
                                                   "1T", "--forecast", "7B", "--format", "json"}))) {
    if (line["type"] == "balanced_growth") {
      EXPECT_NEAR(line["tokens_by_parameters"].get<double>(), 1.2, 1e-12);
      EXPECT_LT(line["line_alpha"].get<double>(), 0.3);
    }
    if (line["type"] != "law") continue;
    ++laws;
    const double size = 100 / std::pow(line["parameters"].get<double>(), 0.3), tokens = 200 / std::pow(1e12, 0.25);
    EXPECT_NEAR(line["loss"].get<double>(), 0.1 + size + tokens, 1e-12);
    EXPECT_NEAR(line["slope"].get<double>(), 0.3 * size / (0.1 + size + tokens), 1e-12);
  }
  EXPECT_EQ(laws, 4) << "1B, 2B, 3.5B and the forecast";
  expect_error(run_triscope({"paper", "scaling", "--law", "1,2,3"}), 2, "not five numbers");
  expect_error(run_triscope({"paper", "scaling", "--law", "1,2,3,4,0"}), 2, "exponents");
  expect_error(run_triscope({"paper", "scaling", "--irreducible", "0.3"}), 2, "not between 0 and every loss");
  expect_error(run_triscope({"paper", "scaling", "--law", "0,1,100,1,1"}), 2,
               "the law cannot be evaluated: at 1B parameters its loss is 0");
  expect_error(run_triscope({"paper", "scaling", "--law", "0,1e300,30,1,1", "--forecast", "1e-9"}), 2,
               "at 1e-09 parameters its loss is beyond what a double holds");
  EXPECT_THAT(run_triscope({"paper", "scaling"}).output, HasSubstr("to C^0.49 and"));
  EXPECT_THAT(run_triscope({"paper", "scaling"}).output, HasSubstr("harder, less saturated benchmarks"));
  int above = 0;
  for (const json& line : json_lines(run_triscope({"paper", "scaling", "--irreducible", "0.1", "--format", "json"}))) {
    if (line["type"] != "law_above") continue;
    ++above;
    EXPECT_GT(line["alpha"].get<double>(), line["alpha_plain"].get<double>());
  }
  EXPECT_EQ(above, 8);
}

TEST(Paper, operator_has_its_relatives_the_determinant_and_the_crossings) {
  const ProgramResult text = run_triscope({"paper", "operator", "--db", recorded_file()});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  for (const char* there : {"Strassen attention", "a1 b2 c3 + a2 b3 c1", "by the paper's count, 3 w1 w2   49,152",
                            "by the clock, both", "; cuda.hopper)"})
    EXPECT_THAT(text.output, HasSubstr(there));
  const auto lines = json_lines(
      run_triscope({"paper", "operator", "--window", "2048x32", "--db", recorded_file(), "--format", "json"}));
  ASSERT_GE(lines.size(), 12U);
  const json& work = lines.back();
  EXPECT_EQ(work["type"], "operator_work");
  EXPECT_EQ(work["crossing_full_rows"], 2 * 2048 * 32);
  EXPECT_TRUE(work["crossings_forward"][0]["tokens"].is_null());
  EXPECT_THAT(work["crossings_forward"][0]["text"].get<std::string>(), HasSubstr("the longer window is 2048"))
      << "wider than any that was measured, so recipe refuses it too";
  const json& determinant = lines[lines.size() - 2];
  EXPECT_NEAR(determinant["first_einsum"].get<double>() - determinant["second_einsum"].get<double>(),
              determinant["determinant"].get<double>(), 1e-15);
}

TEST(Paper, recipe_says_at_which_length_the_windows_are_comparable) {
  const ProgramResult text = run_triscope({"paper", "recipe", "--db", recorded_file()});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("over 49,152 (48k) tokens by the paper's count"));
  EXPECT_THAT(text.output, testing::ContainsRegex("By the clock, forward: [0-9,]+ .*; cuda.hopper"));
}

TEST(Paper, operator_names_the_sweep_that_would_tell_an_unknown_crossing) {
  const ProgramResult told = run_triscope({"paper", "operator", "--form", "determinant", "--db", recorded_file()});
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  EXPECT_THAT(told.output, HasSubstr("What is not known a sweep tells: triscope sweep --pass forward,backward --form "
                                     "determinant --windows 512x32 --seq "));
  EXPECT_THAT(run_triscope({"paper", "operator", "--db", recorded_file()}).output,
              testing::Not(HasSubstr("What is not known")));
}

TEST(Paper, with_a_database_alone_says_what_each_part_comes_to) {
  const ProgramResult text = run_triscope({"paper", "--db", recorded_file()});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_EQ(text.output, run_triscope({"paper", "overview", "--db", recorded_file()}).output);
  std::set<std::string> sections;
  for (const json& line : json_lines(run_triscope({"paper", "--db", recorded_file(), "--format", "json"}))) {
    EXPECT_EQ(line["type"], "overview");
    EXPECT_NE(line["finds"], "") << line;
    sections.insert(line["section"].get<std::string>());
  }
  EXPECT_EQ(sections, (std::set<std::string>{"results", "operator", "table1", "lengths", "scaling", "tiling", "recipe",
                                             "match3", "errata"}));
  for (const char* there : {"Tables 3 and 4", "Figure 3", "Theorem 1", "7 of its 7 pairs of windows"})
    EXPECT_THAT(text.output, HasSubstr(there));
}

/// Each ratio is of rows that took turns, and is that of `triscope show`.
TEST(Paper, lengths_stand_beside_dot_product_attention) {
  const Snapshot stored(recorded_file());
  std::map<std::string, int> ratios;  // by pass
  for (const json& line : json_lines(run_triscope({"paper", "lengths", "--db", recorded_file(), "--format", "json"}))) {
    EXPECT_EQ(line["window1"], 512);
    const json &windows = line["windows"], &dot_product = line["dot_product"];
    if (windows.is_null() || dot_product.is_null()) {
      EXPECT_TRUE(line["ratio"].is_null()) << line;
      continue;
    }
    EXPECT_EQ(windows["kernel"], "cuda.hopper");
    EXPECT_EQ(dot_product["kernel"], "baseline.fa3");
    EXPECT_GT(windows["tflops"].get<double>(), 10);
    EXPECT_EQ(windows["sweep"], dot_product["sweep"]) << line;
    const std::vector<ResultRow> rows = stored.results(windows["sweep"].get<std::int64_t>());
    const auto row = std::ranges::find(rows, windows["ms"].get<double>(), &ResultRow::median_ms);
    ASSERT_NE(row, rows.end());
    const Comparison time = compare_with_baseline(stored, rows, "baseline.fa3").by_measurement.at(row->measurement);
    EXPECT_DOUBLE_EQ(line["ratio"].get<double>(), time.ratio);
    EXPECT_DOUBLE_EQ(line["ratio_low"].get<double>(), time.interval.low);
    EXPECT_DOUBLE_EQ(line["ratio_high"].get<double>(), time.interval.high);
    ++ratios[line["pass"].get<std::string>()];
  }
  EXPECT_GE(ratios["forward"], 7);
  EXPECT_GE(ratios["backward"], 7);
  const ProgramResult text = run_triscope({"paper", "lengths", "--db", recorded_file()});
  EXPECT_THAT(text.output, testing::Not(HasSubstr("other sweeps")));
  EXPECT_THAT(text.output, HasSubstr("Rates count 4 x head_dim forward and 10 x head_dim backward"));
  expect_error(run_triscope({"paper", "lengths", "--seq", "8k"}), 2, "--seq with `triscope paper lengths`");
}

/// Lines of JSON that are none would read as a database without lengths.
TEST(Paper, lengths_without_a_database_are_refused_where_a_script_asks) {
  const TemporaryFolder folder;
  const Program::Options nowhere{.environment = {{"XDG_DATA_HOME", folder.path()}}, .output = {}, .new_group = false};
  EXPECT_THAT(run_triscope({"paper", "lengths"}, nowhere).output, HasSubstr("With --db FILE"));
  const ProgramResult refused = run_triscope({"paper", "lengths", "--format", "json"}, nowhere);
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_EQ(refused.output, "");
  EXPECT_THAT(refused.errors, HasSubstr("nothing has been measured yet"));
}

TEST(Paper, no_section_tells_of_an_impossible_layer) {
  for (const char* section : {"operator", "lengths", "overview", "recipe", "tiling"})
    expect_error(run_triscope({"paper", section, "--q-heads", "64", "--kv-heads", "7", "--db", recorded_file()}), 2,
                 "q_heads is 64, but must be a multiple of kv_heads, which is 7");
}

TEST(Paper, sizes_have_to_grow) {
  expect_error(run_triscope({"paper", "results", "--sizes", "3B,2B,1B"}), 2, "they do not grow");
  expect_error(run_triscope({"paper", "scaling", "--sizes", "1B,1B,2B"}), 2, "they do not grow");
}

/// Each as it is printed, up to a comma with a blank, after which words say what of it to look at.
TEST(Paper, errata_name_commands_that_work) {
  const TemporaryFolder folder;
  std::set<std::vector<std::string>> commands;  // several errata name one
  for (const json& one : json_lines(run_triscope({"paper", "errata", "--format", "json"}))) {
    std::istringstream parts(one["shown_by"].get<std::string>());
    for (std::string part; std::getline(parts, part, ';');) {
      std::istringstream words(part.substr(0, part.find(", ")));
      std::vector<std::string> command;
      for (std::string word; words >> word;) command.push_back(word);
      if (command.size() < 2 || command[0] != "triscope") continue;
      const bool checks = command[1] == "check";
      if (!checks && (command[1] != "paper" || command.size() < 3)) continue;
      command.erase(command.begin());
      if (checks && std::ranges::find(command, "--kernel") == command.end())
        command.insert(command.end(), {"--kernel", "cpu.fast"});  // every kernel takes minutes
      if (checks) command.emplace_back("--quick");
      if (command[1] == "page") command.back() = folder.path() / command.back();
      commands.insert(std::move(command));
    }
  }
  for (const std::vector<std::string>& command : commands) {
    const ProgramResult result = run_triscope(command);
    EXPECT_EQ(result.exit_code, 0) << testing::PrintToString(command) << ": " << result.errors;
  }
  EXPECT_GE(commands.size(), 8U) << testing::PrintToString(commands);
}

TEST(Paper, losses_of_ones_own_get_the_same_fits) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "mine.csv";
  std::ofstream(file) << "benchmark,model,parameters,loss\n"
                         "code,a,100M,1.00\ncode,a,200M,0.92\ncode,a,400M,0.85\ncode,a,800M,0.78\n"
                         "code,b,100M,1.00\ncode,b,200M,0.82\ncode,b,400M,0.67\ncode,b,800M,0.55\n";
  const ProgramResult text = run_triscope({"paper", "scaling", "--losses", file, "--forecast", "7B"});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("one more run, 95 %"));
  const auto lines = json_lines(run_triscope({"paper", "scaling", "--losses", file, "--format", "json"}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[2]["type"], "alpha_difference");
  EXPECT_TRUE(lines[2]["significant"].get<bool>());
  EXPECT_NEAR(lines[2]["value"].get<double>(), 0.169, 0.01);
  expect_error(run_triscope({"paper", "scaling", "--losses", (folder.path() / "none.csv").string()}), 2,
               "cannot be opened");
  expect_error(run_triscope({"paper", "scaling", "--losses", folder.path().string()}), 2, "it is a folder");
}

TEST(Paper, losses_that_have_no_law_are_named_beside_the_others) {
  const TemporaryFolder folder;
  const std::string some = folder.path() / "some.csv", none = folder.path() / "none.csv";
  const std::string header = "benchmark,model,parameters,loss\n";
  std::ofstream(some) << header << "b,x,1B,.5\nb,x,2B,.4\nb,y,1B,.6\n";
  std::ofstream(none) << header << "b,x,1B,.5\nb,y,1B,.6\n";
  const ProgramResult text = run_triscope({"paper", "scaling", "--losses", some});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("Not fitted: b, y: a line needs two sizes that differ"));
  const auto lines = json_lines(run_triscope({"paper", "scaling", "--losses", some, "--format", "json"}));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["model"], "x");
  EXPECT_EQ(lines[1]["type"], "not_fitted");
  EXPECT_EQ(lines[1]["model"], "y");
  const ProgramResult refused = run_triscope({"paper", "scaling", "--losses", none});
  expect_error(refused, 2, "b, x: a line needs two sizes");
  EXPECT_THAT(refused.errors, HasSubstr("b, y: a line needs two sizes"));
}

TEST(Paper, recipe_refuses_models_that_are_too_large_to_add_up) {
  const std::string recorded = recorded_file();
  for (const char* many : {"1001", "100000000000", "9000000000000000000"})
    expect_error(run_triscope({"paper", "recipe", "--layers", many, "--budget", "1s", "--db", recorded}), 2,
                 "give at most 1000");
  expect_error(run_triscope({"paper", "recipe", "--sequences", "1000001", "--db", recorded}), 2, "at most 1000000");
  EXPECT_EQ(run_triscope({"paper", "recipe", "--layers", "1000", "--budget", "1s", "--db", recorded}).exit_code, 0);
}

TEST(Paper, errata_are_listed_and_one_is_told_in_full) {
  EXPECT_GE(json_lines(run_triscope({"paper", "errata", "--format", "json"})).size(), 30U);
  const ProgramResult one = run_triscope({"paper", "errata", "grad-k2-indices"});
  EXPECT_EQ(one.exit_code, 0);
  EXPECT_THAT(one.output, HasSubstr("reason    The right side is Q_id dS_ijk K_jd"));
  expect_error(run_triscope({"paper", "errata", "grad-k2-index"}), 2, "grad-k2-indices");
  expect_error(run_triscope({"paper", "result"}), 2, "results");
  expect_error(run_triscope({"paper", "results", "grad-scale"}), 2, "only errata have names");
}

TEST(Paper, tiling_says_which_part_of_the_listings_tiles_is_useful) {
  const auto lines = json_lines(run_triscope({"paper", "tiling", "--window", "284x32", "--format", "json"}));
  ASSERT_GE(lines.size(), 3U);
  EXPECT_EQ(lines[0]["kernel"], "paper forward");
  for (const json& line : lines) {
    EXPECT_GT(line["useful_fraction"].get<double>(), 0.1) << line;
    EXPECT_LE(line["useful_fraction"].get<double>(), 1) << line;
    EXPECT_EQ(line["useful"], lines[0]["useful"]) << line;
  }
  const ProgramResult text = run_triscope({"paper", "tiling", "--window", "284x32", "--seq", "8k"});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("trilinear 284x32, seq 8192"));
  const std::string determinant = run_triscope({"paper", "tiling", "--form", "determinant"}).output;
  EXPECT_THAT(determinant, testing::AnyOf(HasSubstr("the paper's listings have no determinant"), HasSubstr("cuda.")));
  EXPECT_THAT(determinant, testing::Not(HasSubstr("only\nthe paper's listings")));
  expect_error(run_triscope({"paper", "tiling", "--window", "284"}), 2, "284");
  expect_error(run_triscope({"paper", "tiling", "--seq", "1024m"}), 2, "tiles are counted up to");
  expect_error(run_triscope({"paper", "tiling", "--window", "284x32,1x1"}), 2, "more than one pair");
}

TEST(Paper, match3_tells_the_numbers_that_are_given) {
  const auto lines =
      json_lines(run_triscope({"paper", "match3", "--numbers", "1,2,8,4", "--modulus", "11", "--format", "json"}));
  ASSERT_EQ(lines.size(), 4U + 1 + 3 + 1);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(lines[i]["matches"], i < 3 ? 2 : 0);
    EXPECT_TRUE(lines[i]["right"].get<bool>());
  }
  EXPECT_EQ(lines[4]["wrong"], 0);
  EXPECT_GT(lines[4]["margin"].get<double>(), 0.1);
  for (std::size_t i = 5; i < 8; ++i) {
    EXPECT_EQ(lines[i]["type"], "match3_bound");
    EXPECT_EQ(lines[i]["tried_wrong"], 0) << "4 numbers modulo 11 are safe in every precision";
    EXPECT_TRUE(lines[i]["safe"].get<bool>());
  }
  EXPECT_EQ(lines[8]["unseen_right_theorem1"], lines[8]["unseen_tokens"]);
  EXPECT_LT(lines[8]["unseen_right"].get<int>(), lines[8]["unseen_tokens"].get<int>());
  EXPECT_EQ(lines[8]["never_all_right"].size(), 4U);
}

TEST(Paper, match3_says_where_a_precision_ends_and_what_it_cannot_read) {
  const ProgramResult text =
      run_triscope({"paper", "match3", "--modulus", "97", "--tokens", "12", "--precision", "bf16"});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("12 numbers modulo 97"));
  EXPECT_THAT(text.output, HasSubstr("none is"));
  EXPECT_THAT(text.output, HasSubstr("told wrongly"));
  EXPECT_EQ(text.output,
            run_triscope({"paper", "match3", "--modulus", "97", "--tokens", "12", "--precision", "bf16"}).output)
      << "the same seed, the same numbers";
  expect_error(run_triscope({"paper", "match3", "--numbers", "1,2,x"}), 2, "no whole numbers");
  expect_error(run_triscope({"paper", "match3", "--modulus", "1001"}), 2, "choose 1 to 1000");
  expect_error(run_triscope({"paper", "match3", "--tokens", "2k"}), 2, "at most 1024");
  expect_error(run_triscope({"paper", "match3", "--precision", "fp8"}), 2, "fp16");
  expect_error(run_triscope({"paper", "match3", "--c", "-1"}), 2, "above zero");
  expect_error(run_triscope({"paper", "match3", "--precision", "fp16", "--c", "1e6"}), 2, "65504");
}

TEST(Paper, recipe_adds_up_layers_of_the_recorded_database) {
  const std::string recorded = recorded_file();
  const auto lines =
      json_lines(run_triscope({"paper", "recipe", "--db", recorded, "--budget", "5s", "--format", "json"}));
  ASSERT_GE(lines.size(), 11U);
  const json& mix = lines.back();
  EXPECT_EQ(mix["type"], "layer_mix");
  EXPECT_EQ(mix["simplicial_layers"], 8);
  EXPECT_TRUE(mix["global_forward"]["measured"].get<bool>());
  const double step = mix["simplicial_forward"]["ms"].get<double>() + mix["simplicial_backward"]["ms"].get<double>();
  const double global = mix["global_forward"]["ms"].get<double>() + mix["global_backward"]["ms"].get<double>();
  EXPECT_NEAR(mix["mix_ms"].get<double>() / (8 * step + 24 * global), 1, 0.005) << "the middle of its interval";
  EXPECT_LT(mix["mix_low_ms"].get<double>(), 8 * step + 24 * global);
  EXPECT_GT(mix["mix_high_ms"].get<double>(), 8 * step + 24 * global);
  const ProgramResult text = run_triscope({"paper", "recipe", "--db", recorded});
  EXPECT_THAT(text.output, HasSubstr("every fourth"));
  EXPECT_THAT(text.output, HasSubstr("The mix takes"));
  expect_error(run_triscope({"paper", "recipe", "--db", recorded, "--head-dim", "96"}), 2, "it was not measured");
}

/// Nobody named a database, so that the usual one cannot add the layers up is no mistake of the request.
TEST(Paper, recipe_of_the_usual_database_says_what_it_lacks_below_the_card) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "triscope");
  std::filesystem::copy_file(recorded_file(), folder / "triscope/results.db");
  const ProgramResult told =
      run_triscope({"paper", "recipe", "--head-dim", "96"}, {.environment = {{"XDG_DATA_HOME", folder.path()}}});
  EXPECT_EQ(told.exit_code, 0) << told.errors;
  EXPECT_THAT(told.output, HasSubstr("every fourth"));
  EXPECT_THAT(told.output, HasSubstr("the layers cannot be added up: the forward of 512x32 with 64/1 heads of 96"));
}

TEST(Paper, recipe_estimates_windows_that_were_not_measured_or_says_why_not) {
  const std::string recorded = recorded_file();
  const ProgramResult told =
      run_triscope({"paper", "recipe", "--db", recorded, "--windows", "384x48", "--format", "json"});
  if (run_triscope({"paper", "tiling", "--format", "json"}).output.find("cuda.hopper") == std::string::npos)
    GTEST_SKIP() << "a build without CUDA counts triples, which tell little of other windows";
  const json mix = json_lines(told).back();
  for (const char* pass : {"simplicial_forward", "simplicial_backward"}) {
    EXPECT_FALSE(mix[pass]["measured"].get<bool>());
    EXPECT_THAT(mix[pass]["basis"].get<std::string>(), HasSubstr("estimate by"));
    const double low = mix[pass]["low_ms"].get<double>(), high = mix[pass]["high_ms"].get<double>();
    EXPECT_GT(high, low);
    EXPECT_EQ(mix[pass]["ms"].is_null(), high - low > 0.05 * (high + low))
        << pass << ": a number, or the interval alone";
  }
  EXPECT_LT(mix["mix_low_ms"].get<double>(), mix["mix_high_ms"].get<double>());
  expect_error(run_triscope({"paper", "recipe", "--db", recorded, "--windows", "2048x32"}), 2,
               "the longer window is 2048");
}

/// 76 times the longest measured length: no number, whatever the fit would give.
TEST(Paper, recipe_refuses_lengths_far_beyond_measured_ones) {
  expect_error(run_triscope({"paper", "recipe", "--db", recorded_file(), "--seq", "10m"}), 2,
               "an estimate reaches 4 times as far");
}

TEST(Paper, tiling_tells_the_time_of_measured_windows_with_their_interval) {
  const std::string text = run_triscope({"paper", "tiling", "--db", recorded_file()}).output;
  EXPECT_THAT(text, HasSubstr("By measured rows: 512x32 takes "));
  EXPECT_THAT(text, HasSubstr(" ms forward (cuda.hopper, measured, +-"));
  EXPECT_THAT(text, HasSubstr(" It takes "));
}

TEST(Paper, a_page_says_where_it_is) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "report.html";
  const ProgramResult page = run_triscope({"paper", "page", "-o", file, "--db", recorded_file()});
  EXPECT_EQ(page.exit_code, 0);
  EXPECT_EQ(page.output, "");
  EXPECT_EQ(page.errors, "written to " + file + "\n");
}

TEST(Paper, the_names_of_the_windows_pages_stand_for_the_same) {
  EXPECT_EQ(run_triscope({"paper", "tiles"}).output, run_triscope({"paper", "tiling"}).output);
  EXPECT_EQ(run_triscope({"paper", "laws"}).output, run_triscope({"paper", "scaling"}).output);
  EXPECT_EQ(run_triscope({"paper", "laws"}).exit_code, 0);
  EXPECT_TRUE(run_triscope({"paper", "table3"}).output.ends_with(run_triscope({"paper", "scaling"}).output));
  EXPECT_EQ(run_triscope({"paper", "figure2"}).output, run_triscope({"paper", "tiling"}).output);
  const std::vector<std::string> figure3{"paper", "figure3", "--db", recorded_file()};
  EXPECT_THAT(run_triscope(figure3).output, HasSubstr("baseline.fa3, ms"));
}

TEST(Paper, an_option_that_would_have_no_effect_is_refused) {
  const TemporaryFolder folder;
  const std::string page = folder.path() / "report.html";
  std::ofstream(folder.path() / "mine.csv") << "benchmark,model,parameters,loss\ncode,a,1B,1\ncode,a,2B,0.9\n";
  const std::string losses = folder.path() / "mine.csv";
  struct Refused {
    std::vector<std::string> arguments;
    const char* why;
  };
  const std::vector<Refused> all{
      {{"page", "-o", page, "--losses", losses}, "--losses with `triscope paper page`: it has no effect there"},
      {{"page", "-o", page, "--sizes", "1B,2B,3B"}, "it is for results, scaling"},
      {{"table1", "-o", page}, "it is for page"},
      {{"results", "--losses", losses}, "it is for scaling"},
      {{"table1", "--window", "128x32"}, "it is for operator, overview, lengths, tiling, recipe, page"},
      {{"errata", "--db", recorded_file()}, "it is for operator, overview, table1, lengths, tiling, recipe, page"},
      {{"scaling", "--trained-on", "1T"}, "--trained-on without --law"},
      {{"scaling", "--losses", losses, "--sizes", "1B,2B,3B"}, "--sizes beside --losses"},
      {{"match3", "--numbers", "1,2", "--tokens", "5"}, "--tokens beside --numbers"}};
  for (const auto& [arguments, why] : all) {
    std::vector<std::string> words{"paper"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    expect_error(run_triscope(words), 2, why);
  }
  EXPECT_FALSE(std::filesystem::exists(page));
}

}  // namespace
}  // namespace triscope
