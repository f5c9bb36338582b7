// Journeys of the pages that hold the paper's numbers: Results, Scaling laws and Table 1.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/paths.hpp"
#include "tests/views/journeys/journey.hpp"
#include "tests/views/paper_page_windows.hpp"

namespace triscope {
namespace {

using fixture::Journey;
using fixture::shown;

class PaperNumbersJourney : public Journey {
 protected:
  static std::vector<Recomputed> results() {
    const ResultsUi& chosen = ui().paper.results;
    return shown_results(chosen, app().models().recomputed(model_sizes(chosen)));
  }
  static bool listed(const char* label, const char* column) {
    return std::ranges::any_of(
        results(), [&](const Recomputed& one) { return one.printed.label == label && one.printed.column == column; });
  }
  static float size(std::size_t n) { return ui().paper.results.sizes.at(n); }
  static auto copied_lines() { return std::ranges::count(clipboard(), '\n'); }
};

TEST_F(PaperNumbersJourney, results_are_listed_by_benchmark_and_by_what_misses) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Results");
    c->Yield(2);
    IM_CHECK(shown("printed losses"));
    IM_CHECK(shown("/recomputed_"));
    IM_CHECK_EQ(results().size(), 55U);
    c->ItemClick("//**/MMLU");
    c->Yield(2);
    // Three changes of the loss; of each of two models alpha, beta, R2 and residual; the change of alpha.
    IM_CHECK_EQ(results().size(), 12U);
    IM_CHECK(!listed("Transformer", "MMLU-pro alpha"));
    c->ItemClick("//**/only misses");
    c->Yield(2);
    IM_CHECK(listed("Transformer", "MMLU alpha"));
    IM_CHECK(!listed("Transformer", "MMLU R2"));  // reproduced
    IM_CHECK(std::ranges::none_of(results(), &Recomputed::reproduced));
    c->ItemClick("//**/Copy");
    c->Yield(2);
    IM_CHECK_EQ(copied_lines(), static_cast<std::ptrdiff_t>(results().size()) + 1);
    IM_CHECK(clipboard().find("MMLU alpha\t0.1256\t0.11597") != std::string::npos);
    c->ItemClick("//**/only misses");
    c->ItemClick("//**/all");
    c->Yield(2);
    IM_CHECK_EQ(results().size(), 55U);
  });
}

TEST_F(PaperNumbersJourney, results_and_laws_follow_sizes_that_are_typed_solved_for_and_set_back) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Results");
    c->Yield(2);
    c->ItemClick("//**/only misses");
    c->Yield(2);
    IM_CHECK(listed("2-simplicial", "GSM8k alpha"));
    c->ItemInputValue("//**/##size 0", 1.1F);
    c->ItemInputValue("//**/##size 1", 2.12F);
    c->Yield(2);
    IM_CHECK_EQ(size(0), 1.1F);
    IM_CHECK_EQ(size(1), 2.12F);
    IM_CHECK(!listed("2-simplicial", "GSM8k alpha"));  // these two sizes bring it to what is printed
    c->ItemClick("//**/Solve");
    c->Yield(2);
    IM_CHECK(std::abs(size(0) - 1.063F) < 0.002F);
    IM_CHECK(std::abs(size(2) - 3.387F) < 0.002F);
    IM_CHECK_EQ(results().size(), 9U);
    IM_CHECK(listed("Transformer", "MMLU residual"));
    c->ItemClick("//**/Scaling laws");
    c->Yield(2);
    IM_CHECK(shown("laws_"));
    IM_CHECK(std::abs(size(0) - 1.063F) < 0.002F);
    c->ItemClick("//**/As printed");
    c->Yield(2);
    IM_CHECK_EQ(size(0), 1.0F);
    IM_CHECK_EQ(size(2), 3.5F);
    c->ItemClick("//**/Results");
    c->ItemInputValue("//**/##size 0", 5.0F);
    c->Yield(2);
    IM_CHECK(!shown("/recomputed_"));  // sizes that do not grow make no law
    IM_CHECK(shown("printed losses"));
  });
}

