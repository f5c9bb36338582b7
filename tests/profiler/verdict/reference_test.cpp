// Every kind of reference: how it is written, and what it says of rows.
#include "profiler/verdict/reference.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>

#include "kernels/attention/paper.hpp"
#include "kernels/base/error.hpp"
#include "profiler/record/recorded_database.hpp"
#include "profiler/record/words/reference_text.hpp"
#include "profiler/statistics/statistics.hpp"
#include "tests/profiler/store/store_fixture.hpp"

namespace triscope {
namespace {

using Kind = Reference::Kind;
using fixture::StoreTest;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
    return error.what();
  }
  return "nothing was refused";
}

TEST(Reference, is_written_as_it_is_read) {
  const std::map<std::string, Reference> forms{{"auto", {}},
                                               {"none", {Kind::none}},
                                               {"paper", {Kind::paper}},
                                               {"row:12", {Kind::row, {}, 12}},
                                               {"sweep:5", {Kind::sweep, {}, 5}},
                                               {"database:/a b/c:d.db", {Kind::database, "/a b/c:d.db"}},
                                               {"baseline.fa3", {Kind::kernel, "baseline.fa3"}}};
  for (const auto& [text, reference] : forms) {
    EXPECT_EQ(parse_reference(text), reference) << text;
    EXPECT_EQ(to_string(reference), text);
    EXPECT_EQ(names_a_kernel(text), reference.kind == Kind::kernel) << text;
  }
  EXPECT_EQ(parse_reference("row:m12"), (Reference{Kind::row, {}, 12})) << "as `show` names it";
}

TEST(Reference, of_a_bad_form_is_refused_in_one_sentence) {
  for (const char* text :
       {"row:", "row:x", "row:-3", "row:0", "row:1.5", "sweep:99999999999999999999", "sweep:5 ", "database:", ""}) {
    const std::string why = refusal([&] { parse_reference(text); });
    EXPECT_THAT(why, HasSubstr(std::string("'") + text + "'"));
    EXPECT_THAT(why, HasSubstr("row:N, sweep:N, database:FILE, paper")) << "what to type";
  }
}

/// The recorded H200 sweeps, whose first holds Table 1 in turns with two libraries.
class RecordedReference : public testing::Test {
 protected:
  Verdicts beside(const std::string& reference, std::int64_t sweep = 1) {
    rows_ = snapshot_.results(sweep);
    return ReferenceSide(snapshot_, recorded_database(), parse_reference(reference)).beside(rows_);
  }
  const ResultRow& row(std::int64_t measurement) const {
    return *std::ranges::find(rows_, measurement, &ResultRow::measurement);
  }
  const Snapshot snapshot_{recorded_database()};
  std::vector<ResultRow> rows_;
};

TEST_F(RecordedReference, a_row_stands_beside_every_other_of_its_pass_and_says_what_differs) {
  const ResultRow* pinned = nullptr;
  const std::vector<ResultRow> rows = snapshot_.results(1);
  for (const ResultRow& one : rows)
    if (one.kernel == "cuda.hopper" && one.problem.window1 == 128) pinned = &one;
  ASSERT_TRUE(pinned);
  const Verdicts verdicts = beside("row:" + std::to_string(pinned->measurement));
  EXPECT_FALSE(verdicts.of_kernel);
  EXPECT_THAT(verdicts.label, HasSubstr(": 128x128 Hopper forward"));
  EXPECT_THAT(verdicts.themselves, testing::ElementsAre(pinned->measurement));
  EXPECT_FALSE(verdicts.by_measurement.contains(pinned->measurement));
  std::size_t in_turns = 0, apart = 0;
  StoredSamples samples(snapshot_);
  for (const auto& [measurement, time] : verdicts.by_measurement) {
    const Comparison direct = compare_rows(samples, row(measurement), samples, *pinned);
    EXPECT_EQ(time.ratio, direct.ratio);
    EXPECT_EQ(time.verdict, direct.verdict);
    EXPECT_TRUE(interval_known(time)) << measurement;
    ++(time.paired ? in_turns : apart);
    EXPECT_EQ(row(measurement).pass, pinned->pass);
    EXPECT_NE(row(measurement).problem.form, Form::gemm) << "a matrix product is no attention";
    const bool same = row(measurement).problem == pinned->problem;
    EXPECT_EQ(time.explanation.find("Another problem: ") == 0, !same) << time.explanation;
  }
  EXPECT_GE(in_turns, 1U) << "what took turns with it";
  EXPECT_GE(apart, 5U) << "other windows";
}

TEST_F(RecordedReference, a_row_stands_beside_no_other_pass) {
  EXPECT_THAT(beside("row:8", 2).by_measurement, IsEmpty()) << "a forward, and a sweep of backwards";
}

