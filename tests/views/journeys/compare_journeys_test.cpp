// What a person does with the Compare panel and another database, and with two rows beside each other in Details.

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/error.hpp"
#include "profiler/statistics/statistics.hpp"
#include "tests/paths.hpp"
#include "tests/profiler/record/kernel_cards.hpp"
#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {
namespace {

using fixture::Journey;

const std::string kJudgedAgainst = recorded_file("h100.db");

class CompareJourney : public Journey {
 protected:
  CompareJourney() { window->start(recorded_file()); }
  static void compare_with(ImGuiTestContext* c, const std::string& file) {
    app().carry_out(FileRequest(ask::CompareDatabase{file}));
    wait(c);
  }
};

TEST_F(CompareJourney, control_click_puts_a_second_row_beside_the_selected_one) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::latency);
    app().carry_out(ask::ClearSelection{});
    wait(c);
    const ImVec2 at = c->ItemInfo("//###latency/**/##line").RectFull.GetCenter();
    const auto click = [&](float rows) {
      c->MouseMoveToPos(ImVec2(at.x, at.y + rows * app().look().px(24)));
      c->MouseClick();
      wait(c);
      c->Yield(2);
    };
    click(0);
    IM_CHECK(data().selected != nullptr && data().beside == nullptr);
    const std::int64_t first = data().selected->row.measurement;
    c->KeyDown(ImGuiMod_Ctrl);
    click(1);
    c->KeyUp(ImGuiMod_Ctrl);
    IM_CHECK(data().beside != nullptr);
    IM_CHECK_EQ(ui().selection.pinned(), first);
    IM_CHECK_EQ(data().beside->of->row.measurement, ui().selection.beside());
    IM_CHECK_NE(ui().selection.beside(), first);
    const double medians = *data().selected->row.median_ms / *data().beside->of->row.median_ms;
    IM_CHECK(std::abs(data().beside->time.ratio / medians - 1) < 0.2);
    const std::vector<BesideLine> lines = beside_lines(data().selected->measurement, data().beside->of->measurement);
    IM_CHECK(lines.size() > 5);
    IM_CHECK(lines.front().apart > 0 && lines.front().role == CounterRole::work);
    IM_CHECK(!beside_in_words(data().selected->measurement, data().beside->of->measurement).empty());
    click(1);
    IM_CHECK(data().selected->row.measurement != first);  // without Ctrl it takes its place
    IM_CHECK(data().beside == nullptr);
  });
}

TEST_F(CompareJourney, the_shown_sweep_is_judged_against_the_nearest_sweep_of_another_database) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    const std::int64_t shown = data().shown->info.id;
    compare_with(c, kJudgedAgainst);
    IM_CHECK_EQ(data().compared.size(), 2U);
    const ComparedSweep &first = data().compared[0], &second = data().compared[1];
    IM_CHECK_STR_EQ(first.database.c_str(), "h100.db");
    IM_CHECK(second.database.empty());
    IM_CHECK_EQ(second.results->info.id, shown);
    IM_CHECK(first.results->info.environment.device_name.find("H100") != std::string::npos);
    // Each compared row names one of the other database's sweep, of the same kernel, pass and window, and the ratio is
    // that of the two medians.
    IM_CHECK(!second.against_first.empty());
    for (const auto& [measurement, against] : second.against_first) {
      const auto by = [](std::int64_t id) { return [id](const ResultRow& row) { return row.measurement == id; }; };
      const auto ours = std::ranges::find_if(second.results->rows, by(measurement));
      const auto theirs = std::ranges::find_if(first.results->rows, by(against.other));
      IM_CHECK(ours != second.results->rows.end() && theirs != first.results->rows.end());
      IM_CHECK(ours->kernel == theirs->kernel && ours->pass == theirs->pass && ours->problem == theirs->problem);
      IM_CHECK_LT(std::abs(against.comparison.ratio / (*ours->median_ms / *theirs->median_ms) - 1), 0.05);
    }
    // A row can be selected only where it is of the open database.
    const CompareModel* model = app().models().compare(data(), 0);
    IM_CHECK(model != nullptr);
    IM_CHECK_STR_EQ(model->sweeps[0].c_str(), "h100.db");
    IM_CHECK_STR_EQ(model->differences.front().what.c_str(), "sweep");
    for (const CompareLine& line : model->lines) {
      if (line.cells[0]) IM_CHECK_EQ(line.cells[0]->measurement, 0);
    }
    c->ItemClick("//**/###leave");
    wait(c);
    IM_CHECK(data().compared.empty());
    IM_CHECK(ui().selection.other_database.empty());
    // Newer sweeps there have some of these rows too: the nearest is that which shares most.
    app().carry_out(ask::OpenDatabase{kJudgedAgainst});
    wait(c);
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    compare_with(c, recorded_file());
    IM_CHECK_EQ(data().compared.size(), 2U);
    IM_CHECK_EQ(data().compared[0].results->info.id, 1);
  });
}

