// `triscope compare` as a gate on two databases, and the recipe of docs/gates.md.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "profiler/statistics/statistics.hpp"
#include "profiler/store/store.hpp"
#include "tests/app/cli/expect_error.hpp"
#include "tests/app/cli/gate/gate_fixture.hpp"
#include "tests/app/cli/program.hpp"
#include "tests/paths.hpp"
#include "tests/profiler/store/synthetic_database.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using gates::every_sample;
using gates::Planted;
using gates::slow_down;
using gates::write;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class GateTest : public gates::GateTest {};

TEST_F(GateTest, a_configuration_that_a_sweep_repeats_is_compared_once) {
  write(new_file);
  {
    SQLite::Database database(new_file.string(), SQLite::OPEN_READWRITE);
    database.exec(
        "UPDATE measurement SET (config, kernel, pass, regime) = (SELECT config, kernel, pass, regime FROM measurement "
        "WHERE id = 2) WHERE id IN (3, 4)");
  }
  write(old_file, {.sweeps = 2});
  const ProgramResult same = run_triscope({"compare", new_file.string() + "@1", old_file.string() + "@1"});
  EXPECT_THAT(same.output, HasSubstr("3 measurements of sweep 1")) << same.errors;
  EXPECT_THAT(same.output, HasSubstr("; 2 older of the same configurations left out\n"));
  EXPECT_THAT(same.output, HasSubstr("\n3 compared,"));
  EXPECT_THAT(same.output, AllOf(HasSubstr("m4"), Not(HasSubstr("m3 with"))));
}

TEST_F(GateTest, of_two_databases_the_second_is_judged) {
  write(old_file);
  write(new_file, {.factor = 1.3});
  const ProgramResult slower = gate();
  EXPECT_EQ(slower.exit_code, 1) << slower.output;
  EXPECT_THAT(slower.output,
              AllOf(HasSubstr("1.30x longer"), HasSubstr("FAILS"), HasSubstr("A: " + new_file.string())));
  EXPECT_THAT(slower.errors, HasSubstr("1 of 5 comparisons fail"));
  const ProgramResult other_way =
      run_triscope({"compare", new_file.string(), old_file.string(), "--fail-if", "longer>5%"});
  EXPECT_EQ(other_way.exit_code, 0) << "both say that they are of one moment; " << other_way.errors;
  EXPECT_EQ(compare().exit_code, 0) << "without a gate";
}

TEST_F(GateTest, the_ratio_of_the_table_has_one_direction) {
  write(old_file);
  write(new_file, {.factor = 1.25});
  const std::string slower = compare().output;
  EXPECT_THAT(slower, HasSubstr("1.25x longer  1.24"));
  EXPECT_THAT(slower, Not(HasSubstr("the quotient of the two medians"))) << "it is inside the interval";
  const std::string faster = run_triscope({"compare", new_file.string(), old_file.string()}).output;
  EXPECT_THAT(faster, HasSubstr("1.25x shorter  0.79"));
}

TEST_F(GateTest, one_sweep_of_a_database_can_be_named) {
  write(old_file);
  write(new_file, {.factor = 1.3});
  write(new_file);
  EXPECT_EQ(gate().exit_code, 0) << "the newest of each configuration";
  const ProgramResult first =
      run_triscope({"compare", old_file.string(), new_file.string() + "@1", "--fail-if", "longer>5%"});
  EXPECT_EQ(first.exit_code, 1) << first.output;
  expect_error(run_triscope({"compare", old_file.string(), new_file.string() + "@7"}), 2, "no such sweep");
  expect_error(run_triscope({"compare", old_file.string(), folder_path("none.db").string()}), 3, "none.db");
  expect_error(compare({"--db", old_file.string()}), 2, "--db cannot be used");
}

/// Of three restarts of 20 samples; the first sample of the second is number 7.
void in_three_restarts(Measurement& m) {
  for (std::size_t n = 0; n < m.samples.size(); ++n) m.samples[n].restart = static_cast<std::int64_t>(n / 7);
  m.summary = summarize(m.samples, StoppingRule{});
}

