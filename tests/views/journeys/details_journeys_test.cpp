// What a person does with two rows beside each other in Details.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/paths.hpp"
#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"

namespace triscope {
namespace {

using fixture::Journey;

class DetailsJourney : public Journey {
 protected:
  DetailsJourney() { window->start(recorded_file()); }

  /// Hopper's backwards of 128x128 and 256x64 at 32k: of neither hardware counters were read, of their forwards they
  /// were.
  static void select_backwards(ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{2});
    wait(c);
    std::vector<std::int64_t> both;
    for (const ResultRow& row : data().shown->rows) {
      const Windows windows{row.problem.window1, row.problem.window2};
      if (row.kernel == "cuda.hopper" && (windows == Windows{128, 128} || windows == Windows{256, 64}))
        both.push_back(row.measurement);
    }
    IM_CHECK_EQ(both.size(), 2U);
    app().carry_out(ask::SelectMeasurements{both, 2});
    front(c, Panel::details);
    wait(c);
    IM_CHECK(data().selected != nullptr && data().beside != nullptr);
    IM_CHECK(data().selected->row.pass == Pass::backward && data().selected->measurement.counters.empty());
  }
};

TEST_F(DetailsJourney, the_pass_of_both_that_has_counters_is_one_click_away) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    select_backwards(c);
    const Problem a = data().selected->row.problem, b = data().beside->of->row.problem;
    IM_CHECK(fixture::says(fixture::drawn_text(c), "Hardware counters were read of neither."));
    c->ItemClick("//###details/**/###counted");
    wait(c);
    IM_CHECK(data().selected != nullptr && data().beside != nullptr);
    for (const auto& [one, problem] : {std::pair(data().selected.get(), &a), std::pair(data().beside->of.get(), &b)}) {
      IM_CHECK(one->row.pass == Pass::forward);
      IM_CHECK_STR_EQ(one->row.kernel.c_str(), "cuda.hopper");
      IM_CHECK(one->row.problem == *problem);
      IM_CHECK(!one->measurement.counters.empty());
    }
    IM_CHECK_EQ(data().shown->info.id, data().selected->row.sweep);
    IM_CHECK(!c->ItemExists("//###details/**/###counted"));  // there is nothing more to show
  });
}

TEST_F(DetailsJourney, both_are_planned_in_one_sweep_with_counters_and_nothing_is_measured) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    select_backwards(c);
    const Problem problem = data().selected->row.problem;
    ui().form.precision_percent = 0.7;
    c->ItemClick("//###details/**/###plan");
    wait(c);
    const SetupForm& form = ui().form;
    IM_CHECK(form.backward && !form.forward && form.trilinear && !form.determinant);
    IM_CHECK(form.sustained && !form.burst);
    IM_CHECK(form.counters);
    IM_CHECK_STR_EQ(form.seq_lens.c_str(), std::to_string(problem.seq_len).c_str());
    IM_CHECK_STR_EQ(form.q_heads.c_str(), std::to_string(problem.q_heads).c_str());
    IM_CHECK_STR_EQ(form.head_dims.c_str(), std::to_string(problem.head_dim).c_str());
    IM_CHECK_EQ(form.windows.size(), 2U);
    for (const Windows& windows : {Windows{128, 128}, Windows{256, 64}})
      IM_CHECK(std::ranges::find(form.windows, windows) != form.windows.end());
    IM_CHECK(std::ranges::find(form.excluded_kernels, "cuda.hopper") == form.excluded_kernels.end());
    IM_CHECK(std::ranges::find(form.excluded_kernels, "cpu.fast") != form.excluded_kernels.end());
    IM_CHECK_EQ(form.precision_percent, 0.7);  // what was chosen for all sweeps stays
    IM_CHECK_EQ(world().sweep.started.load(), 0);
  });
}

}  // namespace
}  // namespace triscope
