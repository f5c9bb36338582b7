// What a person does with two versions of a kernel.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "tests/views/pictures/two_versions.hpp"
#include "views/model/tables/compare_model.hpp"
#include "views/model/tables/version_words.hpp"

namespace triscope {
namespace {

using fixture::write_two_versions;

class VersionsJourney : public fixture::Journey {};

TEST_F(VersionsJourney, two_versions_of_a_kernel_are_compared_in_all_that_both_measured) {
  write_two_versions(window->folder / "versions.db");
  window->start(window->folder / "versions.db");
  travel([](ImGuiTestContext* c) {
    wait(c);
    c->SetRef("##MainMenuBar");
    c->MenuClick("Sweep/Compare two versions of a kernel...");
    wait(c);
    IM_CHECK_EQ(data().compared.size(), 2U);
    IM_CHECK_STR_EQ(data().compared[0].name.c_str(), "63ca6c");  // the older one
    IM_CHECK_STR_EQ(data().compared[1].name.c_str(), "2c6a73");
    IM_CHECK_EQ(data().compared[1].results->rows.size(), 8U);  // with those of the library
    IM_CHECK_EQ(data().compared[1].sweeps.size(), 2U);
    const CompareModel* model = app().models().compare(data(), 0);
    IM_CHECK(model != nullptr);
    IM_CHECK_EQ(model->lines.size(), 4U);
    IM_CHECK_EQ(model->missing, 0);
    for (const CompareLine& line : model->lines) IM_CHECK(std::abs(line.cells[1]->comparison->ratio - 1.1) < 1e-6);
    IM_CHECK_STR_EQ(cycle_ratio_text(*model->lines.front().cells[1]->comparison).c_str(), "1.078");
    const std::string unchanged = unchanged_text(model->unchanged);
    IM_CHECK(unchanged.find("4 unchanged measurements") != std::string::npos);
    IM_CHECK(unchanged.find("median 1.020; in cycles") != std::string::npos);
    IM_CHECK_EQ(model->unchanged_lines.size(), 4U);
    // A click selects A, the newer one, before B, whichever sweep is shown.
    std::vector<ResultRow> of_sides;
    for (const ComparedSweep& side : data().compared)
      of_sides.insert(of_sides.end(), {side.results->rows.front(), side.results->rows.back()});
    for (const ResultRow& row : of_sides) {
      app().carry_out(ask::SelectMeasurements{{row.measurement}, row.sweep});
      wait(c);
      IM_CHECK_EQ(data().shown->info.id, row.sweep);
      front(c, Panel::compare);
      c->ItemClick("//###compare/**/##line", 0, ImGuiTestOpFlags_NoCheckHoveredId);
      wait(c);
      IM_CHECK(data().selected != nullptr && data().beside != nullptr);
      IM_CHECK_STR_EQ(data().selected->row.source_hash.c_str(), "2c6a73000000");
      IM_CHECK_STR_EQ(data().beside->of->row.source_hash.c_str(), "63ca6c000000");
      IM_CHECK_STR_EQ(cycle_ratio_text(data().beside->time).c_str(), "1.078");
    }
    // A click on a header sorts, another one turns it round, a third one puts the lines back.
    const std::string header = fmt::format("//###compare/**/##{}", 16 + static_cast<int>(CompareField::time) + 1);
    const auto first_ms = [&] {
      return *app().models().compare(data(), 0)->lines[ui().compare_order.lines.front()].cells[1]->ms;
    };
    c->ItemClick(header.c_str());
    IM_CHECK_EQ(first_ms(), 1.1);
    c->ItemClick(header.c_str());
    IM_CHECK_EQ(first_ms(), 2.2);
    c->ItemClick(header.c_str());
    IM_CHECK(!ui().compare_order.sort);
    c->ItemClick("//**/###leave");
    wait(c);
    IM_CHECK(data().compared.empty());
  });
}

/// Two versions of a second kernel as well, which share more than those of the first.
void add_versions_of_another_kernel(const std::filesystem::path& file) {
  Store store(file);
  for (const char* hash : {"aaaa11000000", "bbbb22000000"}) {
    const std::int64_t id = store.begin_sweep("triscope sweep", "{}", synthetic_environment(), 2);
    for (std::int64_t n = 0; n < 6; ++n) {
      Measurement one = synthetic_measurement(1, 20);
      one.key.kernel = "cuda.portable";
      one.key.problem.seq_len = 512 << n;
      one.source_hash = hash;
      store.add(id, one);
    }
    store.finish_sweep(id);
  }
}

TEST_F(VersionsJourney, versions_open_on_the_kernel_that_is_looked_at) {
  const std::filesystem::path file = window->folder / "versions.db";
  write_two_versions(file);
  add_versions_of_another_kernel(file);
  window->start(file);
  travel([](ImGuiTestContext* c) {
    wait(c);
    const auto opened_on = [&] {
      app().carry_out(ask::CompareVersions{});
      wait(c);
      return data().versions.kernel;
    };
    IM_CHECK_STR_EQ(data().shown->rows.front().kernel.c_str(), "cuda.portable");
    IM_CHECK_STR_EQ(opened_on().c_str(), "cuda.portable");
    app().carry_out(ask::LeaveVersions{});
    app().carry_out(ask::ShowSweep{2});
    wait(c);
    IM_CHECK_STR_EQ(opened_on().c_str(), "cuda.hopper");
    app().carry_out(ask::LeaveVersions{});
    app().carry_out(ask::ShowSweep{5});
    wait(c);
    app().carry_out(ask::SelectMeasurements{{data().shown->rows.front().measurement}, 5});
    wait(c);
    IM_CHECK_STR_EQ(opened_on().c_str(), "cuda.portable");
  });
}

TEST_F(VersionsJourney, rows_of_versions_are_left_with_them_and_unchanged_ones_are_listed_where_asked_for) {
  write_two_versions(window->folder / "versions.db");
  window->start(window->folder / "versions.db");
  travel([](ImGuiTestContext* c) {
    wait(c);
    app().carry_out(ask::CompareVersions{});
    wait(c);
    front(c, Panel::compare);
    c->ItemClick("//###compare/**/##line", 0, ImGuiTestOpFlags_NoCheckHoveredId);
    wait(c);
    IM_CHECK(data().selected != nullptr && data().beside != nullptr);
    // Rows of a pair that is no longer compared do not stay selected.
    app().carry_out(ask::CompareVersions{{"cuda.hopper", data().versions.pass, "63ca6c", "2c6a73"}});
    wait(c);
    IM_CHECK(data().selected == nullptr && data().beside == nullptr);
    // What did not change is put among the lines by its button, and a click on such a line selects it.
    front(c, Panel::compare);
    IM_CHECK_EQ(ui().compare_order.lines.size(), 4U);
    c->ItemClick("//###compare/**/###unchanged");
    c->Yield(2);
    IM_CHECK_EQ(ui().compare_order.lines.size(), 8U);
    IM_CHECK(fixture::says(fixture::drawn_text(c), "Hide these rows"));
    c->ItemClick("//###compare/**/###unchanged");
    c->Yield(2);
    IM_CHECK_EQ(ui().compare_order.lines.size(), 4U);
    c->ItemClick("//###compare/**/##line", 0, ImGuiTestOpFlags_NoCheckHoveredId);
    wait(c);
    IM_CHECK_EQ(ui().selection.all().size(), 2U);
    c->ItemClick("//**/###leave");
    wait(c);
    IM_CHECK_EQ(ui().selection.all().size(), 1U);  // B was of the versions
  });
}

TEST_F(VersionsJourney, a_pair_of_two_gpus_has_the_verdict_of_its_versions_and_no_other) {
  write_two_versions(window->folder / "versions.db", true);
  window->start(window->folder / "versions.db");
  travel([](ImGuiTestContext* c) {
    wait(c);
    app().carry_out(ask::CompareVersions{});
    wait(c);
    front(c, Panel::compare);
    c->ItemClick("//###compare/**/##line", 0, ImGuiTestOpFlags_NoCheckHoveredId);
    wait(c);
    IM_CHECK(data().beside != nullptr && data().beside->time.verdict == Verdict::not_comparable);
    front(c, Panel::details);
    const std::string text = fixture::drawn_text(c);
    IM_CHECK(!fixture::says(text, "not comparable with"));
    const std::size_t verdict = text.find(" % longer than "), why = text.find("Their times alone are not comparable: ");
    IM_CHECK(verdict < why && why != std::string::npos);
    IM_CHECK(fixture::says(text, "A and B were measured on two GPUs."));
  });
}

TEST_F(VersionsJourney, the_panel_says_what_became_of_each_window_what_did_not_change_and_what_goes_unsaid) {
  write_two_versions(window->folder / "versions.db", false, true);
  window->start(window->folder / "versions.db", 1920, 1200);
  travel([](ImGuiTestContext* c) {
    wait(c);
    app().carry_out(ask::CompareVersions{});
    wait(c);
    front(c, Panel::compare);
    const CompareModel& model = *app().models().compare(data(), 0);
    IM_CHECK(model.band.has_value());
    IM_CHECK_STR_EQ(model.usual.c_str(), "trilinear");
    const std::string text = fixture::drawn_text(c);
    IM_CHECK(!by_window_text(model).empty());
    IM_CHECK(fixture::says(text, by_window_text(model)));
    IM_CHECK(fixture::says(text, unchanged_words(model)));
    IM_CHECK(fixture::says(text, "Unless said: trilinear."));
    for (const CompareLine& line : model.lines) IM_CHECK(fixture::says(text, brief_setting(line)));
  });
}

TEST_F(VersionsJourney, a_database_of_one_version_says_that_there_is_nothing_to_compare) {
  write_synthetic_database(window->folder / "one.db", 6, 20);
  window->start(window->folder / "one.db");
  travel([](ImGuiTestContext* c) {
    wait(c);
    app().carry_out(ask::CompareVersions{});
    wait(c);
    IM_CHECK(data().compared.empty());
    IM_CHECK(!ui().selection.versions);
    IM_CHECK(std::ranges::find(data().notices, NoticeId::versions, &Notice::id) != data().notices.end());
  });
}

TEST_F(VersionsJourney, six_rows_are_seen_in_a_window_of_1280_x_800) {
  write_two_versions(window->folder / "versions.db", false, true);
  window->start(window->folder / "versions.db", 1280, 800);
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::CompareVersions{});
    wait(c);
    front(c, Panel::compare);
    c->Yield(3);
    const ImGuiTable* rows = nullptr;
    auto& tables = ImGui::GetCurrentContext()->Tables;
    for (int n = 0; n < tables.GetMapSize(); ++n) {
      const ImGuiTable* table = tables.TryGetMapData(n);
      const bool drawn = table && table->LastFrameActive >= ImGui::GetFrameCount() - 1 && table->OuterWindow &&
                         (table->Flags & ImGuiTableFlags_SortTristate) != 0;
      if (drawn && std::string(table->OuterWindow->Name).find("###compare") != std::string::npos) rows = table;
    }
    IM_CHECK(rows != nullptr);
    const float seen = rows->OuterRect.GetHeight() - 28 * app().look().scale;  // below the headers
    IM_CHECK_GE(std::floor(seen / (24 * app().look().scale)), 6.0F);
  });
}

}  // namespace
}  // namespace triscope