TEST_F(GateTest, a_slowdown_that_is_unclear_does_not_pass) {
  const std::map<std::string, std::function<void(Measurement&)>> slowdowns = {
      {"two of three restarts",
       [](Measurement& m) {
         in_three_restarts(m);
         slow_down(m, 2, [](std::size_t n) { return n >= 7; });
       }},
      {"half of the blocks",
       [](Measurement& m) { slow_down(m, 1.6, [](std::size_t n) { return n % 2 == 0 || n == 1; }); }},
      {"all, beside something else on the machine",
       [](Measurement& m) {
         slow_down(m, 1.5, every_sample);
         for (Sample& sample : m.samples) sample.flag = "preempted";
       }},
      {"one sample",
       [](Measurement& m) {
         m.samples.resize(1);
         slow_down(m, 3, every_sample);
       }},
  };
  for (const auto& [name, change] : slowdowns) {
    std::filesystem::remove(old_file);
    std::filesystem::remove(new_file);
    write(old_file, {.change = name == "two of three restarts" ? in_three_restarts : [](Measurement&) {}});
    write(new_file, {.change = change});
    const ProgramResult result = gate({"--max-unclear", "99%"});
    EXPECT_EQ(result.exit_code, 1) << name << result.output;
    EXPECT_THAT(result.output, HasSubstr("FAILS")) << name;
    EXPECT_THAT(gate({"--format", "junit"}).output, AllOf(HasSubstr("failures=\"2\""), HasSubstr("skipped=\"0\"")))
        << name;
  }
}

TEST_F(GateTest, what_lies_below_the_threshold_passes_also_where_the_verdict_is_unclear) {
  const auto uneven = [](Measurement& m) {
    for (std::size_t n = 0; n < m.samples.size(); ++n)
      slow_down(m, 1 + 0.01 * static_cast<double>(n % 5), [&](std::size_t one) { return one == n; });
  };
  write(old_file, {.change = uneven});
  write(new_file, {.change = uneven});
  ASSERT_THAT(compare().output, HasSubstr("1 unclear")) << "the precision is too low for a verdict of the same";
  const ProgramResult result = gate({"--max-unclear", "0%"});
  EXPECT_EQ(result.exit_code, 0) << result.errors << result.output;
  EXPECT_THAT(gate({"--format", "junit"}).output, HasSubstr("failures=\"0\" skipped=\"0\""));
}

// Copies and imports keep a sweep's random id.
TEST_F(GateTest, a_measurement_is_not_judged_against_itself_in_another_file) {
  write(old_file);
  std::filesystem::copy_file(old_file, new_file);
  expect_error(gate(), 2, "both name the same measurements");
  expect_error(run_triscope({"compare", old_file.string(), old_file.string()}), 2, "both name the same measurements");
  {
    Store store(new_file);  // one configuration is measured anew
    const std::int64_t sweep = store.begin_sweep("triscope sweep", Planted{}.request, synthetic_environment(), 1);
    Measurement again = synthetic_measurement(52, 20);
    again.started_unix_ns += 3'600'000'000'000;
    store.add(sweep, again);
    store.finish_sweep(sweep);
  }
  const ProgramResult stale = gate();
  EXPECT_EQ(stale.exit_code, 1) << stale.output;
  EXPECT_THAT(stale.output, HasSubstr("m1 and m1 are one measurement: A holds no newer one."));
  EXPECT_THAT(stale.errors, HasSubstr("4 of 5 comparisons fail"));
}

TEST_F(GateTest, two_gpus_are_listed_and_judged_where_that_is_allowed_by_name) {
  write(old_file);
  Planted other{.factor = 1.3};
  other.environment.device_uuid = "GPU-2";
  write(new_file, other);
  const ProgramResult listed = compare();
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.output, AllOf(HasSubstr("5 compared, 5 not comparable"), HasSubstr("two GPUs")));
  const ProgramResult refused = gate({"--allow", "commit"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("--allow device"));
  const ProgramResult allowed = compare({"--allow", "device"});
  EXPECT_THAT(allowed.output, AllOf(HasSubstr("1.30x longer"), HasSubstr("4 the same"),
                                    HasSubstr("what differs between the cards is in the ratio")));
  EXPECT_THAT(gate({"--allow", "device"}).errors, HasSubstr("1 of 5 comparisons fail"));
}

TEST_F(GateTest, what_failed_in_the_reference_is_not_passed_over) {
  const auto fail = [](Measurement& m) {
    m.status = Status::failed;
    m.reason = "out of memory";
    m.samples.clear();
    m.summary = {};
  };
  write(old_file, {.change = fail});
  write(new_file);
  const ProgramResult result = gate();
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_THAT(result.errors, HasSubstr("B failed in 1 comparison, so that A is not judged"));
}

