// What a stranger's database says of what was measured, against what follows from it.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>

#include "kernels/attention/flops.hpp"
#include "kernels/base/error.hpp"
#include "profiler/statistics/statistics.hpp"
#include "tests/paths.hpp"
#include "tests/profiler/store/store_fixture.hpp"

namespace triscope {
namespace {

using fixture::StoreTest;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::SizeIs;

template <typename Body>
std::string error_of(Body&& body) {
  try {
    body();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

class ForeignValues : public StoreTest {
 protected:
  ForeignValues() {
    Store store(file_);
    const std::int64_t sweep = begin(store);
    for (std::int64_t index = 0; index < 5; ++index) store.add(sweep, synthetic_measurement(index, 30));
  }
  void exec(const std::string& sql) const {
    SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA ignore_check_constraints = ON; " + sql);
  }
  /// Copies all into another database; what was left out.
  std::vector<std::string> import() const {
    std::vector<std::string> left_out;
    ImportRules rules;
    rules.left_out = [&left_out](const std::string& sentence) { left_out.push_back(sentence); };
    Store(target_).import(file_, rules);
    return left_out;
  }
  /// The row that tables show, and the measurement with all it carries.
  static void expect_one_answer(const Snapshot& snapshot, std::int64_t id) {
    const ResultRow row = *snapshot.result(id);
    const Measurement whole = *snapshot.measurement(id);
    EXPECT_EQ(row.median_ms, whole.summary.median_ms);
    EXPECT_EQ(row.ci_low_ms, whole.summary.ci_low_ms);
    EXPECT_EQ(row.ci_high_ms, whole.summary.ci_high_ms);
    const std::map<std::int64_t, std::string> faults = snapshot.times_faults({row});
    EXPECT_EQ(faults.contains(id) ? faults.at(id) : "", whole.reason);
  }
  std::filesystem::path target_ = folder_ / "target.db";
};

TEST_F(ForeignValues, wrong_flops_are_computed_anew_and_cost_no_row) {
  exec(
      "UPDATE counter SET name = (SELECT id FROM text WHERE value = 'dram__bytes.sum'), value = 1e6 WHERE ordinal = 1");
  exec(
      "INSERT INTO text(value) VALUES ('sm__cycles_elapsed.max'); UPDATE counter SET name = last_insert_rowid() WHERE "
      "ordinal = 1");
  const std::vector<ResultRow> right = Snapshot(file_).results();
  ASSERT_THAT(right, SizeIs(5));
  ASSERT_TRUE(right[1].peak_fraction && right[1].joules_per_tflop && right[1].tflops_paper_count);
  for (const char* const set :
       {"useful_flops = 1e40", "useful_flops = -1", "useful_flops = 0", "useful_flops = NULL",
        "useful_flops = useful_flops * 1.01, paper_flops = paper_flops / 2", "paper_flops = 9e999"}) {
    SCOPED_TRACE(set);
    std::filesystem::remove(target_);
    exec(fmt::format("UPDATE measurement SET {} WHERE id = 2", set));
    const auto expect_right = [&](const ResultRow& row) {
      EXPECT_EQ(row.status, Status::ok) << row.reason;
      EXPECT_DOUBLE_EQ(row.tflops.value(), *right[1].tflops);
      EXPECT_DOUBLE_EQ(row.tflops_paper_count.value(), *right[1].tflops_paper_count);
      EXPECT_NEAR(row.joules_per_tflop.value(), right[1].joules_per_tflop.value(), 1e-9);
      EXPECT_NEAR(row.peak_fraction.value_or(*right[1].peak_fraction), *right[1].peak_fraction, 1e-9);
    };
    expect_right(*Snapshot(file_).result(2));
    EXPECT_THAT(import(), IsEmpty());
    expect_right(*Snapshot(target_).result(2));
    EXPECT_TRUE(Snapshot(target_).result(2)->peak_fraction) << "the copy has the right FLOPs";
  }
  EXPECT_EQ(
      SQLite::Database(target_.string()).execAndGet("SELECT useful_flops FROM measurement WHERE id = 2").getDouble(),
      useful_flops(right[1].problem, right[1].pass));
}

TEST_F(ForeignValues, what_no_measurement_has_costs_the_row_and_is_not_called_damage_of_the_file) {
  for (const char* const set : {"error = -1", "restarts = 2000000000", "restarts = -1", "samples = -3"}) {
    SCOPED_TRACE(set);
    exec(fmt::format("UPDATE measurement SET {} WHERE id = 2", set));
    const std::string name(set, std::string_view(set).find(' '));
    EXPECT_THAT(Snapshot(file_).result(2)->reason, HasSubstr(name + " is "));
    EXPECT_EQ(Snapshot(file_).result(2)->status, Status::failed);
    EXPECT_THAT(error_of([&] { (void)Snapshot(file_).measurement(2); }),
                AllOf(HasSubstr("a row of the database"), HasSubstr(name), Not(HasSubstr("damaged"))));
    std::filesystem::remove(target_);
    EXPECT_THAT(import(), SizeIs(1));
    exec("UPDATE measurement SET error = 0.001, restarts = 1, samples = 30 WHERE id = 2");
  }
  exec("UPDATE sweep SET planned = -7");
  EXPECT_THAT(Snapshot(file_).sweeps().front().note, HasSubstr("planned is -7"));
}

TEST_F(ForeignValues, a_part_that_cannot_be_used_costs_that_part_alone_and_is_said) {
  exec(
      "INSERT INTO text(value) VALUES ('sm__cycles_elapsed.max'); UPDATE counter SET name = last_insert_rowid(), "
      "value = -5 WHERE measurement = 4 AND ordinal = 0; UPDATE counter SET value = -1 WHERE measurement = 5 AND "
      "ordinal = 1; INSERT INTO cross_check VALUES (1, 'cuda_events', 2, 1, 3, 3, ''), "
      "(2, 'cuda_events', -3, NULL, NULL, 3, ''), (3, 'evil', 1, 1, 1, 3, '')");
  const std::vector<std::string> said{"", "its cross-check cannot be used: median_ms is -3",
                                      "its cross-check cannot be used: its timing_source is \"evil\", which Triscope "
                                      "does not know",
                                      "its counter cannot be used: sm__cycles_elapsed.max is -5",
                                      "its counter cannot be used: dram__bytes.sum is -1"};
  const Snapshot snapshot(file_);
  const std::vector<ResultRow> rows = snapshot.results();
  EXPECT_THAT(rows, Each(testing::Field(&ResultRow::status, Status::ok)));
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const Measurement whole = *snapshot.measurement(rows[n].measurement);
    EXPECT_EQ(whole.reason, said[n]);
    EXPECT_EQ(whole.cross_check.has_value(), n == 0) << n;
    EXPECT_THAT(whole.counters, SizeIs(n < 3 ? 2 : 1)) << n;
    EXPECT_EQ(rows[n].events_ms.has_value(), n == 0) << n;
    if (n == 4) continue;  // tables do not show that counter
    EXPECT_EQ(rows[n].reason, said[n]);
    EXPECT_EQ(rows[n].lacks_part, n > 0) << n;
  }
  EXPECT_THAT(snapshot.counter_values("dram__bytes.sum"), Not(testing::Contains(testing::Key(5))));
  const std::vector<std::string> left_out = import();
  ASSERT_THAT(left_out, SizeIs(4));
  for (std::size_t n = 1; n < rows.size(); ++n)
    EXPECT_EQ(left_out[n - 1], fmt::format("measurement {} of sweep 1 was copied, but not as it is there: {}",
                                           rows[n].measurement, said[n]));
  EXPECT_THAT(Snapshot(target_).results(), SizeIs(5));
  EXPECT_EQ(Snapshot(target_).measurement(2)->reason, said[1]);
}

TEST_F(ForeignValues, a_row_that_tables_call_failed_is_never_shown_in_full) {
  for (const char* const set : {"environment SET power_limit_w = -5", "kernel SET label = hex(zeroblob(501))",
                                "measurement SET power_w = -1"}) {
    exec(fmt::format("UPDATE {}", set));
    const Snapshot snapshot(file_);
    EXPECT_EQ(snapshot.result(2)->status, Status::failed) << set;
    try {
      (void)snapshot.measurement(2);
      ADD_FAILURE() << set;
    } catch (const Error& error) {
      EXPECT_EQ(snapshot.result(2)->reason, "this row of the database cannot be used: " + error.why()) << set;
    }
    exec(
        "UPDATE environment SET power_limit_w = 700; UPDATE kernel SET label = 'a'; UPDATE measurement SET power_w = "
        "1");
  }
}

TEST_F(ForeignValues, an_ok_row_without_a_time_above_zero_is_refused_by_name_and_its_samples_are_not_lost) {
  for (const char* const set : {"median_ms = 0", "median_ms = -1", "median_ms = 9e999", "median_ms = NULL"}) {
    SCOPED_TRACE(set);
    exec(fmt::format("UPDATE measurement SET {} WHERE id = 2", set));
    EXPECT_THAT(Snapshot(file_).result(2)->reason, HasSubstr("median_ms is"));
    EXPECT_EQ(Snapshot(file_).result(2)->status, Status::failed);
    std::filesystem::remove(target_);
    EXPECT_THAT(import(), ElementsAre(HasSubstr("measurement 2 of sweep 1 was copied, but not as it is there")));
    EXPECT_EQ(Snapshot(target_).result(2)->status, Status::ok);
    EXPECT_THAT(Snapshot(target_).result(2)->reason, HasSubstr("computed again from the samples"));
  }
  for (const char* const set : {"median_ms = 0", "median_ms = -1", "median_ms = 9e999", "median_ms = NULL"}) {
    SCOPED_TRACE(set);
    exec(fmt::format("UPDATE measurement SET {} WHERE id = 2; DELETE FROM sample WHERE measurement = 2", set));
    std::filesystem::remove(target_);
    const std::vector<std::string> left_out = import();
    ASSERT_THAT(left_out, SizeIs(1));
    EXPECT_THAT(left_out[0], HasSubstr("measurement 2 of sweep 1 was not copied: median_ms is"));
    EXPECT_THAT(Snapshot(target_).results(), SizeIs(4));
  }
}

TEST_F(ForeignValues,
       a_median_and_an_interval_that_the_samples_do_not_have_are_said_so_and_imported_as_the_samples_are) {
  const Summary own = summarize(synthetic_measurement(1, 30).samples, StoppingRule{});
  for (const char* const set :
       {"median_ms = median_ms * 0.9, ci_low_ms = ci_low_ms * 0.9, ci_high_ms = ci_high_ms * 0.9",
        "ci_low_ms = median_ms * 0.999999, ci_high_ms = median_ms * 1.000001",
        "ci_low_ms = median_ms * 1.1, ci_high_ms = median_ms * 1.2"}) {
    SCOPED_TRACE(set);
    exec(
        "UPDATE measurement SET median_ms = kept.median_ms, ci_low_ms = kept.ci_low_ms, ci_high_ms = kept.ci_high_ms "
        "FROM (SELECT median_ms, ci_low_ms, ci_high_ms FROM measurement WHERE id = 2) AS kept WHERE measurement.id = "
        "5");
    exec(fmt::format(
        "UPDATE measurement SET median_ms = {:.17g}, ci_low_ms = {:.17g}, ci_high_ms = {:.17g} WHERE id = 2",
        own.median_ms, own.ci_low_ms, own.ci_high_ms));
    EXPECT_EQ(Snapshot(file_).measurement(2)->reason, "");
    exec(fmt::format("UPDATE measurement SET {} WHERE id = 2", set));
    std::filesystem::remove(target_);
    EXPECT_THAT(import(), Contains(HasSubstr("measurement 2 of sweep 1 was copied, but not as it is there")));
    const Measurement read = *Snapshot(target_).measurement(2);
    EXPECT_EQ(read.summary.median_ms, own.median_ms);
    EXPECT_EQ(read.summary.ci_low_ms, own.ci_low_ms);
    EXPECT_EQ(read.summary.ci_high_ms, own.ci_high_ms);
    EXPECT_THAT(read.reason, HasSubstr("computed again from the samples"));
    EXPECT_EQ(Snapshot(target_).result(2)->median_ms, own.median_ms);
    expect_one_answer(Snapshot(file_), 2);
    EXPECT_THAT(Snapshot(file_).measurement(2)->reason, HasSubstr("its file says "));
    EXPECT_THAT(Snapshot(target_).times_faults(Snapshot(target_).results()), IsEmpty());
  }
}

TEST_F(ForeignValues, samples_that_were_changed_leave_the_stored_times_and_are_said_so) {
  expect_one_answer(Snapshot(file_), 2);
  const std::vector<ResultRow> before = Snapshot(file_).results();
  exec("UPDATE sample SET duration_ns = duration_ns * 2 WHERE measurement = 2");
  exec("UPDATE sample SET duration_ns = -5 WHERE measurement = 4 AND ordinal = 3");
  const Snapshot snapshot(file_);
  const std::vector<ResultRow> after = snapshot.results();
  for (std::size_t n = 0; n < after.size(); ++n) EXPECT_EQ(after[n].median_ms, before[n].median_ms);
  expect_one_answer(snapshot, 2);
  EXPECT_THAT(snapshot.times_faults(after),
              ElementsAre(Pair(2, AllOf(HasSubstr("its file says a median of "), HasSubstr("its samples have "))),
                          Pair(4, "its samples cannot be used: duration_ns of a sample is -5")));
  exec("DELETE FROM sample WHERE measurement = 2");
  EXPECT_THAT(Snapshot(file_).times_faults(after), ElementsAre(Pair(4, HasSubstr("cannot be used"))))
      << "no samples say nothing against a time";
}

TEST_F(ForeignValues, a_median_shorter_than_any_sample_can_be_is_none) {
  exec("UPDATE measurement SET median_ms = 1e-300, ci_low_ms = 1e-300, ci_high_ms = 1e-300 WHERE id = 2");
  EXPECT_THAT(Snapshot(file_).result(2)->reason, HasSubstr("median_ms is 1e-300"));
  EXPECT_THAT(error_of([&] { (void)Snapshot(file_).measurement(2); }), HasSubstr("median_ms is 1e-300"));
}

TEST_F(ForeignValues, nothing_of_the_recorded_databases_is_computed_again) {
  for (const char* const name : {"h200.db", "h100.db"}) {
    const Snapshot snapshot(recorded_file(name));
    EXPECT_THAT(snapshot.times_faults(snapshot.results()), IsEmpty());
    for (const ResultRow& row : snapshot.results()) {
      EXPECT_THAT(snapshot.measurement(row.measurement)->reason, Not(HasSubstr("its file says"))) << row.measurement;
    }
  }
}

TEST_F(ForeignValues, a_row_of_large_texts_is_left_out_and_not_called_the_other_database_s) {
  const std::string large = "replace(hex(zeroblob(9000000)), '0', 'A')";
  exec(fmt::format("UPDATE sweep SET command = {0}, request = {0}", large));
  EXPECT_THAT(import(), Each(HasSubstr("sweep 1 was not copied: its texts together are larger than 32 MiB")));
  EXPECT_THAT(Snapshot(target_).sweeps(), IsEmpty());
}

TEST_F(ForeignValues, a_name_that_is_too_long_costs_its_row_and_says_so) {
  const std::string text = "replace(hex(zeroblob(500)), '0', 'a')";  // 1000 bytes
  exec(fmt::format("UPDATE kernel SET label = {0}, short_label = {0}; UPDATE measurement SET reason = {0} || 'a'",
                   text));
  EXPECT_THAT(Snapshot(file_).results(), Each(testing::Field(&ResultRow::status, Status::ok)))
      << "as long as it may be";
  exec(fmt::format("UPDATE kernel SET short_label = {} || 'a'", text));
  for (const ResultRow& row : Snapshot(file_).results()) {
    EXPECT_EQ(row.status, Status::failed);
    EXPECT_THAT(row.reason, HasSubstr("its short_label has 1001 bytes, and a name at most 1000"));
    EXPECT_EQ(row.card.short_label, row.kernel);
  }
  EXPECT_THAT(import(), SizeIs(5));
  exec(fmt::format("UPDATE environment SET device_name = {} || 'a'", text));
  EXPECT_THAT(Snapshot(file_).sweeps()[0].note, HasSubstr("its device_name has 1001 bytes"));
}

TEST_F(ForeignValues, a_row_that_cannot_be_used_keeps_its_kernel_and_its_problem) {
  const ResultRow sound = Snapshot(file_).results()[0];
  const std::string text = "replace(hex(zeroblob(501)), '0', 'a')";  // 1002 bytes
  for (const char* const change :
       {"UPDATE kernel SET label = {}", "UPDATE measurement SET instance = {}", "UPDATE measurement SET limiter = {}",
        "UPDATE measurement SET device_id = {}", "UPDATE environment SET device_name = {0}, cpu_model = {0}"}) {
    const std::filesystem::path whole = folder_ / "whole.db";
    std::filesystem::copy_file(file_, whole, std::filesystem::copy_options::overwrite_existing);
    exec(fmt::format(fmt::runtime(change), text));
    const ResultRow row = Snapshot(file_).results()[0];
    EXPECT_EQ(row.status, Status::failed) << change;
    EXPECT_EQ(row.kernel, sound.kernel) << change;
    EXPECT_EQ(row.source_hash, sound.source_hash) << change;
    EXPECT_EQ(row.problem, sound.problem) << change;
    std::filesystem::copy_file(whole, file_, std::filesystem::copy_options::overwrite_existing);
  }
}

TEST_F(ForeignValues, a_row_whose_problem_is_missing_keeps_what_else_is_known_of_it) {
  const ResultRow sound = Snapshot(file_).results()[0];
  exec("PRAGMA foreign_keys = OFF; DELETE FROM config WHERE id = (SELECT config FROM measurement WHERE id = 1)");
  const ResultRow row = Snapshot(file_).results()[0];
  EXPECT_THAT(row.reason, HasSubstr("its problem is missing"));
  EXPECT_EQ(row.started, sound.started);
  EXPECT_EQ(row.device, sound.device);
  EXPECT_EQ(row.instance, sound.instance);
  EXPECT_EQ(row.timing_source, sound.timing_source);
  EXPECT_EQ(row.card.label, sound.card.label) << "charts show each kernel by its card";
  EXPECT_EQ(row.card.colour, sound.card.colour);
}

TEST_F(ForeignValues, a_name_of_a_device_that_no_row_has_costs_none) {
  exec(
      "UPDATE environment SET cpu_model = replace(hex(zeroblob(501)), '0', 'a'), device_id = '0'; "
      "UPDATE measurement SET device_id = '0'");
  EXPECT_THAT(Snapshot(file_).results(), Each(testing::Field(&ResultRow::status, Status::ok)));
}

TEST_F(ForeignValues, a_sweep_counts_no_impossible_median_as_ok) {
  exec(
      "UPDATE measurement SET median_ms = -1 WHERE id = 1; UPDATE measurement SET median_ms = NULL WHERE id = 2; "
      "UPDATE measurement SET median_ms = 1e300 WHERE id = 3; UPDATE measurement SET median_ms = 1e-300 WHERE id = 4");
  const Snapshot snapshot(file_);
  const std::vector<ResultRow> rows = snapshot.results();
  EXPECT_EQ(std::ranges::count(rows, Status::ok, &ResultRow::status), 1);
  EXPECT_EQ(snapshot.sweeps()[0].ok, 1);
  EXPECT_EQ(snapshot.sweeps()[0].failed, 4);
}

TEST_F(ForeignValues, a_command_and_the_name_of_a_launch_may_be_long) {
  exec(
      "UPDATE sweep SET command = replace(hex(zeroblob(2000)), '0', 'a'); "
      "UPDATE text SET value = replace(hex(zeroblob(2000)), '0', 'b') WHERE id IN (SELECT name FROM launch)");
  const Snapshot snapshot(file_);
  EXPECT_EQ(snapshot.sweeps()[0].command.size(), 4000);
  EXPECT_EQ(snapshot.measurement(2)->launches[0].name.size(), 4000);
}

TEST_F(ForeignValues, names_and_reasons_are_one_line_and_notes_keep_theirs) {
  exec(
      "UPDATE measurement SET reason = 'a' || char(10) || 'speed          9 TFLOP/s' || char(13) || char(9) WHERE id = "
      "2; UPDATE kernel SET name = name || char(10) || 'x'; UPDATE environment SET device_name = 'NVIDIA' || char(10) "
      "|| 'H200', host = 'a' || char(9) || 'b'; UPDATE sweep SET command = 'triscope' || char(10) || 'sweep'; UPDATE "
      "text SET value = value || char(10) || 'y'");
  {
    Store store(file_);
    store.set_note(1, "first\nsecond");
    store.set_measurement_note(2, "one\ntwo");
  }
  const Snapshot snapshot(file_);
  std::vector<std::string> texts{snapshot.sweeps()[0].command, snapshot.sweeps()[0].environment.device_name,
                                 snapshot.environment(2)->host};
  for (const ResultRow& row : snapshot.results())
    texts.insert(texts.end(), {row.reason, row.kernel, row.device, row.instance, row.card.label});
  const Measurement read = *snapshot.measurement(2);
  texts.insert(texts.end(), {read.reason, read.launches[0].name, read.counters[0].name, read.counters[0].unit});
  EXPECT_THAT(texts, Each(Not(testing::ContainsRegex("[\n\r\t]"))));
  EXPECT_EQ(read.reason, "a speed          9 TFLOP/s  ");
  EXPECT_EQ(snapshot.sweeps()[0].note, "first\nsecond");
  EXPECT_EQ(snapshot.note(2), "one\ntwo");
  EXPECT_THAT(import(), IsEmpty());
  EXPECT_EQ(Snapshot(target_).note(2), "one\ntwo");
}

}  // namespace
}  // namespace triscope
