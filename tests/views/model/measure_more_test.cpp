// Whether a sweep can be started: one rule for the button, its key, the menu and the buttons of empty panels.
#include "views/model/measure_more.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace triscope {
namespace {

using testing::HasSubstr;

/// An open database on a machine whose worker has answered.
WindowData ready() {
  WindowData data;
  data.database = "/data/results.db";
  data.machine.loading = false;
  data.machine.catalog = std::make_shared<const Catalog>();
  return data;
}

TEST(Run, says_why_nothing_can_be_measured) {
  const SetupForm form;
  EXPECT_EQ(why_not_run(ready(), form), "");
  WindowData data = ready();
  data.run.running = true;
  EXPECT_EQ(why_not_run(data, form), "A sweep is running.");
  data = ready();
  data.read_only = true;
  EXPECT_THAT(why_not_run(data, form), HasSubstr("read-only"));
  data = ready();
  data.database.clear();
  EXPECT_EQ(why_not_run(data, form), "No database is open.");
}

TEST(Run, says_that_it_only_shows_the_fields_that_need_attention) {
  SetupForm form;
  form.windows = {{512, 32}};
  EXPECT_EQ(run_words(ready(), form), "Measure what the sweep setup says.");
  form.seq_lens = "many";
  const std::string one = run_words(ready(), form);
  EXPECT_THAT(one, HasSubstr("One field needs attention"));
  EXPECT_THAT(one, HasSubstr("Run only shows it"));
  form.budget_seconds = -1;
  EXPECT_THAT(run_words(ready(), form), HasSubstr("2 fields need attention"));
  WindowData data = ready();
  data.run.running = true;
  EXPECT_EQ(run_words(data, form), "A sweep is running.");
}

TEST(Run, needs_a_device_that_runs_what_the_form_says) {
  SetupForm form;
  WindowData data = ready();
  data.machine.catalog.reset();
  data.machine.problem = "the worker does not answer; build it";
  EXPECT_EQ(why_not_run(data, form), data.machine.problem);
  data.machine.problem.clear();
  data.machine.loading = true;
  EXPECT_EQ(why_not_run(data, form), "") << "the answer may come";
  data = ready();
  auto preview = std::make_shared<PlanPreview>();
  data.preview = preview;
  preview->problem = "there is no device 1";
  EXPECT_EQ(why_not_run(data, form), "there is no device 1");
  preview->problem.clear();
  preview->skipped = 14;
  preview->unable = {{"cuda.hopper", "it needs compute capability 9.0"}};
  EXPECT_EQ(why_not_run(data, form), "No chosen kernel can run: it needs compute capability 9.0");
  preview->measurements = 7;
  EXPECT_EQ(why_not_run(data, form), "") << "another kernel can";
  form.needs_device = "NVIDIA H200";
  EXPECT_THAT(why_not_run(data, form), HasSubstr("needs NVIDIA H200, which this computer lacks"));
}

}  // namespace
}  // namespace triscope
