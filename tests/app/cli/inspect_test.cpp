// `triscope inspect` through the real programs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "kernels/tensors/tensor_file.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two tokens, one head, head_dim 1: logits are products of three numbers.
void write_small(const std::filesystem::path& file, const char* q_name = "q") {
  const std::vector<HostTensor> tensors{
      {q_name, {2, 1, 1}, {1, 2}}, {"k1", {2, 1, 1}, {1, 3}}, {"k2", {2, 1, 1}, {0.5F, 1}}};
  write_safetensors(file, tensors);
}

TEST(Inspect, an_array_holds_the_probabilities_of_the_query) {
  const TemporaryFolder folder;
  write_small(folder / "t.safetensors");
  const ProgramResult result = run_triscope({"inspect", "--in", (folder / "t.safetensors").string(), "--query", "1",
                                             "--windows", "2x2", "--scale", "1", "-o", (folder / "p.npy").string()});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("2 x 2 pairs"));
  const TensorFile file(folder / "p.npy");
  const std::vector<float> p = read_floats(file.tensors().front());
  // logits 2 * {1, 3} * {0.5, 1}: rows of k, columns of j
  const double expected[] = {std::exp(1), std::exp(3), std::exp(2), std::exp(6)};
  const double sum = expected[0] + expected[1] + expected[2] + expected[3];
  ASSERT_EQ(p.size(), 4U);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_NEAR(p[n], expected[n] / sum, 1e-6);
}

TEST(Inspect, an_output_beyond_fp32_is_said_so_and_nothing_is_nan_or_inf) {
  const TemporaryFolder folder;
  std::vector<HostTensor> tensors;
  for (const char* role : {"q", "k1", "k2", "v1", "v2"}) tensors.push_back({role, {2, 1, 1}, {1e20F, 2e20F}});
  write_safetensors(folder / "t.safetensors", tensors);
  const auto inspect = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"inspect", "--in", (folder / "t.safetensors").string(), "--query", "1", "--windows",
                               "2x2", "--device", "cpu"});
    return run_triscope(more);
  };
  const ProgramResult facts = inspect({});
  EXPECT_EQ(facts.exit_code, 0) << facts.errors;
  EXPECT_THAT(facts.output, HasSubstr("the output is beyond the largest fp32 number"));
  EXPECT_THAT(facts.output, HasSubstr(" p 1\n")) << "what can be said";
  const ProgramResult beside = inspect({"--kernel", "cpu.fast"});
  EXPECT_EQ(beside.exit_code, 0) << beside.errors;
  EXPECT_THAT(beside.output, HasSubstr("its output has no error that can be said"));
  for (const std::string& text : {facts.output, beside.output})
    EXPECT_THAT(text, Not(testing::ContainsRegex("[ -](nan|inf)[ ,\n]")));
}

TEST(Inspect, a_wrong_row_of_a_kernel_is_led_back_to_the_pair_that_it_added) {
  const std::vector<std::string> asked{"inspect", "--source", "induction", "--query",  "90",        "--windows",
                                       "16x1",    "--device", "cpu",       "--kernel", "test.wider"};
  const Program::Options bad{.environment = {{"TRISCOPE_WORKER", build_file("tests/triscope-bad-worker")}}};
  const ProgramResult wrong = run_triscope(asked, bad);
  ASSERT_EQ(wrong.exit_code, 0) << wrong.errors;
  EXPECT_THAT(wrong.output, HasSubstr("a right kernel is within 1e-05:"));
  EXPECT_THAT(wrong.output, testing::ContainsRegex("j [^\n]*74[^\n]*k [^\n]*90[^\n]*added from beyond the windows"));
  std::vector<std::string> as_json = asked;
  as_json.emplace_back("--json");
  EXPECT_THAT(run_triscope(as_json, bad).output, HasSubstr("\"kind\":\"added\""));
  std::vector<std::string> right = asked;
  right.back() = "cpu.fast";
  EXPECT_THAT(run_triscope(right, bad).output, Not(HasSubstr("a right kernel")));
}