TEST_F(GateTest, pairs_that_cannot_be_compared_do_not_make_open_ones_fewer) {
  write(old_file, {.change = [](Measurement& m) { m.status = Status::skipped; }});
  write(new_file, {.unclear = 2});
  EXPECT_THAT(gate({"--max-unclear", "24%"}).errors, HasSubstr("1 of 4 comparisons are unclear"));
  EXPECT_EQ(gate({"--max-unclear", "25%"}).exit_code, 0) << gate({"--max-unclear", "25%"}).errors;
}

TEST_F(GateTest, older_rows_do_not_stand_in_for_those_of_a_sweep_that_was_cut_short) {
  write(old_file);
  write(new_file);
  {
    Store store(new_file);
    const std::int64_t sweep = store.begin_sweep("triscope sweep", Planted{}.request, synthetic_environment(), 5);
    Measurement again = synthetic_measurement(50, 20);
    again.started_unix_ns += 3'600'000'000'000;
    store.add(sweep, again);
  }
  const ProgramResult result = gate();
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_THAT(result.errors, HasSubstr("sweep 2 of A was cut short: in 4 comparisons A is of an older sweep"));
}

TEST_F(GateTest, the_number_of_restarts_is_a_setting) {
  write(old_file);
  Planted planted;
  planted.request = R"({"seed":1,"restarts":3,"stopping":{"precision":0.005,"budget_ns":10000000000}})";
  write(new_file, planted);
  EXPECT_THAT(compare().output, HasSubstr("restarts 3 (not 1)"));
  EXPECT_EQ(gate().exit_code, 1);
  EXPECT_EQ(gate({"--allow", "settings"}).exit_code, 0);
}

TEST_F(GateTest, rows_can_be_told_apart_in_every_format) {
  for (const auto& file : {old_file, new_file}) {
    Store store(file);
    const std::int64_t sweep = store.begin_sweep("triscope sweep", Planted{}.request, synthetic_environment(), 4);
    for (const Form form : {Form::trilinear, Form::determinant}) {
      for (const Regime regime : {Regime::sustained, Regime::burst}) {
        Measurement m = synthetic_measurement(0, 20);
        m.key.problem.form = form;
        m.key.regime = regime;
        store.add(sweep, m);
      }
    }
    store.finish_sweep(sweep);
  }
  for (const char* format : {"table", "md", "junit"}) {
    const std::string text = compare({"--format", format}).output;
    for (const char* words :
         {"trilinear, sustained", "trilinear, burst", "determinant, sustained", "determinant, burst"})
      EXPECT_THAT(text, HasSubstr(words)) << format;
    EXPECT_THAT(text, Not(HasSubstr("causal mask"))) << "which all have";
  }
  EXPECT_THAT(compare({"--format", "md"}).output, HasSubstr("| m4 | m4 |"));
}

TEST_F(GateTest, an_interval_says_how_much_it_holds) {
  for (const auto& file : {old_file, new_file}) write(file, {.change = in_three_restarts});
  EXPECT_THAT(compare().output, HasSubstr("time A / B, 99 %; 95 % in turns or without restarts"));
  EXPECT_THAT(run_triscope({"compare", old_file.string() + "@1", new_file.string() + "@1", "--format", "json"}).output,
              AllOf(HasSubstr("\"confidence\":0.99"), HasSubstr("\"confidence\":0.95")));
}

TEST_F(GateTest, too_many_unclear_comparisons_do_not_pass) {
  write(old_file);
  write(new_file, {.unclear = 2});
  const ProgramResult many = gate();
  EXPECT_EQ(many.exit_code, 1) << many.output;
  EXPECT_THAT(many.errors, HasSubstr("2 of 5 comparisons are unclear"));
  const ProgramResult passes = gate({"--max-unclear", "40%"});
  EXPECT_EQ(passes.exit_code, 0);
  EXPECT_THAT(passes.errors, HasSubstr("passes with 2 comparisons open"));
  EXPECT_THAT(passes.output, HasSubstr("  open\n")) << "each of them is marked";
  EXPECT_EQ(gate({"--max-unclear", "0%"}).exit_code, 1);
  expect_error(compare({"--max-unclear", "40%"}), 2, "add --fail-if");
}

TEST_F(GateTest, convergence_can_be_required) {
  write(old_file);
  write(new_file, {.converged = false});
  EXPECT_EQ(gate().exit_code, 0);
  const ProgramResult required = gate({"--require-converged"});
  EXPECT_EQ(required.exit_code, 1);
  EXPECT_THAT(required.errors, HasSubstr("measurements that did not converge are behind 5 comparisons"));
}

