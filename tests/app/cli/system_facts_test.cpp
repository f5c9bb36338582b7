// What is gathered from a worker that has a GPU, some of whose libraries are broken.
#include <gmock/gmock.h>

#include <cstdlib>

#include "app/cli/doctor/doctor.hpp"
#include "tests/paths.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

// What stands beside the baseline called `id`; the build's own baselines are there too.
std::string problem_of(const SystemFacts& facts, const std::string& id) {
  for (const BaselineFact& baseline : facts.baselines) {
    if (baseline.kernel.id == id) return baseline.problem;
  }
  return "not there";
}

TEST(SystemFacts, a_library_that_ends_the_worker_costs_its_own_line_only) {
  const TemporaryFolder folder;
  setenv("TRISCOPE_WORKER", build_file("tests/triscope-bad-worker").c_str(), 1);
  setenv("TRISCOPE_TEST_WORKER", "baselines", 1);
  const SystemFacts facts = gather_facts(folder / "none.db", {});
  unsetenv("TRISCOPE_WORKER");
  unsetenv("TRISCOPE_TEST_WORKER");
  EXPECT_THAT(problem_of(facts, "test.baseline_crashes"), HasSubstr("SIGSEGV"));
  EXPECT_EQ(problem_of(facts, "test.baseline"), "");
}

}  // namespace
}  // namespace triscope