TEST_F(CompareJourney, compare_puts_the_shown_sweep_beside_the_baseline_whatever_was_compared_before) {
  travel([](ImGuiTestContext* c) {
    IM_CHECK(data().sweeps.size() >= 4);
    const auto id = [](std::size_t n) { return data().sweeps[n].id; };
    const auto compares = [&](std::size_t baseline, std::size_t shown) {
      app().carry_out(ask::ShowSweep{id(0)});
      app().carry_out(ask::Compare{id(1)});  // without a baseline: the older one, 1, is the first
      app().carry_out(ask::SetBaseline{id(baseline)});
      app().carry_out(ask::ShowSweep{id(shown)});
      app().carry_out(ask::Compare{});
      wait(c);
      IM_CHECK_EQ(data().compared.size(), 2U);
      IM_CHECK_EQ(data().compared[0].results->info.id, id(baseline));
      IM_CHECK_EQ(data().compared[1].results->info.id, id(shown));
      app().carry_out(ask::ClearBaseline{});
      app().carry_out(ask::ClearSelection{});
      wait(c);
    };
    compares(2, 0);
    compares(2, 3);
    compares(0, 1);
    compares(0, 3);
  });
}

TEST_F(CompareJourney, showing_another_sweep_begins_a_comparison_anew) {
  travel([](ImGuiTestContext* c) {
    IM_CHECK(data().sweeps.size() >= 4);
    const auto id = [](std::size_t n) { return data().sweeps[n].id; };
    app().carry_out(ask::ShowSweep{id(0)});
    app().carry_out(ask::Compare{id(1)});
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    app().carry_out(ask::ShowSweep{id(1)});  // one of them
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    app().carry_out(ask::ShowSweep{id(2)});
    app().carry_out(ask::Compare{id(3)});
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    IM_CHECK_EQ(data().compared[0].results->info.id, id(3));  // the older one, though it was chosen second
    IM_CHECK_EQ(data().compared[1].results->info.id, id(2));
  });
}

// Of the recording 23 was measured before 22 and has nothing in common with it, as 10 has, which came earlier; 17, 18,
// 20 and 21 came before 1 and have nothing in common with it; 17 was the first.
TEST_F(CompareJourney, the_sweep_before_is_the_last_that_measured_the_same) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    app().carry_out(ask::ShowSweep{22});
    wait(c);
    app().carry_out(ask::CompareBefore{});
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    IM_CHECK_EQ(data().compared[0].results->info.id, 10);
    IM_CHECK_EQ(data().compared[1].results->info.id, 22);
    app().carry_out(ask::ClearSelection{});
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    IM_CHECK(sweep_before(data()) != nullptr);
    app().carry_out(ask::CompareBefore{});
    wait(c);
    IM_CHECK(data().compared.empty());
    const auto says_nothing = [] {
      return std::ranges::any_of(data().notices, [](const Notice& notice) {
        return notice.text.starts_with("Nothing was compared: no sweep before this one");
      });
    };
    IM_CHECK(says_nothing());
    app().carry_out(ask::Compare{10});
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    IM_CHECK(!says_nothing());
    app().carry_out(ask::ClearSelection{});
    app().carry_out(ask::ShowSweep{17});
    wait(c);
    IM_CHECK(sweep_before(data()) == nullptr);
  });
}

// Before 22 that is 10, before 10 another one.
TEST_F(CompareJourney, the_sweep_before_is_that_of_the_sweep_that_was_just_chosen) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    app().carry_out(ask::ShowSweep{10});
    wait(c);
    app().carry_out(ask::ShowSweep{22});
    app().carry_out(ask::CompareBefore{});
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    IM_CHECK_EQ(data().compared[0].results->info.id, 10);
    IM_CHECK_EQ(data().compared[1].results->info.id, 22);
  });
}

