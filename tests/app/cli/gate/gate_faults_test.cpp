// What a gate of `triscope compare` must not pass: exchanged databases, sweeps cut short, rows without samples.
#include <gmock/gmock.h>

#include "tests/app/cli/gate/gate_fixture.hpp"
#include "tests/profiler/store/synthetic_database.hpp"

namespace triscope {
namespace {

using gates::change;
using gates::slow_down;
using gates::write;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class GateFaults : public gates::GateTest {};

TEST_F(GateFaults, an_older_measurement_is_not_judged_against_a_newer_one) {
  write(old_file);
  write(new_file, {.factor = 1.5});
  change(new_file, "UPDATE measurement SET started_unix_ns = started_unix_ns + 3600000000000");
  EXPECT_THAT(gate().errors, HasSubstr("1 of 5 comparisons fail"));
  const std::vector<std::vector<std::string>> reversed{{new_file.string(), old_file.string()},
                                                       {old_file.string(), "latest", "--db", new_file.string()},
                                                       {old_file.string() + "@1", "1", "--db", new_file.string()},
                                                       {"1", new_file.string(), "--db", old_file.string()}};
  for (std::vector<std::string> words : reversed) {
    words.insert(words.begin(), "compare");
    words.insert(words.end(), {"--fail-if", "longer>5%"});
    const ProgramResult result = run_triscope(words);
    EXPECT_EQ(result.exit_code, 1) << testing::PrintToString(words) << result.output;
    EXPECT_THAT(result.errors, HasSubstr("A, which is judged, is older than B: name the new one"));
  }
}

TEST_F(GateFaults, a_measurement_without_usable_samples_does_not_pass) {
  for (const char* statement :
       {"DELETE FROM sample WHERE measurement = 1", "UPDATE sample SET launches = 0 WHERE measurement = 1",
        "UPDATE sample SET duration_ns = -duration_ns WHERE measurement = 1 AND ordinal = (SELECT min(ordinal) FROM "
        "sample WHERE measurement = 1)"}) {
    for (const auto& file : {old_file, new_file}) {
      std::filesystem::remove(file);
      write(file);
    }
    EXPECT_EQ(gate().exit_code, 0);
    change(new_file, statement);
    const ProgramResult result = gate();
    EXPECT_EQ(result.exit_code, 1) << statement << result.output;
    EXPECT_THAT(result.errors, HasSubstr("1 of 5 comparisons fail")) << statement;
    EXPECT_THAT(gate({"--format", "json"}).output, HasSubstr("\"ratio\":null")) << statement;
  }
}

TEST_F(GateFaults, a_sweep_that_was_cut_short_does_not_pass_though_its_rows_are_there) {
  write(old_file);
  write(new_file);
  EXPECT_EQ(gate().exit_code, 0);
  change(new_file, "UPDATE sweep SET planned = 6");
  EXPECT_THAT(gate().errors, HasSubstr("sweep 1 of A was cut short: `triscope sweep --resume 1 --db " +
                                       new_file.string() + "` measures the rest"));
  change(new_file, "UPDATE sweep SET planned = 5, finished_unix_ns = NULL");
  for (const std::string& file : {new_file.string(), new_file.string() + "@1"}) {
    const ProgramResult result = run_triscope({"compare", old_file.string(), file, "--fail-if", "longer>15%"});
    EXPECT_EQ(result.exit_code, 1) << result.output;
    EXPECT_THAT(result.errors, HasSubstr("sweep 1 of A was cut short"));
  }
}

TEST_F(GateFaults, a_heap_of_slow_blocks_below_the_median_is_named) {
  write(old_file);
  write(new_file, {.change = [](Measurement& m) { slow_down(m, 1.3, [](std::size_t n) { return n % 3 == 0; }); }});
  const ProgramResult result = compare();
  EXPECT_THAT(result.output, AllOf(HasSubstr("A has two modes: "), Not(HasSubstr("B has two modes")))) << result.errors;
}

TEST_F(GateFaults, what_is_missing_is_named) {
  write(old_file);
  write(new_file);
  change(new_file, "DELETE FROM sample WHERE measurement = 2");
  change(new_file, "DELETE FROM measurement WHERE id = 2");
  EXPECT_THAT(gate().errors, HasSubstr("A lacks 1 measurement of B: m2 ("));
}

TEST_F(GateFaults, of_much_that_is_missing_the_first_is_named_and_the_rest_is_counted) {
  write_synthetic_database(old_file, 10, 20);
  write_synthetic_database(new_file, 10, 20);
  change(new_file, "PRAGMA foreign_keys = OFF; DELETE FROM measurement WHERE id > 4");
  const std::string errors = gate().errors;
  EXPECT_THAT(errors,
              testing::ContainsRegex("A lacks 6 measurements of B: m5 [^\n]*, m6 [^\n]*, m7 [^\n]* and 3 more"));
  EXPECT_THAT(errors, Not(HasSubstr("m8 (")));
}

}  // namespace
}  // namespace triscope