TEST_F(GateTest, other_surroundings_are_said_and_refused_unless_allowed) {
  write(old_file);
  Planted planted;
  planted.environment.git_commit = "fedcba";
  planted.environment.driver_version = "999.1";
  planted.request = R"({"seed":1,"stopping":{"precision":0.005,"budget_ns":3000000000}})";
  write(new_file, planted);
  const ProgramResult told = compare();
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(told.output, AllOf(HasSubstr("A and B differ in 5 of 5 pairs: commit fedcba (not 0123456789ab)"),
                                 HasSubstr("driver 999.1 (not 580.159"), HasSubstr("budget 3.00 s (not 10.0 s)")));
  const ProgramResult refused = gate({"--allow", "commit"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("--allow driver,settings"), Not(HasSubstr("fedcba"))));
  EXPECT_EQ(gate({"--allow", "commit,driver,settings"}).exit_code, 0);
  EXPECT_EQ(gate({"--allow", "all"}).exit_code, 0);
  expect_error(gate({"--allow", "comit"}), 2, "did you mean commit");
}

TEST_F(GateTest, of_many_differences_the_gates_sentence_names_some) {
  write(old_file);
  Planted planted;
  Environment& e = planted.environment;
  e.git_commit = e.host = e.cpu_model = e.os = e.compiler = e.driver_version = "other";
  write(new_file, planted);
  const ProgramResult result = gate();
  EXPECT_THAT(result.errors, AllOf(HasSubstr("driver other (not 580.159), commit other (not 0123456789ab)"),
                                   HasSubstr("and 3 more"), Not(HasSubstr("host other"))));
  EXPECT_THAT(result.output, HasSubstr("host other")) << "all stand below the table";
}

TEST_F(GateTest, nothing_that_was_measured_is_no_success) {
  write(old_file);
  write(new_file, {.failed = true});
  const ProgramResult result = compare();
  EXPECT_EQ(result.exit_code, 1) << result.output;
  EXPECT_THAT(result.errors, HasSubstr("in every pair a side was not measured"));
}

TEST_F(GateTest, json_holds_all_facts_and_junit_and_markdown_the_verdicts) {
  write(old_file);
  write(new_file, {.factor = 1.3});
  std::istringstream lines(gate({"--format", "json"}).output);
  std::string line;
  std::getline(lines, line);
  const nlohmann::json first = nlohmann::json::parse(line);
  EXPECT_EQ(first.at("of_a").at("measurement"), first.at("a"));
  EXPECT_GT(first.at("of_a").at("median_ms"), first.at("of_b").at("median_ms"));
  EXPECT_EQ(first.at("of_b").at("converged"), true);
  std::string last;
  while (std::getline(lines, line)) last = line;
  EXPECT_EQ(nlohmann::json::parse(last).at("faults").size(), 1U) << last;
  const std::string junit = gate({"--format", "junit"}).output;
  EXPECT_THAT(junit, AllOf(HasSubstr("tests=\"6\" failures=\"2\""), HasSubstr("<failure message=\""),
                           HasSubstr("1.30x longer"), HasSubstr("</testsuite>")));
  const std::string markdown = gate({"--format", "md"}).output;
  EXPECT_THAT(markdown, AllOf(HasSubstr("| kernel |"), HasSubstr("1.30x longer"), HasSubstr("* **fails**: 1 of 5")));
}

/// The lines between ```sh and ``` of docs/gates.md.
std::string recipe() {
  const std::string page = read_bytes(source_file("docs/gates.md"));
  const std::size_t begin = page.find("```sh\n") + 6;
  return page.substr(begin, page.find("```", begin) - begin);
}

/// Runs the recipe in `folder` with a `triscope` whose sweeps are `prepared` and exit with `code`; the rest is the real
/// program. As the real one, it refuses a log whose database is gone.
ProgramResult run_recipe(const TemporaryFolder& folder, const std::filesystem::path& prepared, int code = 0) {
  std::filesystem::create_directories(folder / "bin");
  std::ofstream(folder / "bin" / "triscope")
      << "#!/bin/sh\nif [ \"$1\" = sweep ]; then [ ! -e new.db-wal ] || exit 3; cp '" << prepared.string()
      << "' new.db; exit " << code << "; else exec '" << program_path("triscope").string() << "' \"$@\"; fi\n";
  std::filesystem::permissions(folder / "bin" / "triscope", std::filesystem::perms::owner_all);
  std::ofstream(folder / "recipe.sh") << "cd '" << folder.path().string() << "'\n" << recipe();
  const std::string path = (folder / "bin").string() + ":/usr/bin:/bin";
  return Program("/bin/sh", {(folder / "recipe.sh").string()},
                 {.environment = {{"PATH", path}}, .output = {}, .new_group = false})
      .wait();
}

