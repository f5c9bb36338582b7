// What the tiles of the selected rows compute, in words.
#include "views/model/tables/computed_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/views/sweep_fixture.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

SelectedMeasurement on_gpu(std::int64_t w1, std::int64_t w2, const std::string& kernel = "cuda.hopper") {
  SelectedMeasurement one;
  one.row = fixture::row(w1, w1, w2, Pass::backward, 90, 480, kernel);
  one.row.instance = "virtual_keys";
  one.row.timing_source = TimingSource::cupti;
  return one;
}

CountedProblem counted(const ResultRow& row, double times) {
  TileUse use;
  use.kernel = row.kernel;
  use.instance = row.instance;
  use.pass = row.pass;
  use.useful = 1000;
  use.computed = times * use.useful;
  return {row.problem, {use}};
}

/// 128 x 128 is selected, 256 x 64 stands beside it.
struct Two {
  WindowData data;
  SelectedMeasurement a = on_gpu(128, 128), b = on_gpu(256, 64);
  Two() {
    data.work.table = std::make_shared<const WorkTable>(WorkTable{counted(a.row, 1.227), counted(b.row, 1.121)});
    select();
  }
  void select(bool both = true) {
    data.selected = std::make_shared<const SelectedMeasurement>(a);
    data.beside.reset();
    if (both)
      data.beside = std::make_shared<const MeasurementBeside>(
          MeasurementBeside{std::make_shared<const SelectedMeasurement>(b), {}});
  }
};

TEST(ComputedWords, say_how_much_more_than_the_useful_work_a_row_computes) {
  Two two;
  two.select(false);
  EXPECT_EQ(computed_words(two.data).text, "Its tiles compute 1.227× the useful work: 18.5\u00A0% of that is masked.");
  EXPECT_THAT(computed_words(two.data).remark, IsEmpty());
}

TEST(ComputedWords, put_two_rows_beside_each_other) {
  Two two;
  // Of 2,048 tokens the first queries see less: 32,164,544 triples a head, and 31,421,792.
  EXPECT_EQ(computed_words(two.data).text,
            "A's tiles compute 1.227× the useful work, B's 1.121×: all in all A computes 1.12× as much as B.");
}

TEST(ComputedWords, say_why_they_are_not_known) {
  Two two;
  two.data.work.table = std::make_shared<const WorkTable>(WorkTable{{two.a.row.problem, {}}, {two.b.row.problem, {}}});
  EXPECT_EQ(computed_words(two.data), ComputedWords()) << "a build without CUDA counts none";
  two.select(false);
  EXPECT_EQ(computed_words(two.data), ComputedWords());
  two.data.work.table = std::make_shared<const WorkTable>();
  EXPECT_THAT(computed_words(two.data).remark, HasSubstr("being counted"));
  two.data.run.running = true;
  EXPECT_THAT(computed_words(two.data).remark, HasSubstr("once the sweep has ended"));
  two.data.work.problem = "the worker died";
  EXPECT_THAT(computed_words(two.data).remark, HasSubstr("is not known: the worker died."));
  two.a.row.card = card_of(two.a.row.kernel = "baseline.fa3");
  two.select(false);
  EXPECT_EQ(computed_words(two.data), ComputedWords()) << "a library's tiles are nothing to be counted";
}

TEST(ComputedWords, say_what_is_known_of_one_beside_a_library) {
  Two two;
  two.b.row.card = card_of(two.b.row.kernel = "baseline.fa3");
  two.select();
  const ComputedWords words = computed_words(two.data);
  EXPECT_EQ(words.text, "A's tiles compute 1.227× the useful work.");
  EXPECT_EQ(words.remark, "What B's tiles compute is not known: only those of cuda.hopper are counted.");
}

TEST(ComputedWords, name_the_version_whose_tiles_they_are_where_the_row_is_of_another) {
  Two two;
  auto catalog = std::make_shared<Catalog>();
  catalog->kernels.emplace_back();
  catalog->kernels[0].id = "cuda.hopper";
  catalog->kernels[0].source_hash = {"forward", "abc123"};
  two.data.machine.catalog = catalog;
  EXPECT_THAT(computed_words(two.data).remark, IsEmpty()) << "the rows are of abc123";
  two.b.row.source_hash = "0123456789abcdef";
  two.select();
  EXPECT_EQ(computed_words(two.data).remark,
            "Counted as this build's Hopper cuts its tiles, version abc123; B is of version 0123456789ab.");
  two.b.row.problem = two.a.row.problem;
  two.select();
  EXPECT_NE(computed_words(two.data).text, "") << "A is of this build";
  two.a.row.source_hash = "fedcba9876543210";
  two.select();
  EXPECT_EQ(computed_words(two.data).text, "") << "of two versions the tiles of a third one say nothing";
  EXPECT_EQ(computed_words(two.data).remark, "");
}

TEST(ComputedWords, are_asked_for_what_is_selected_and_not_known) {
  Two two;
  EXPECT_THAT(selected_to_count(two.data), IsEmpty());
  two.data.work.table = std::make_shared<const WorkTable>(WorkTable{counted(two.a.row, 1.2)});
  EXPECT_THAT(selected_to_count(two.data), SizeIs(1));
  EXPECT_EQ(selected_to_count(two.data).front(), two.b.row.problem);
  two.data.work.table = std::make_shared<const WorkTable>();
  EXPECT_THAT(selected_to_count(two.data), SizeIs(2));
  two.b.row.problem = two.a.row.problem;
  two.select();
  EXPECT_THAT(selected_to_count(two.data), SizeIs(1)) << "one problem, asked once";
  two.b = on_gpu(256, 64, "baseline.fa3");
  two.select();
  EXPECT_THAT(selected_to_count(two.data), SizeIs(1)) << "the tiles of a library are not counted";
}

}  // namespace
}  // namespace triscope