const PaperLine& line_of(const PaperModel& model, const Windows& windows) {
  return *std::ranges::find(model.lines, windows, &PaperLine::windows);
}

TEST_F(PaperNumbersJourney, figure_3_is_a_page_beside_the_others) {
  window->start(recorded_file());  // of many lengths
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Tiles");
    c->Yield(2);
    IM_CHECK(!ui().chart_areas.contains(Panel::lengths));
    c->ItemClick("//**/Lengths");
    c->Yield(2);
    wait(c);
    IM_CHECK(ui().paper.page == PaperPage::lengths);
    IM_CHECK(ui().chart_areas.contains(Panel::lengths));
    IM_CHECK_EQ(page_numbers(ui().paper.page), std::string("Figure 3 of the paper"));
    IM_CHECK(ui().workspace == Workspace::paper);
  });
}

TEST_F(PaperNumbersJourney, table_1_follows_the_database_that_is_opened) {
  std::filesystem::copy_file(recorded_file("h100.db"), window->folder / "h100.db");
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Table 1");
    c->Yield(2);
    const auto line = [] { return line_of(*app().models().paper(data()), {512, 32}); };
    IM_CHECK(shown("/paper_"));
    IM_CHECK(line().own_ms.has_value());
    IM_CHECK_STR_EQ(ratio_text(line()).c_str(), "other shape");
    c->ItemClick("//**/##line");
    c->Yield(2);
    IM_CHECK_EQ(ui().selection.pinned(), app().models().paper(data())->lines.front().measurement);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
    c->Yield(3);
    wait(c);
    c->KeyCharsReplaceEnter((world().folder / "h100.db").c_str());
    wait(c);
    IM_CHECK(data().database.ends_with("/h100.db"));
    app().carry_out(ask::ShowSweep{1});
    wait(c);
    IM_CHECK(app().models().paper(data())->recorded_device.empty());  // its rows are the recording
    app().carry_out(ask::ShowSweep{2});                               // of backwards: the table is of the device
    wait(c);
    IM_CHECK_EQ(data().shown->info.id, 2);
    IM_CHECK_EQ(line().sweep, 1);
    IM_CHECK(app().models().paper(data())->conditions.starts_with("NVIDIA H100 80GB HBM3: 32,768 tokens"));
    IM_CHECK_STR_EQ(ratio_text(line()).c_str(),
                    fmt::format("{:.2f}", 55.1 / recorded_table1().of({512, 32})->ms).c_str());
    IM_CHECK(app().models().paper(data())->kernels.empty());
    c->ItemClick("//**/Copy");
    c->Yield(2);
    IM_CHECK_EQ(copied_lines(), 8);
    IM_CHECK(clipboard().find("512\t32\t16384\t55.1\t479\t317\t2") != std::string::npos);
  });
}

TEST_F(PaperNumbersJourney, table_1_without_its_windows_puts_them_into_the_setup) {
  std::filesystem::copy_file(recorded_file("h100.db"), window->folder / "h100.db");
  {
    SQLite::Database rows((window->folder / "h100.db").string(), SQLite::OPEN_READWRITE);
    rows.exec("DELETE FROM measurement WHERE pass = 'forward'");
  }
  window->start(window->folder / "h100.db");
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowSweep{2});  // of backwards; the other has no row left
    wait(c);
    front(c, Panel::paper);
    IM_CHECK_EQ(app().models().paper(data())->measured, 0U);
    ui().form.windows.clear();
    ui().form.forward = false;
    c->ItemClick("//**/Put them into the sweep setup");
    wait(c);
    IM_CHECK_EQ(ui().form.windows.size(), 7U);
    IM_CHECK(ui().form.forward);
    IM_CHECK(ui().workspace == Workspace::measure);
    IM_CHECK(ImGui::FindWindowByName("###setup")->Active);
  });
}

}  // namespace
}  // namespace triscope