TEST_F(GateTest, the_recipe_catches_a_planted_regression_and_nothing_else) {
  ASSERT_THAT(recipe(), HasSubstr("triscope compare old.db new.db"));
  write(old_file);
  Planted other_commit;
  other_commit.environment.git_commit = "fedcba";
  write(folder / "good", other_commit);
  other_commit.factor = 1.3;
  write(folder / "bad", other_commit);
  const ProgramResult good = run_recipe(folder, folder / "good");
  EXPECT_EQ(good.exit_code, 0) << good.errors;
  const ProgramResult bad = run_recipe(folder, folder / "bad");
  EXPECT_EQ(bad.exit_code, 1) << bad.output;
  EXPECT_THAT(bad.errors, HasSubstr("the gate \"longer>5%\" does not pass: 1 of 5 comparisons fail"));
  EXPECT_THAT(read_bytes(folder / "gate.xml"), HasSubstr("<failure"));
}

TEST_F(GateTest, the_recipe_reports_a_sweep_with_failures_and_leaves_no_report_of_before) {
  write(old_file);
  Planted other_commit;
  other_commit.environment.git_commit = "fedcba";
  write(folder / "good", other_commit);
  other_commit.failed = true;
  write(folder / "failed", other_commit);
  const auto leave_behind = [&] {
    for (const char* name : {"gate.xml", "new.db", "new.db-wal", "new.db-shm"}) std::ofstream(folder / name) << "old";
  };
  leave_behind();
  EXPECT_EQ(run_recipe(folder, folder / "good").exit_code, 0) << "after one that was killed";
  leave_behind();
  const ProgramResult failed = run_recipe(folder, folder / "failed", 1);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.errors, HasSubstr("the gate \"longer>5%\" does not pass"));
  EXPECT_THAT(read_bytes(folder / "gate.xml"), HasSubstr("<testsuite"));
  leave_behind();
  EXPECT_EQ(run_recipe(folder, folder / "good", 3).exit_code, 3);
  EXPECT_FALSE(std::filesystem::exists(folder / "gate.xml"));
}

TEST_F(GateTest, two_versions_of_a_kernel_are_compared_in_all_that_both_measured_the_older_one_is_b) {
  const std::filesystem::path file = folder_path("versions.db");
  {
    Store store(file);
    for (int sweep = 0; sweep < 3; ++sweep) {
      const std::int64_t id = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
      for (std::int64_t n = 0; n < 2; ++n) {
        Measurement one = synthetic_measurement(1, 20);
        one.key.kernel = "cpu.changed";
        one.key.problem.seq_len = 1024 << (sweep == 1 ? n + 1 : n);
        one.source_hash = sweep == 2 ? "bbbbbb222222" : "aaaaaa111111";
        const double factor = sweep < 2 ? 1 : n == 0 ? 0.5 : 2;
        for (Sample& sample : one.samples)
          sample.duration_ns = static_cast<std::int64_t>(static_cast<double>(sample.duration_ns) * factor);
        one.summary.median_ms *= factor;
        store.add(id, one);
      }
      store.finish_sweep(id);
    }
  }
  // Named in the order of time or not: the newer one is judged.
  for (const auto& [first, second] : {std::pair("aaaaaa", "bbbbbb"), std::pair("bbbbbb", "aaaaaa")}) {
    const ProgramResult result =
        run_triscope({"compare", fmt::format("kernel:cpu.changed@{}", first),
                      fmt::format("kernel:cpu.changed@{}", second), "--db", file.string(), "--format", "json"});
    std::istringstream lines(result.output);
    std::vector<nlohmann::json> pairs;
    for (std::string line; std::getline(lines, line);) {
      const nlohmann::json one = nlohmann::json::parse(line);
      if (one.contains("ratio")) pairs.push_back(one);
    }
    ASSERT_EQ(pairs.size(), 2U) << result.output << result.errors;
    EXPECT_NEAR(pairs[0].at("ratio").get<double>(), 2, 0.02) << "what became slowest stands first";
    EXPECT_NEAR(pairs[1].at("ratio").get<double>(), 0.5, 0.02);
  }
}

}  // namespace
}  // namespace triscope