TEST_F(RecordedReference, the_paper_is_a_ratio_without_interval_and_verdict_where_it_measured_the_problem) {
  const Verdicts verdicts = beside("paper");
  std::size_t of_the_paper = 0;
  for (const ResultRow& one : rows_) {
    const PaperRow* published = has_paper_shape(one.problem) ? find_paper_row(one.problem) : nullptr;
    ASSERT_EQ(verdicts.by_measurement.contains(one.measurement), published != nullptr) << one.measurement;
    if (published == nullptr) continue;
    ++of_the_paper;
    const Comparison& time = verdicts.by_measurement.at(one.measurement);
    EXPECT_DOUBLE_EQ(time.ratio, *one.median_ms / published->latency_ms);
    EXPECT_FALSE(interval_known(time));
    EXPECT_EQ(time.verdict, Verdict::not_comparable);
    EXPECT_THAT(time_sentence(time, verdicts.label), HasSubstr("x the time of the paper, published, no interval"));
  }
  EXPECT_EQ(of_the_paper, 14U) << "two kernels, seven windows";
  EXPECT_THAT(verdicts.rates, IsEmpty());
  EXPECT_THAT(beside("paper", 4).by_measurement.size(), testing::Lt(4U)) << "other lengths are none of its";
}

TEST_F(RecordedReference, another_database_of_another_gpu_is_not_judged_and_it_is_said) {
  const std::string other = (recorded_database().parent_path() / "h100.db").string();
  const Verdicts verdicts = beside("database:" + other);
  EXPECT_EQ(verdicts.short_label, "h100.db");
  EXPECT_GE(verdicts.by_measurement.size(), 10U);
  for (const auto& [measurement, time] : verdicts.by_measurement) {
    EXPECT_EQ(time.verdict, Verdict::not_comparable);
    EXPECT_GT(time.ratio, 0);
    EXPECT_THAT(time.explanation, HasSubstr("two GPUs"));
  }
}

TEST_F(RecordedReference, that_is_not_there_is_refused) {
  EXPECT_THAT(refusal([&] { beside("row:999999"); }), HasSubstr("the database has no row 999999"));
  EXPECT_THAT(refusal([&] { beside("sweep:999999"); }), HasSubstr("the database has no sweep 999999"));
  EXPECT_THAT(refusal([&] { beside("no.kernel"); }), testing::StartsWith("reference 'no.kernel': "));
  EXPECT_THAT(refusal([&] { beside("no.kernel"); }), HasSubstr("row:N, sweep:N, database:FILE"));
  EXPECT_THAT(refusal([&] { beside("database:" + recorded_database().string()); }),
              HasSubstr("it is the open database"));
}

class StoredReference : public StoreTest {
 protected:
  /// Three sweeps of the same questions.
  void SetUp() override { write(file_, 3); }
  void write(const std::filesystem::path& file, int sweeps) {
    Store store(file);
    for (int n = 0; n < sweeps; ++n) {
      const std::int64_t sweep = begin(store);
      for (std::int64_t index = 45; index < 57; ++index) store.add(sweep, synthetic_measurement(index, 20 + 20 * n));
    }
  }
};

TEST_F(StoredReference, a_sweep_gives_each_row_that_of_the_same_question_and_kernel) {
  const Snapshot snapshot(file_);
  ReferenceSide side(snapshot, file_, parse_reference("sweep:1"));
  const std::vector<ResultRow> rows = snapshot.results(2), theirs = snapshot.results(1);
  const Verdicts verdicts = side.beside(rows);
  EXPECT_EQ(verdicts.short_label, "sweep 1");
  EXPECT_THAT(verdicts.themselves, IsEmpty());
  StoredSamples samples(snapshot);
  std::size_t ok = 0;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    ASSERT_EQ(rows[n].problem, theirs[n].problem);
    if (rows[n].status != Status::ok || !rows[n].median_ms) continue;
    ++ok;
    ASSERT_TRUE(verdicts.by_measurement.contains(rows[n].measurement)) << n;
    EXPECT_EQ(verdicts.by_measurement.at(rows[n].measurement).ratio,
              compare_rows(samples, rows[n], samples, theirs[n]).ratio);
  }
  EXPECT_EQ(verdicts.by_measurement.size(), ok);
  EXPECT_GE(ok, 3U);
  const Verdicts own = side.beside(theirs);
  EXPECT_THAT(own.by_measurement, IsEmpty()) << "it does not stand beside itself";
  EXPECT_EQ(own.themselves.size(), ok);
}

TEST_F(StoredReference, another_database_gives_the_newest_row_of_the_same_question) {
  const std::filesystem::path other = folder_ / "other.db";
  write(other, 2);
  const Snapshot snapshot(file_), there(other);
  const std::vector<ResultRow> rows = snapshot.results(1);
  const Verdicts verdicts = ReferenceSide(snapshot, file_, {Kind::database, other.string()}).beside(rows);
  const std::vector<ResultRow> newest = there.results(2), older = there.results(1);
  StoredSamples ours(snapshot), theirs(there);
  std::size_t compared = 0, told_apart = 0;
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const auto found = verdicts.by_measurement.find(rows[n].measurement);
    if (found == verdicts.by_measurement.end()) continue;
    ++compared;
    EXPECT_EQ(found->second.ratio, compare_rows(ours, rows[n], theirs, newest[n]).ratio);
    told_apart += found->second.ratio != compare_rows(ours, rows[n], theirs, older[n]).ratio ? 1 : 0;
    EXPECT_FALSE(found->second.paired) << "two files took no turns, whatever their numbers";
  }
  EXPECT_GE(compared, 3U);
  EXPECT_GE(told_apart, 3U);
}