TEST(Inspect, a_table_has_a_line_for_every_pair_with_its_tokens) {
  const TemporaryFolder folder;
  write_small(folder / "t.safetensors");
  std::ofstream(folder / "labels.txt") << "say \"hi\"\nyou\n";
  const ProgramResult result =
      run_triscope({"inspect", "--in", (folder / "t.safetensors").string(), "--query", "1", "--windows", "2x1",
                    "--scale", "1", "--labels", (folder / "labels.txt").string(), "-o", (folder / "p.csv").string()});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::ifstream stream(folder / "p.csv");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_THAT(text, testing::StartsWith("j,k,logit,p,token_j,token_k\n0,1,2,"));
  EXPECT_THAT(text, HasSubstr("\"say \"\"hi\"\"\",you"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST(Inspect, a_picture_is_written_for_generated_tensors) {
  const TemporaryFolder folder;
  const ProgramResult result = run_triscope({"inspect", "--source", "induction", "--seq", "128", "--query", "100",
                                             "--head", "7", "--windows", "64x16", "-o", (folder / "p.png").string()});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_GT(std::filesystem::file_size(folder / "p.png"), 500U);
}

TEST(Inspect, the_bias_of_v2_and_shared_key_heads_are_options_too) {
  const auto output = [](const char* option, const char* value) {
    const ProgramResult result = run_triscope({"inspect", "--source", "random", "--seq", "32", "--q-heads", "4",
                                               "--head", "3", "--query", "20", "--windows", "8x8", option, value});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    const std::size_t at = result.output.find("output of length");
    EXPECT_NE(at, std::string::npos) << result.output;
    return result.output.substr(at, result.output.find('\n', at) - at);
  };
  EXPECT_EQ(output("--v2-bias", "0"), output("--kv-heads", "1"));
  EXPECT_NE(output("--v2-bias", "0"), output("--v2-bias", "2"));
  EXPECT_NE(output("--kv-heads", "1"), output("--kv-heads", "4"));
}

TEST(Inspect, a_window_far_larger_than_what_is_seen_gives_an_array_but_no_picture_beyond_reason) {
  const TemporaryFolder folder;
  const auto inspect = [&](const char* file) {
    return run_triscope({"inspect", "--source", "random", "--seq", "8192", "--head-dim", "4", "--q-heads", "1",
                         "--query", "2", "--windows", "8192x8192", "-o", (folder / file).string()});
  };
  EXPECT_EQ(inspect("p.npy").exit_code, 0);
  const ProgramResult picture = inspect("p.png");
  EXPECT_EQ(picture.exit_code, 2) << picture.output;
  EXPECT_THAT(picture.errors, HasSubstr("a picture of 8192 x 8192 cells is too large"));
}

TEST(Inspect, what_is_inspected_is_never_overwritten) {
  const TemporaryFolder folder;
  write_small(folder / "t.safetensors");
  std::ofstream(folder / "labels.csv") << "a\nb\n";
  for (const char* role : {"q", "k1", "k2"}) write_npy(folder / fmt::format("{}.npy", role), {role, {2, 1, 1}, {1, 2}});
  const auto refused = [&](const char* in, const char* out) {
    const auto before = std::filesystem::last_write_time(folder / out);
    const ProgramResult result =
        run_triscope({"inspect", "--in", (folder / in).string(), "--labels", (folder / "labels.csv").string(),
                      "--windows", "2x2", "-o", (folder / out).string()});
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.errors, HasSubstr("one of the files that are inspected"));
    EXPECT_EQ(std::filesystem::last_write_time(folder / out), before);
  };
  refused("q.npy", "q.npy");
  refused("q.npy", "k2.npy");
  refused("t.safetensors", "labels.csv");
}

TEST(Inspect, a_sink_that_is_no_number_is_said_and_words_are_quoted) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "t.safetensors";
  const std::vector<HostTensor> tensors{{"q", {2, 1, 1}, {1, 2}},
                                        {"k1", {2, 1, 1}, {1, 3}},
                                        {"k2", {2, 1, 1}, {0.5F, 1}},
                                        {"sink", {1}, {std::numeric_limits<float>::quiet_NaN()}}};
  write_safetensors(file, tensors);
  std::ofstream(folder / "labels.txt") << "such\nand\n";
  const ProgramResult result = run_triscope({"inspect", "--in", file.string(), "--query", "1", "--windows", "2x2",
                                             "--labels", (folder / "labels.txt").string()});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("query 1 \"and\", head 0 of 1"));
  EXPECT_THAT(result.output, HasSubstr("the sink of this head is NaN"));
  EXPECT_THAT(result.output, Not(HasSubstr("entropy")));
}

struct Pair {
  std::int64_t head = 0, query = 0, j = 0, k = 0;
  double p = 0;
};
const std::vector<std::string> kSearched{"inspect",    "--source", "random",    "--seq", "14",     "--q-heads", "2",
                                         "--head-dim", "8",        "--windows", "5x3",   "--seed", "7"};
