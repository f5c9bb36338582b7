// What else differs between two compared sweeps: the window lists all that `triscope compare` names.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/window/database/database_reader.hpp"
#include "profiler/record/environment_difference.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {
namespace {

Environment in_nothing_alike() {
  Environment e = synthetic_environment();
  for (std::string* text :
       {&e.device_id, &e.device_name, &e.device_uuid, &e.driver_version, &e.cuda_version, &e.cupti_version, &e.host,
        &e.cpu_model, &e.os, &e.triscope_version, &e.git_commit, &e.compiler, &e.compile_flags})
    *text += "-other";
  e.power_limit_w = 1, e.max_sm_clock_mhz = 2, e.max_memory_clock_mhz = 3, e.peak_tflops = 4;
  ++e.cpu_threads;
  return e;
}

void add_row(const std::filesystem::path& file, const Environment& environment, const std::string& request,
             const std::string& source_hash, const Environment* resumed = nullptr) {
  Store store(file);
  const std::int64_t sweep = store.begin_sweep("triscope sweep", request, environment, 1);
  if (resumed != nullptr) store.resume_sweep(sweep, *resumed);
  Measurement m = synthetic_measurement(0, 20);
  m.source_hash = source_hash;
  store.add(sweep, m);
  store.finish_sweep(sweep);
}

std::vector<Difference> differences_in(const std::filesystem::path& file) {
  DatabaseReader reader;
  const ReadResult read = reader.read({.file = file, .shown = 2, .compared = {1, 2}}, [](const ReadResult&) {});
  return read.compare_table ? read.compare_table->differences : std::vector<Difference>{};
}

std::vector<std::string> names_of(const std::vector<Difference>& differences) {
  std::vector<std::string> names;
  for (const Difference& one : differences) names.push_back(one.what.substr(0, one.what.find(" of one")));
  return names;
}

const char* const kTen = R"({"seed":1,"restarts":1,"stopping":{"precision":0.005,"budget_ns":10000000000}})";

TEST(CompareDifferences, the_window_lists_all_that_the_command_line_names) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "two.db";
  const Environment one = synthetic_environment(), other = in_nothing_alike();
  add_row(file, one, kTen, "aaaa");
  add_row(file, other, R"({"seed":2,"restarts":3,"tensors":"","stopping":{"precision":0.01,"budget_ns":3000000000}})",
          "bbbb");
  const std::vector<Difference> differences = differences_in(file);
  const std::vector<std::string> names = names_of(differences);
  for (const PlaceFact& fact : facts_of(one)) EXPECT_THAT(names, testing::Contains(fact.name));
  for (const char* setting : {"seed", "restarts", "precision", "budget", "kernel sources"})
    EXPECT_THAT(names, testing::Contains(setting));
  EXPECT_THAT(names, testing::Not(testing::Contains("tensors"))) << "which one of them does not know";
  const auto budget = std::ranges::find(differences, "budget", &Difference::what);
  ASSERT_NE(budget, differences.end());
  EXPECT_THAT(budget->values, testing::ElementsAre("10.0 s", "3.00 s"));
}

TEST(CompareDifferences, of_a_sweep_that_was_resumed_elsewhere_the_place_of_its_rows_counts) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "two.db";
  Environment elsewhere = synthetic_environment();
  elsewhere.host = "elsewhere";
  add_row(file, synthetic_environment(), kTen, "aaaa");
  add_row(file, synthetic_environment(), kTen, "aaaa", &elsewhere);
  EXPECT_THAT(names_of(differences_in(file)), testing::ElementsAre("host"));
}

TEST(CompareDifferences, what_is_alike_is_not_listed) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "two.db";
  for (int n = 0; n < 2; ++n) add_row(file, synthetic_environment(), kTen, "aaaa");
  EXPECT_THAT(differences_in(file), testing::IsEmpty());
}

}  // namespace
}  // namespace triscope