TEST_F(StoredReference, another_database_gives_the_newest_row_of_the_same_gpu_before_that_of_others) {
  const std::filesystem::path other = folder_ / "other.db";
  write(other, 1);
  {
    Store store(other);
    Environment elsewhere = synthetic_environment();
    elsewhere.device_uuid = "GPU-of-another-machine";
    const std::int64_t sweep = store.begin_sweep("triscope sweep", "{}", elsewhere, 10);
    for (std::int64_t index = 45; index < 60; ++index) store.add(sweep, synthetic_measurement(index, 40));
  }
  const Snapshot snapshot(file_), there(other);
  std::vector<ResultRow> rows = snapshot.results(1);
  const std::vector<ResultRow> own = there.results(1);
  const Verdicts verdicts = ReferenceSide(snapshot, file_, {Kind::database, other.string()}).beside(rows);
  StoredSamples ours(snapshot), theirs(there);
  EXPECT_GE(verdicts.by_measurement.size(), 3U);
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const auto found = verdicts.by_measurement.find(rows[n].measurement);
    if (found == verdicts.by_measurement.end()) continue;
    EXPECT_THAT(found->second.explanation, Not(HasSubstr("two GPUs")));
    EXPECT_EQ(found->second.ratio, compare_rows(ours, rows[n], theirs, own[n]).ratio);
  }
  // A question that only the other GPU answered stands beside that.
  Store(file_).add(1, synthetic_measurement(58, 20));
  rows = snapshot.results(1);
  const Verdicts with = ReferenceSide(snapshot, file_, {Kind::database, other.string()}).beside(rows);
  ASSERT_TRUE(with.by_measurement.contains(rows.back().measurement));
  EXPECT_THAT(with.by_measurement.at(rows.back().measurement).explanation, HasSubstr("two GPUs"));
}

TEST_F(StoredReference, what_was_read_of_the_other_side_is_read_once_for_all_sweeps) {
  const std::filesystem::path other = folder_ / "other.db";
  write(other, 1);
  const Snapshot snapshot(file_);
  const std::vector<ResultRow> rows = snapshot.results(2);
  ReferenceSide side(snapshot, file_, {Kind::database, other.string()});
  const Verdicts before = side.beside(rows);
  Store(other).delete_sweep(1);
  const Verdicts after = side.beside(rows);
  ASSERT_GE(before.by_measurement.size(), 3U);
  ASSERT_EQ(after.by_measurement.size(), before.by_measurement.size());
  for (const auto& [row, time] : before.by_measurement) EXPECT_EQ(after.by_measurement.at(row).ratio, time.ratio);
}

/// The samples of a database that is open are lost.
void lose_samples(const std::filesystem::path& file) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("DROP TABLE sample");
}

TEST_F(StoredReference, that_the_other_database_cannot_be_read_is_no_fault_of_the_open_one) {
  const std::filesystem::path other = folder_ / "other.db", damaged = folder_ / "damaged.db";
  write(other, 1);
  write(damaged, 1);
  const Snapshot snapshot(file_);
  const std::vector<ResultRow> rows = snapshot.results(2);
  ReferenceSide whole(snapshot, file_, {Kind::database, other.string()});
  ReferenceSide broken(snapshot, file_, {Kind::database, damaged.string()});
  lose_samples(damaged);
  EXPECT_THROW(broken.beside(rows), ReferenceError);
  lose_samples(file_);
  try {
    whole.beside(rows);
    FAIL() << "the rows have no samples";
  } catch (const ReferenceError& error) {
    FAIL() << "the open database is the damaged one: " << error.what();
  } catch (const Error&) {
  }
  EXPECT_THROW(ReferenceSide(snapshot, file_, {Kind::database, (folder_ / "gone.db").string()}), ReferenceError);
}

TEST_F(StoredReference, a_lone_instance_that_was_named_anew_is_the_same_question) {
  const Snapshot snapshot(file_);
  std::vector<ResultRow> rows = snapshot.results(2);
  const std::size_t before = ReferenceSide(snapshot, file_, {Kind::sweep, {}, 1}).beside(rows).by_measurement.size();
  for (ResultRow& row : rows) row.instance = "named anew";
  EXPECT_EQ(ReferenceSide(snapshot, file_, {Kind::sweep, {}, 1}).beside(rows).by_measurement.size(), before);
  std::vector<ResultRow> both = rows;
  for (ResultRow& row : rows) {
    row.instance = "a second one";
    both.push_back(row);
  }
  EXPECT_THAT(ReferenceSide(snapshot, file_, {Kind::sweep, {}, 1}).beside(both).by_measurement, IsEmpty())
      << "which of the two is meant cannot be told";
}

}  // namespace
}  // namespace triscope