std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Every pair of every query of both heads, from the tables of one slice each; the largest p first.
std::vector<Pair> all_pairs(const TemporaryFolder& folder) {
  std::vector<Pair> all;
  for (std::int64_t head = 0; head < 2; ++head) {
    for (std::int64_t query = 0; query < 14; ++query) {
      const std::string file = (folder / "p.csv").string();
      const ProgramResult result =
          run_triscope(with(kSearched, {"--head", std::to_string(head), "--query", std::to_string(query), "-o", file}));
      EXPECT_EQ(result.exit_code, 0) << result.errors;
      std::ifstream stream(file);
      std::string line;
      std::getline(stream, line);
      while (std::getline(stream, line)) {
        Pair pair{head, query};
        double logit = 0;
        if (std::sscanf(line.c_str(), "%ld,%ld,%lf,%lf", &pair.j, &pair.k, &logit, &pair.p) == 4) all.push_back(pair);
      }
    }
  }
  std::ranges::sort(all, [](const Pair& a, const Pair& b) { return a.p > b.p; });
  return all;
}

/// The `most` strongest of `all` that `wanted` takes are what the search prints.
void expect_found(const std::vector<Pair>& all, const std::vector<std::string>& search, std::size_t most,
                  const std::function<bool(const Pair&)>& wanted) {
  const ProgramResult result =
      run_triscope(with(kSearched, with({"--find", std::to_string(most), "--format", "json"}, search)));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::istringstream lines(result.output);
  std::string line;
  std::size_t n = 0;
  for (const Pair& pair : all) {
    if (!wanted(pair) || n == most) continue;
    ++n;
    ASSERT_TRUE(std::getline(lines, line)) << n;
    const auto found = nlohmann::json::parse(line);
    EXPECT_EQ(found["head"], pair.head) << line;
    EXPECT_EQ(found["query"], pair.query) << line;
    EXPECT_EQ(found["j"], pair.j) << line;
    EXPECT_EQ(found["k"], pair.k) << line;
    EXPECT_NEAR(found["p"].get<double>(), pair.p, 1e-5 * pair.p);
  }
  EXPECT_EQ(n, most);
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Inspect, the_strongest_triples_of_all_heads_and_queries_are_found) {
  const TemporaryFolder folder;
  std::vector<Pair> all = all_pairs(folder);
  ASSERT_GT(all.size(), 200U);
  expect_found(all, {}, 12, [](const Pair& pair) { return pair.query >= 4; });
  const std::string table = run_triscope(with(kSearched, {"--find", "2"})).output;
  EXPECT_THAT(table, HasSubstr("Queries before 4 are left out: their windows are cut at the first token."));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  EXPECT_THAT(table, HasSubstr("--head"));
  expect_found(all, {"--all-queries"}, 12, [](const Pair&) { return true; });
  expect_found(all, {"--token", "2", "--all-queries"}, 12, [](const Pair& pair) { return pair.j == 2 || pair.k == 2; });
  expect_found(all, {"--token", "2"}, 12,
               [](const Pair& pair) { return pair.query >= 4 && (pair.j == 2 || pair.k == 2); });
  expect_found(all, {"--token", "6"}, 12, [](const Pair& pair) { return pair.j == 6 || pair.k == 6; });
  expect_found(all, {"--back", "3,1"}, 12, [](const Pair& pair) {
    return pair.query >= 4 && pair.query - pair.j == 3 && pair.query - pair.k == 1;
  });
  const auto apart = [](const Pair& pair) { return std::abs(pair.j - pair.k); };
  const auto nearest = [](const Pair& pair) { return std::min(pair.query - pair.j, pair.query - pair.k); };
  expect_found(all, {"--apart", "2"}, 12, [&](const Pair& pair) { return pair.query >= 4 && apart(pair) >= 2; });
  expect_found(all, {"--away", "1", "--all-queries"}, 12, [&](const Pair& pair) { return nearest(pair) >= 1; });
  expect_found(all, {"--apart", "2", "--away", "1"}, 12,
               [&](const Pair& pair) { return pair.query >= 4 && apart(pair) >= 2 && nearest(pair) >= 1; });
  expect_found(all, {"--token", "6", "--apart", "1"}, 8,
               [&](const Pair& pair) { return (pair.j == 6 || pair.k == 6) && apart(pair) >= 1; });
  expect_found(all, {"--back", "1,2", "--token", "6"}, 4, [](const Pair& pair) {
    return pair.query - pair.j == 1 && pair.query - pair.k == 2 && (pair.j == 6 || pair.k == 6);
  });
}