TEST_F(CompareJourney, the_sweep_before_may_lie_behind_many) {
  {
    Store store(window->folder / "many.db");
    for (std::int64_t n = 0; n < 70; ++n) {
      const std::int64_t id = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
      store.add(id, synthetic_measurement(n == 0 || n == 69 ? 1 : 2, 2));
      store.finish_sweep(id);
    }
  }
  window->start(window->folder / "many.db");
  travel([](ImGuiTestContext* c) {
    wait(c);
    app().carry_out(ask::ShowSweep{70});
    wait(c);
    app().carry_out(ask::CompareBefore{});
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    IM_CHECK_EQ(data().compared[0].results->info.id, 1);
  });
}

TEST_F(CompareJourney, a_ratio_that_was_not_computed_is_no_number) {
  {
    Store store(window->folder / "timers.db");
    for (const TimingSource source : {TimingSource::cupti, TimingSource::cuda_events}) {
      const std::int64_t id = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 1);
      Measurement one = synthetic_measurement(1, 20);
      one.key.timing_source = source;
      store.add(id, one);
      store.finish_sweep(id);
    }
  }
  window->start(window->folder / "timers.db");
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{data().sweeps.front().id});
    app().carry_out(ask::Compare{data().sweeps.back().id});
    wait(c);
    front(c, Panel::compare);
    IM_CHECK_EQ(data().compared.size(), 2U);
    IM_CHECK_EQ(data().compared[1].against_first.size(), 1U);
    IM_CHECK_EQ(data().compared[1].against_first.begin()->second.comparison.ratio, 0);
    IM_CHECK(!fixture::says(fixture::drawn_text(c), "0.00"));
  });
}

TEST_F(CompareJourney, where_nothing_is_comparable_no_column_says_it_again) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    compare_with(c, kJudgedAgainst);
    front(c, Panel::compare);
    const CompareModel* model = app().models().compare(data(), 0);
    IM_CHECK(model != nullptr && model->not_comparable > 1);
    const std::string text = fixture::drawn_text(c);
    IM_CHECK(fixture::says(text, fmt::format("{} not comparable", model->not_comparable)));
    IM_CHECK(!fixture::says(text.substr(text.find("in cycles")), "not comparable"));
  });
}

TEST_F(CompareJourney, sweeps_that_were_compared_are_then_judged_against_the_other_database) {
  travel([](ImGuiTestContext* c) {
    wait(c);
    const std::int64_t shown = data().shown->info.id;
    app().carry_out(ask::Compare{data().sweeps[data().sweeps[0].id == shown ? 1 : 0].id});
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    compare_with(c, kJudgedAgainst);
    IM_CHECK_EQ(data().compared.size(), 3U);
    IM_CHECK_STR_EQ(data().compared[0].database.c_str(), "h100.db");
    c->KeyPress(ImGuiKey_Escape);
    wait(c);
    IM_CHECK(data().compared.empty());
  });
}

TEST_F(CompareJourney, a_database_that_cannot_be_compared_with_says_why_and_is_left) {
  std::ofstream(window->folder / "bad.db") << "this is no database, whatever its name says";
  travel([](ImGuiTestContext* c) {
    wait(c);
    for (const char* name : {"bad.db", "none.db"}) {
      compare_with(c, (world().folder / name).string());
      IM_CHECK(data().compared.empty());
      IM_CHECK(ui().selection.other_database.empty());
      const auto notice = std::ranges::find(data().notices, NoticeId::other_database, &Notice::id);
      IM_CHECK(notice != data().notices.end());
      IM_CHECK(notice->text.find(name) != std::string::npos);
      IM_CHECK(data().shown != nullptr && data().problem.empty());  // the open one is as it was
    }
    std::string refused;
    try {
      app().carry_out(FileRequest(ask::CompareDatabase{data().database}));
    } catch (const Error& error) {
      refused = error.why();
    }
    IM_CHECK_STR_EQ(refused.c_str(), "it is the open one");
  });
}

class DetailsJourney : public Journey {
 protected:
  DetailsJourney() {
    const std::filesystem::path file = window->folder / "h200.db";
    std::filesystem::copy_file(recorded_file(), file);
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
        .exec("DELETE FROM counter WHERE measurement IN (SELECT id FROM measurement WHERE sweep = 2)");
    window->start(file);
  }

  /// Hopper's backwards of 128x128 and 256x64 at 32k: of neither the file has hardware counters, of their forwards it
  /// has.
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
