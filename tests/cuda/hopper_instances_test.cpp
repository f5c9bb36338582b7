// The rule that chooses an instance of cuda.hopper beside what every instance took: 200 random problems on an H200
// (tests/cuda/data/hopper_instances.csv, written by `hopper_bench random 200 2 FILE`).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "kernels/cuda/hopper/choose/plan.hpp"
#include "tests/cuda/hopper_case.hpp"

namespace triscope::hopper {
namespace {

/// What one problem took: us by instance; cuda.portable by its name.
struct Recorded {
  Problem problem;
  std::map<std::string, double> us;
};

std::vector<Recorded> read_recorded() {
  std::ifstream file(TRISCOPE_TEST_DATA "/hopper_instances.csv");
  std::vector<Recorded> recorded;
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "seed,number,problem,instance,us");
  while (std::getline(file, line)) {
    const std::size_t quote = line.find('"'), unquote = line.rfind('"'), comma = line.rfind(',');
    const int seed = std::stoi(line), number = std::stoi(line.substr(line.find(',') + 1));
    if (static_cast<std::size_t>(number) == recorded.size()) {
      recorded.push_back({bench::random_case(seed, number).problem, {}});
      EXPECT_EQ(line.substr(quote + 1, unquote - quote - 1), describe(recorded.back().problem))
          << "line of another generator";
    }
    recorded.back().us[line.substr(unquote + 2, comma - unquote - 2)] = std::stod(line.substr(comma + 1));
  }
  return recorded;
}

double us_of_choice(const Recorded& row) { return row.us.at(instance_name(best_plan(row.problem).instance)); }

TEST(HopperInstances, no_choice_is_slower_than_cuda_portable) {
  const std::vector<Recorded> recorded = read_recorded();
  ASSERT_EQ(recorded.size(), 200u);
  for (const Recorded& row : recorded) {
    EXPECT_GE(row.us.at("cuda.portable") / us_of_choice(row), 0.97)
        << describe(row.problem) << " (3 %: what one time may be off)";
  }
}

TEST(HopperInstances, the_choice_is_the_fastest_instance_or_near_it) {
  double sum = 0, worst = 1;
  int near = 0;
  const std::vector<Recorded> recorded = read_recorded();
  for (const Recorded& row : recorded) {
    const auto fastest = std::min_element(row.us.begin(), row.us.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    const double ratio = fastest->second / us_of_choice(row);
    EXPECT_GE(ratio, 0.8) << describe(row.problem) << ": " << fastest->first << " is faster";
    sum += ratio, worst = std::min(worst, ratio);
    near += ratio >= 0.95;
  }
  RecordProperty("worst", std::to_string(worst));
  RecordProperty("mean", std::to_string(sum / static_cast<double>(recorded.size())));
  EXPECT_GE(sum / static_cast<double>(recorded.size()), 0.985);
  EXPECT_GE(near, 180);
}

TEST(HopperInstances, every_instance_is_the_fastest_of_its_kind_somewhere) {
  std::map<std::string, int> wins;
  for (const Recorded& row : read_recorded()) {
    const auto fastest = std::min_element(row.us.begin(), row.us.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    ++wins[fastest->first == "cuda.portable" ? kPortableName : fastest->first];
  }
  for (const char* name : {"rows", "portable", "d128_rows128_keys128", "d128_pair64_keys128", "d128_split64_keys128",
                           "d128_rows128_keys112", "d128_split64_keys96_mixed", "d64_rows128_keys128",
                           "d64_split64_keys128", "d64_split64_keys128_mixed"}) {
    EXPECT_GT(wins[name], 0) << name << " is not needed";
  }
}

}  // namespace
}  // namespace triscope::hopper