/// How many queries of `head` that see all keys have their largest p at a pair so far back.
std::int64_t strongest_at(const std::vector<Pair>& all, std::int64_t head, std::pair<std::int64_t, std::int64_t> back) {
  std::map<std::int64_t, Pair> strongest;  // of a query; the largest p of `all` comes first
  for (const Pair& pair : all) {
    if (pair.head == head && pair.query >= 4) strongest.emplace(pair.query, pair);
  }
  return std::ranges::count_if(strongest, [&](const auto& one) {
    return one.second.query - one.second.j == back.first && one.second.query - one.second.k == back.second;
  });
}

TEST(Inspect, peaks_that_rest_on_chance_are_told_apart_from_those_that_count) {
  const auto peaks = [](std::vector<std::string> source, const std::vector<std::string>& more) {
    return run_triscope(with(with({"inspect", "--heads"}, source), more)).output;
  };
  const std::vector<std::string> chance{"--source",  "induction", "--seq",     "512",
                                        "--q-heads", "8",         "--windows", "128x16"};
  EXPECT_THAT(peaks(chance, {}), HasSubstr(", 1 with the largest p there; of one or few queries: does not count\n"));
  EXPECT_THAT(peaks(chance, {}), HasSubstr("; nearly even: does not count\n"));
  EXPECT_THAT(peaks(chance, {"--json"}), HasSubstr(R"("doubt":"few queries")"));

  constexpr std::int64_t kTokens = 64;  // each query looks at the token before it, as j, and at itself, as k
  const std::vector<std::int64_t> shape{kTokens, 1, kTokens};
  std::vector<float> own(kTokens * kTokens, 0), next = own;
  for (std::int64_t n = 0; n < kTokens; ++n) own[static_cast<std::size_t>(n * kTokens + n)] = 8;
  for (std::int64_t n = 0; n + 1 < kTokens; ++n) next[static_cast<std::size_t>(n * kTokens + n + 1)] = 8;
  const TemporaryFolder folder;
  const std::vector<HostTensor> tensors{{"q", shape, own}, {"k1", shape, next}, {"k2", shape, own}};
  write_safetensors(folder / "t.safetensors", tensors);
  const std::vector<std::string> planted{"--in", (folder / "t.safetensors").string(), "--windows", "8x4"};
  EXPECT_THAT(peaks(planted, {}), testing::ContainsRegex("j +1 back, k +0 back: .*, 57 with the largest p there\n"));
  EXPECT_THAT(peaks(planted, {"--json"}), HasSubstr(R"("back1":1,"back2":0,"doubt":null)"));
}

