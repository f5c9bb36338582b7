// One verdict everywhere: what the window says of a row is what the command line says, from the same function.
#include <gmock/gmock.h>

#include "profiler/record/recorded_database.hpp"
#include "profiler/statistics/row_that_counts.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/row_verdicts.hpp"
#include "profiler/verdict/step_verdicts.hpp"
#include "tests/views/window_fixture.hpp"

namespace triscope {
namespace {

using fixture::WindowOnDatabase;
using testing::HasSubstr;
using testing::Not;

class Reference : public testing::Test {
 protected:
  Reference() {
    window_.start(recorded_database());
    window_.stage->settle();
  }
  Application& app() { return window_.application(); }
  const WindowData& data() { return app().data(); }
  /// What `triscope show` prints of the shown sweep.
  Verdicts command_line(const std::string& kernel) {
    const Snapshot snapshot(recorded_database());
    return compare_with_baseline(snapshot, data().shown->rows, kernel);
  }
  void expect_equal(const std::string& kernel) {
    ASSERT_TRUE(data().beside_reference);
    const Verdicts &ours = *data().beside_reference, theirs = command_line(kernel);
    EXPECT_EQ(ours.baseline, theirs.baseline);
    ASSERT_GE(ours.by_measurement.size(), theirs.by_measurement.size()) << "those of other sweeps too";
    EXPECT_FALSE(ours.by_measurement.empty());
    for (const auto& [measurement, comparison] : theirs.by_measurement) {
      const Comparison& own = ours.by_measurement.at(measurement);
      EXPECT_EQ(time_sentence(own, "it"), time_sentence(comparison, "it"));
      EXPECT_EQ(own.verdict, comparison.verdict);
    }
    for (const auto& [measurement, rate] : theirs.rates) EXPECT_EQ(ours.rates.at(measurement), rate);
  }

  WindowOnDatabase window_;
};

TEST_F(Reference, is_the_usual_one_until_another_is_chosen) {
  expect_equal("auto");
  EXPECT_EQ(data().beside_reference->short_label, "FA3");
  TextTable table = app().text_of(Panel::latency);
  EXPECT_THAT(table.header, testing::Contains("forward vs FA3, in turns"));
  app().carry_out(ask::SetReference{"baseline.cudnn"});
  window_.stage->settle();
  expect_equal("baseline.cudnn");
  table = app().text_of(Panel::latency);
  EXPECT_THAT(table.header, testing::Contains("forward rate vs cuDNN"));
  app().carry_out(ask::SetReference{"none"});
  window_.stage->settle();
  EXPECT_THAT(app().text_of(Panel::latency).header, Not(testing::Contains(HasSubstr(" vs "))));
}

TEST_F(Reference, no_row_whose_blocks_are_too_few_to_trust_is_called_faster_or_slower) {
  int few = 0;
  const Snapshot snapshot(recorded_database());
  for (const SweepInfo& sweep : snapshot.sweeps()) {
    const std::vector<ResultRow> rows = snapshot.results(sweep.id);
    const Verdicts verdicts = compare_with_baseline(snapshot, rows, "auto");
    for (const ResultRow& row : rows) {
      const auto verdict = verdicts.by_measurement.find(row.measurement);
      if (verdict == verdicts.by_measurement.end() || row.reason.find("too few to trust") == std::string::npos)
        continue;
      ++few;
      EXPECT_EQ(verdict->second.verdict, Verdict::unclear) << row.measurement << ": " << row.reason;
      EXPECT_THAT(verdict->second.explanation, HasSubstr("too few to trust"));
    }
  }
  EXPECT_GE(few, 5);
}

TEST_F(Reference, a_step_has_the_verdict_that_show_prints) {
  const Snapshot snapshot(recorded_database());
  std::size_t same_as_shown = 0;
  for (const std::string kernel : {"auto", "baseline.cudnn"}) {
    app().carry_out(ask::SetReference{kernel});
    window_.stage->settle();
    const Verdicts& verdicts = *data().beside_reference;
    const LatencyModel* drawn = app().models().step_table(data());
    ASSERT_NE(drawn, nullptr);
    for (const LatencyLine& line : drawn->lines) {
      for (const auto& cell : line.cells) {
        if (!cell || line.baseline) continue;
        const StepVerdict* step = find_step(&verdicts, cell->row.measurement, cell->backward);
        ASSERT_NE(step, nullptr) << line.label << " of the map and By area";
        EXPECT_GT(step->rate, 0);
      }
    }
    const std::vector<ResultRow> rows = snapshot.results();
    for (const TrainingStep& step : steps_in_turns(snapshot, rows_of_steps(addresses_of(rows)), kernel)) {
      if (!step.verdict) continue;
      const StepVerdict* own = find_step(&verdicts, step.forward->measurement, step.backward->measurement);
      if (own == nullptr || own->label != step.baseline_forward->card.label) continue;
      EXPECT_EQ(time_sentence(own->time, "it"), time_sentence(*step.verdict, "it")) << "`triscope show --step`";
      ++same_as_shown;
    }
  }
  EXPECT_GE(same_as_shown, 4U);
  app().carry_out(ask::SetReference{"none"});
  window_.stage->settle();
  EXPECT_TRUE(data().beside_reference->steps.empty());
}

TEST_F(Reference, of_a_sweep_that_lacks_it_is_the_usual_one_of_that_sweep) {
  app().carry_out(ask::SetReference{"baseline.cpu"});
  window_.stage->settle();
  expect_equal("auto");
}

TEST(UsualReference, is_the_baseline_of_lowest_rank_that_was_measured) {
  ResultRow ours, late, early;
  late.kernel = "b";
  late.card.rank = 2;
  early.kernel = "a";
  early.card.rank = 1;
  late.problem.form = early.problem.form = Form::dot_product;
  EXPECT_EQ(usual_reference({ours, late, early}), "a");
  early.status = Status::failed;
  EXPECT_EQ(usual_reference({ours, late, early}), "b");
  EXPECT_EQ(usual_reference({ours}), "");
}

}  // namespace
}  // namespace triscope