TEST(Inspect, the_heads_are_printed_with_their_means_and_where_they_look) {
  const TemporaryFolder folder;
  const std::vector<Pair> all = all_pairs(folder);
  const ProgramResult result = run_triscope(with(kSearched, {"--heads", "--format", "json"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::istringstream lines(result.output);
  std::string line;
  for (std::int64_t head = 0; head < 2; ++head) {
    ASSERT_TRUE(std::getline(lines, line));
    const auto printed = nlohmann::json::parse(line);
    EXPECT_EQ(printed["head"], head);
    double distance = 0, even = 0;
    std::map<std::pair<std::int64_t, std::int64_t>, double> sums;
    for (const Pair& pair : all) {
      if (pair.head != head || pair.query < 4) continue;
      distance += pair.p * static_cast<double>(pair.query - pair.j) / 10;
      even += static_cast<double>(pair.query - pair.j) / 15 / 10;
      sums[{pair.query - pair.j, pair.query - pair.k}] += pair.p / 10;
    }
    EXPECT_NEAR(printed["distance1"].get<double>(), distance, 1e-4);
    EXPECT_NEAR(printed["even"]["distance1"].get<double>(), even, 1e-9);
    EXPECT_NEAR(printed["even"]["distance1"].get<double>(), 2, 1e-9);
    const auto largest = std::ranges::max_element(sums, {}, [](const auto& one) { return one.second; });
    const auto& peak = printed["peaks"][0];
    EXPECT_EQ(peak["back1"], largest->first.first);
    EXPECT_EQ(peak["back2"], largest->first.second);
    EXPECT_NEAR(peak["p"].get<double>(), largest->second, 1e-5);
    EXPECT_NEAR(peak["even"].get<double>(), 1.0 / 15, 1e-9);
    EXPECT_EQ(peak["queries"], 10);
    EXPECT_EQ(peak["strongest"], strongest_at(all, head, largest->first));
    EXPECT_EQ(peak["doubt"], "nearly even") << "weights of random inputs at this scale";
  }
  EXPECT_FALSE(std::getline(lines, line));
  const std::string table = run_triscope(with(kSearched, {"--heads"})).output;
  EXPECT_THAT(table, HasSubstr("Queries before 4 are left out"));
  EXPECT_THAT(table, HasSubstr("even weights"));
  EXPECT_THAT(table, HasSubstr("times even weights, over 10 queries"));
  const ProgramResult both = run_triscope(with(kSearched, {"--heads", "--find", "3"}));
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.errors, HasSubstr("--find cannot be used"));
}

TEST(Inspect, distances_that_contradict_each_other_are_said_to) {
  constexpr const char* kWhy = "no query has a triple of which all that is asked holds";
  const std::vector<std::string> search = {"--find", "3", "--back", "1,1", "--apart", "2"};
  const ProgramResult found = run_triscope(with(kSearched, search));
  EXPECT_EQ(found.exit_code, 0) << found.errors;
  EXPECT_THAT(found.output, HasSubstr(kWhy));
  std::vector<std::string> as_json = search;
  as_json.emplace_back("--json");
  const ProgramResult json = run_triscope(with(kSearched, as_json));
  EXPECT_EQ(json.output, "");
  EXPECT_THAT(json.errors, HasSubstr(kWhy)) << "nothing is not said by silence alone";
}

TEST(Inspect, a_search_that_finds_nothing_or_takes_too_long_says_so) {
  const auto refused = [](const std::vector<std::string>& more, const char* why) {
    const ProgramResult result = run_triscope(with(kSearched, more));
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.errors, HasSubstr(why));
  };
  refused({"--find", "3", "--token", "14"}, "have 14 tokens");
  refused({"--find", "3", "--back", "5,1"}, "no query sees keys so far before it");
  refused({"--find", "3", "--back", "5"}, "not a pair of distances");
  refused({"--find", "3", "--apart", "5"}, "no query sees keys so far");
  refused({"--find", "3", "--away", "5"}, "no query sees keys so far");
  refused({"--apart", "3"}, "add --find N");
  refused({"--find", "3", "--query", "2"}, "--query cannot be used");
  refused({"--token", "3"}, "add --find N");
  const ProgramResult large = run_triscope(
      {"inspect", "--source", "random", "--seq", "9000", "--windows", "4x4", "--find", "3", "--back", "1,1"});
  EXPECT_EQ(large.exit_code, 2) << large.output;
  EXPECT_THAT(large.errors, HasSubstr("it needs 71976 slices, and at most 50000 are made"));
}

TEST(Inspect, faults_are_a_sentence_and_exit_code_2) {
  const TemporaryFolder folder;
  write_small(folder / "t.safetensors", "query");
  const std::string file = (folder / "t.safetensors").string();
  const auto refused = [](std::vector<std::string> arguments, const char* why) {
    arguments.insert(arguments.begin(), "inspect");
    const ProgramResult result = run_triscope(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.output;
    EXPECT_THAT(result.errors, HasSubstr(why));
  };
  refused({"--windows", "2x2"}, "--in");
  refused({"--in", file, "--windows", "2x2"}, "not clear which tensor is q");
  refused({"--in", file, "--names", "q=query"}, "--windows is missing");
  refused({"--in", "no/such.npy"}, "no/such.npy");
  refused({"--in", "", "--windows", "2x2"}, "the name is empty");
  refused({"--in", file, "--windows", "2x2", "--names", "q=query", "--query", "5"}, "no query 5");
  refused({"--in", file, "--windows", "2x2", "--names", "query"}, "'query'");
  refused({"--in", file, "--source", "random"}, "--source cannot be used");
  refused({"--in", file, "--seq", "64"}, "--seq cannot be used");
  refused({"--source", "random", "--labels", "/dev/null"}, "--labels cannot be used");
  refused({"--source", "random", "--windows", "2x2", "--logits"}, "--logits cannot be used");
  refused({"--source", "random", "--windows", "2x2", "--logits", "-o", "x.png"}, "name a .npy file");
  refused({"--in", file, "--windows", "2x2", "-o", "x.jpg"}, ".png, .csv or .npy");
}

}  // namespace
}  // namespace triscope
