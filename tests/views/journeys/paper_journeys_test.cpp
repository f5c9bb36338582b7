// The pages of the Paper panel, by mouse.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "profiler/paper/errata.hpp"
#include "tests/views/journeys/journey.hpp"
#include "tests/views/paper_page_windows.hpp"

namespace triscope {
namespace {

using fixture::Journey;
using fixture::page;
using fixture::shown;
using fixture::slide;

class PaperJourney : public Journey {
 protected:
  /// Fields in which something stands that they do not take.
  static std::size_t wrong_fields() { return ui().fields.wrong.size(); }
};

TEST_F(PaperJourney, the_workspace_opens_from_the_toolbar_and_each_page_by_its_button) {
  travel([](ImGuiTestContext* c) {
    c->ItemClick("//##MainMenuBar/##MenuBar/Paper");
    c->Yield(4);
    IM_CHECK(ui().workspace == Workspace::paper);
    for (const auto& [button, child] : {std::pair{"//**/Operator", "operator_"},
                                        {"//**/Tiles", "tiling_"},
                                        {"//**/Steps", "steps_"},
                                        {"//**/Rotation", "rotation_"},
                                        {"//**/Match3", "match3_"},
                                        {"//**/Results", "results"},
                                        {"//**/Scaling laws", "laws_"},
                                        {"//**/Recipe", "recipe_"},
                                        {"//**/Errata", "errata all"}}) {
      c->ItemClick(button);
      wait(c);
      IM_CHECK(shown(child));
    }
    c->ItemClick("//**/Table 1");
    c->Yield(3);
    IM_CHECK(shown("/paper_"));
    c->ItemClick("//##MainMenuBar/##MenuBar/Measure");
    c->Yield(4);
    IM_CHECK(ui().workspace == Workspace::measure);
    const ImGuiWindow* panel = ImGui::FindWindowByName("###paper");
    IM_CHECK(panel == nullptr || !panel->Active);
  });
}

/// Pairs of keys of the drawn kernel: computed, and useful.
std::pair<double, double> drawn_pairs(const UiState& ui, const WindowData& data) {
  const TileAnswer& answer = *data.tiles.answer;
  const TileUse* use = shown_use(ui.paper.tiles, answer.uses);
  return {computed_pairs(use->query_tiles),
          useful_pairs(use->query_tiles, answer.question.problem, *answer.question.query)};
}

TEST_F(PaperJourney, tiles_follow_the_fields_and_the_chosen_kernel) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Tiles");
    wait(c);
    IM_CHECK(data().tiles.answer != nullptr);
    IM_CHECK_EQ(shown_use(ui().paper.tiles, data().tiles.answer->uses)->kernel, "paper forward");
    IM_CHECK_EQ(drawn_pairs(ui(), data()).second, 512.0 * 32);
    c->ItemInputValue("//**/##window1", 284);
    wait(c);
    IM_CHECK_EQ(data().tiles.answer->question.problem.window1, 284);
    // 64 queries from 19968 on: keys from 284 before them, and three tiles of 32 keys.
    IM_CHECK_EQ(drawn_pairs(ui(), data()).first, (284.0 + 64) * 96);
    IM_CHECK_EQ(drawn_pairs(ui(), data()).second, 284.0 * 32);
    c->ItemClick("//**/paper forward, text/##line");
    wait(c);
    IM_CHECK_EQ(ui().paper.tiles.use, "paper forward, text");
    IM_CHECK_EQ(drawn_pairs(ui(), data()).first, 284.0 * 32);
    c->ItemClick("//**/Positions");
    wait(c);
    IM_CHECK_EQ(data().tiles.answer->question.problem.kv_heads, 64);
    c->ItemInputValue("//**/##kv heads", 7);
    wait(c);
    IM_CHECK_EQ(data().tiles.answer->question.problem.kv_heads, 64);  // 64 heads do not share 7: not asked
    IM_CHECK(!tiles_problem(ui().paper.tiles).empty());
  });
}

TEST_F(PaperJourney, steps_go_on_by_buttons_keys_and_programs) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Steps");
    c->Yield(3);
    IM_CHECK_EQ(ui().paper.steps.step, 0);
    const AlgorithmSteps& run = app().models().steps(ui().paper.steps.algorithm, ui().paper.steps.sizes);
    c->ItemClick("//**/>");
    c->KeyPress(ImGuiKey_RightArrow);
    c->Yield(2);
    IM_CHECK_EQ(ui().paper.steps.step, 2);
    c->ItemClick("//**/>|");
    c->Yield(2);
    IM_CHECK_EQ(run.steps[static_cast<std::size_t>(ui().paper.steps.step)].program, 1);
    IM_CHECK_EQ(run.steps[static_cast<std::size_t>(ui().paper.steps.step) - 1].program, 0);
    c->KeyPress(ImGuiKey_LeftArrow);
    c->Yield(2);
    c->ItemClick("//**/|<");
    c->Yield(2);
    IM_CHECK_EQ(ui().paper.steps.step, 0);
    slide(c, "//**/##step", 0.999F);
    IM_CHECK_EQ(ui().paper.steps.step, static_cast<std::int64_t>(run.steps.size()) - 1);
    c->ItemClick("//**/Ours: backward");
    c->Yield(2);
    IM_CHECK_EQ(ui().paper.steps.step, 0);
    IM_CHECK(ui().paper.steps.algorithm == Algorithm::our_backward);
  });
}

TEST_F(PaperJourney, steps_play_by_button_and_key_until_one_is_taken) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Steps");
    c->Yield(2);
    StepsUi& steps = ui().paper.steps;
    slide(c, "//**/##speed", 0.99F);
    IM_CHECK_EQ(steps.speed, 20);
    c->ItemClick("//**/Play");
    IM_CHECK(steps.playing);
    until(c, [&] { return steps.step >= 3; });
    IM_CHECK(steps.step < 6);  // a step at a time
    c->KeyPress(ImGuiKey_P);
    c->Yield(2);
    const std::int64_t stands = steps.step;
    IM_CHECK(!steps.playing);
    c->SleepNoSkip(0.5F, 0.05F);
    IM_CHECK_EQ(steps.step, stands);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);  // the palette's, not this one
    c->Yield(2);
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
    IM_CHECK(!steps.playing);
    c->KeyPress(ImGuiKey_P);
    until(c, [&] { return steps.step > stands; });
    c->KeyPress(ImGuiKey_LeftArrow);
    c->Yield(2);
    IM_CHECK(!steps.playing);
    steps.step = static_cast<std::int64_t>(app().models().steps(steps.algorithm, steps.sizes).steps.size()) - 2;
    c->ItemClick("//**/Play");
    until(c, [&] { return !steps.playing; });  // at the end
    IM_CHECK_EQ(steps.step,
                static_cast<std::int64_t>(app().models().steps(steps.algorithm, steps.sizes).steps.size()) - 1);
  });
}

TEST_F(PaperJourney, the_recipe_adds_up_a_model_that_is_typed_or_chosen) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    ui().paper.recipe.typed = true;
    ui().paper.recipe.seq_len = 1024;
    c->ItemClick("//**/Recipe");
    wait(c);
    const auto answer = [] { return *app().models().recipe(data(), ui().paper.recipe); };
    IM_CHECK(answer().costs.has_value());
    c->ItemInputValue("//**/##layers", 12);
    c->ItemClick("//**/1 in 2");
    c->Yield(2);
    IM_CHECK_EQ(ui().paper.recipe.simplicial, 6);
    IM_CHECK_EQ(answer().steps.size(), 13U);
    const double mixed = answer().steps[6].low, global = answer().steps[0].low;
    c->ItemInputValue("//**/##sequences", 3);
    c->Yield(2);
    IM_CHECK(std::abs(answer().steps[6].low - 3 * mixed) < 1e-9 * mixed);
    IM_CHECK(std::abs(answer().steps[0].low - 3 * global) < 1e-9 * global);
    c->ItemInputValue("//**/##budget", static_cast<float>(1.5 * (mixed + global)));
    c->Yield(2);
    IM_CHECK(answer().fits.has_value());
    IM_CHECK(!answer().fits->none());
    c->ItemInputValue("//**/##kv heads", 2);
    c->Yield(2);
    IM_CHECK(!answer().costs.has_value());
    IM_CHECK(answer().problem.find("64/2 heads") != std::string::npos);
    c->ItemClick(page("recipe model")->GetID("##shape"));
    c->Yield(2);
    std::string first = app().models().device_rows(data())->shapes.front().text;
    for (std::size_t at = 0; (at = first.find('/', at)) != std::string::npos; at += 2) first.insert(at, 1, '\\');
    c->ItemClick(("//##Combo_00/$$0/" + first).c_str());
    c->Yield(2);
    IM_CHECK(answer().costs.has_value());
    IM_CHECK_EQ(ui().paper.recipe.layers, 12);
    c->ItemClick("//**/Copy");
    c->Yield(2);
    IM_CHECK(clipboard().starts_with("2-simplicial layers"));
    IM_CHECK_EQ(std::ranges::count(clipboard(), '\n'), 14);
  });
}

TEST_F(PaperJourney, the_recipe_counts_the_tiles_of_windows_that_were_not_measured) {
  static std::atomic<int> asked;
  static std::atomic<bool> counting;
  asked = 0, counting = true;
  window->sweep.work = [](const std::vector<Problem>& problems) {
    ++asked;
    for (int n = 0; counting && n < 60'000; ++n) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    WorkTable table;
    for (const Problem& problem : problems) table.push_back({problem, {}});
    return table;
  };
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    ui().paper.recipe.typed = true;
    ui().paper.recipe.seq_len = 1024;
    c->ItemClick("//**/Recipe");
    wait(c);
    const auto answer = [] { return *app().models().recipe(data(), ui().paper.recipe); };
    IM_CHECK(data().work.asked.empty());  // all of it was measured
    c->ItemInputValue("//**/##window1", 300);
    until(c, [] { return asked > 0; });
    c->Yield(8);  // they are asked for once, however long they are being counted
    IM_CHECK(!answer().to_count.empty());
    counting = false;
    wait(c);
    IM_CHECK_EQ(ui().paper.recipe.window1, 300);
    IM_CHECK(answer().to_count.empty());
    IM_CHECK(find_counted(*data().work.table, data().work.asked.back()) != nullptr);
    IM_CHECK(answer().costs.has_value() || !answer().problem.empty());
  });
  EXPECT_EQ(asked, 1);
}

TEST_F(PaperJourney, the_operator_follows_its_sliders) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Operator");
    c->Yield(3);
    IM_CHECK(shown("operator_"));
    const auto windows = [] { return Windows{ui().paper.the_operator.window1, ui().paper.the_operator.window2}; };
    const auto crossings = [&] { return *app().models().crossings(data(), windows()); };
    IM_CHECK(crossings().beside.starts_with("64/1 heads"));
    slide(c, "//**/window1/##power", 0.01F);
    slide(c, "//**/window2/##power", 0.99F);
    IM_CHECK_EQ(windows().window1, 1);
    IM_CHECK_EQ(windows().window2, 4096);
    c->ItemInputValue("//**/##window1", 300);  // no power of two, and not measured
    c->ItemInputValue("//**/##window2", 48);
    c->ItemInputValue("//**/##tokens", 20'000);
    c->Yield(2);
    IM_CHECK_EQ(windows().window1, 300);
    IM_CHECK_EQ(windows().window2, 48);
    IM_CHECK_EQ(ui().paper.the_operator.tokens, 20'000);
    // Wider than any kernel takes: the page stays, and so does what was typed.
    c->ItemInputValue("//**/##window1", 100'000);
    c->Yield(2);
    IM_CHECK_EQ(windows().window1, 300);
    IM_CHECK_EQ(wrong_fields(), 1U);
    IM_CHECK_STR_EQ(ui().fields.wrong.begin()->second.problem.c_str(),
                    "'100000' is no whole number from 1 to 4,096. The page goes by 300.");
    slide(c, "//**/window1/##power", 0.01F);  // a number from elsewhere takes its place
    IM_CHECK_EQ(windows().window1, 1);
    IM_CHECK_EQ(wrong_fields(), 0U);
  });
}

TEST_F(PaperJourney, numbers_that_a_field_does_not_take_stay_until_they_are_right) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    ui().paper.recipe.typed = true;
    ui().paper.recipe.seq_len = 1024;
    c->ItemClick("//**/Recipe");
    wait(c);
    const auto type = [&](const char* field, const char* text) {
      c->ItemInputValue(field, text);
      c->Yield(2);
    };
    type("//**/##layers", "0");
    IM_CHECK_EQ(ui().paper.recipe.layers, 32);
    IM_CHECK_EQ(wrong_fields(), 1U);
    type("//**/##budget", "-5");
    IM_CHECK_EQ(ui().paper.recipe.budget_ms, 0.0F);
    IM_CHECK_EQ(wrong_fields(), 2U);
    type("//**/##budget", "250.5");
    IM_CHECK_EQ(ui().paper.recipe.budget_ms, 250.5F);
    type("//**/##layers", "32");  // the number that counts already
    IM_CHECK_EQ(wrong_fields(), 0U);
    type("//**/##layers", "4");  // fewer than the 8 that are 2-simplicial: said, and nothing is changed
    IM_CHECK_EQ(wrong_fields(), 0U);
    IM_CHECK_EQ(ui().paper.recipe.simplicial, 8);
    IM_CHECK_STR_EQ(app().models().recipe(data(), ui().paper.recipe)->problem.c_str(),
                    "8 of 4 layers cannot be 2-simplicial");
    type("//**/##layers", "40");
    IM_CHECK(app().models().recipe(data(), ui().paper.recipe)->costs.has_value());
    c->ItemClick("//**/Results");
    c->Yield(2);
    type("//**/##size 0", "-5");
    IM_CHECK_EQ(ui().paper.results.sizes[0], 1.0F);
    IM_CHECK_EQ(wrong_fields(), 1U);
    c->ItemClick("//**/Solve");  // sets it
    c->Yield(2);
    IM_CHECK_EQ(wrong_fields(), 0U);
    c->ItemClick("//**/Match3");
    c->Yield(2);
    type("//**/##draw", "500");
    IM_CHECK_EQ(ui().paper.match3.draw, 8);
    IM_CHECK_EQ(wrong_fields(), 1U);
  });
}

TEST_F(PaperJourney, errata_are_shown_by_kind_and_copied_with_their_reasons) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Errata");
    c->Yield(3);
    IM_CHECK(shown("/erratum_"));
    const auto formulas = std::ranges::count(errata(), "formula", &Erratum::kind);
    c->ItemClick(fmt::format("//**/formula ({})", formulas).c_str());
    c->Yield(3);
    IM_CHECK_EQ(ui().paper.errata_kind, "formula");
    IM_CHECK(shown("errata formula"));
    c->ItemClick("//**/Copy");
    c->Yield(2);
    IM_CHECK_EQ(std::ranges::count(clipboard(), '\n'), formulas + 1);
    IM_CHECK(clipboard().find(errata().front().reason) != std::string::npos);
    c->ItemClick(fmt::format("//**/all ({})", errata().size()).c_str());
    c->Yield(3);
    IM_CHECK(shown("errata all"));
  });
}

TEST_F(PaperJourney, losses_of_one_s_own_are_typed_or_opened_from_a_file) {
  std::ofstream(window->folder / "mine.csv") << kLossesHeader << "a test,one,1B,0.5\na test,one,2B,0.45\n"
                                             << "a test,two,1B,0.5\na test,two,2B,0.4\n";
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Scaling laws");
    c->Yield(2);
    c->ItemClick("//**/Your losses");
    c->Yield(2);
    IM_CHECK(shown("own laws"));
    const auto losses = [] { return app().models().own_losses(ui().paper.losses); };
    IM_CHECK(losses().benchmarks.empty());
    c->ItemClick("//**/Paper's as example");
    c->Yield(3);
    IM_CHECK_EQ(losses().benchmarks.size(), 4U);
    c->ItemClick("//**/MMLU-pro");
    c->Yield(2);
    IM_CHECK_EQ(ui().paper.losses.benchmark, 2);
    c->ItemClick("//**/Open CSV…");
    wait(c);
    IM_CHECK(ui().path.waiting.has_value());
    c->ItemInputValue("//$FOCUSED/##path", (world().folder / "mine.csv").c_str());
    wait(c);
    IM_CHECK(!ui().path.waiting.has_value());
    IM_CHECK_EQ(losses().benchmarks.size(), 1U);
    IM_CHECK_EQ(losses().benchmarks.at(0).pairs.size(), 1U);
    IM_CHECK_EQ(ui().paper.losses.benchmark, 0);
    c->ItemInput("//**/##losses");
    c->KeyCharsReplace("benchmark,model,parameters,loss\nx,y,1B,0.5\nx,y,4B,0.25\n");
    c->Yield(2);
    IM_CHECK_EQ(losses().benchmarks.at(0).name, "x");
    IM_CHECK(std::abs(losses().benchmarks.at(0).series.at(0).law.alpha - 0.5) < 1e-9);
    c->KeyCharsReplace("nothing");
    c->Yield(2);
    IM_CHECK(losses().benchmarks.empty());
    IM_CHECK(!losses().problem.empty());
  });
}

TEST_F(PaperJourney, the_vectors_turn_with_the_mouse_and_back) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Rotation");
    c->Yield(2);
    const ImGuiWindow* child = page("rotation_");
    IM_CHECK(child != nullptr);
    c->MouseMoveToPos(ImVec2(child->InnerRect.Min.x + 80, child->InnerRect.Min.y + 120));
    c->MouseDragWithDelta(ImVec2(40, 25));
    c->Yield(2);
    IM_CHECK(ui().paper.rotation.around > 0.1F);
    IM_CHECK(ui().paper.rotation.over > 0.1F);
    c->ItemClick("//**/Turn back");
    c->Yield(2);
    IM_CHECK_EQ(ui().paper.rotation.around, 0.0F);
  });
}

TEST_F(PaperJourney, match3_follows_numbers_modulus_precision_and_c) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::paper);
    c->ItemClick("//**/Match3");
    wait(c);
    const auto shown = [] { return app().models().match3(ui().paper.match3.asked); };
    const auto findings = [&] { return shown()->findings; };
    IM_CHECK(findings().has_value());
    IM_CHECK_EQ(findings()->answer.tokens.size(), 8U);
    IM_CHECK_EQ(findings()->answer.wrong, 0);
    c->ItemInputValue("//**/##numbers", "1 2 8 4");
    c->ItemInputValue("//**/##modulus", 11);
    wait(c);
    IM_CHECK_EQ(findings()->question.modulus, 11);
    // 1 + 2 + 8 = 11 in both orders, 4 + 4 + 14 is none; 8 + 1 + 2 and 2 + 1 + 8 likewise, and 1 + 1 + 20 is none.
    const std::vector<std::int64_t> pairs{2, 2, 2, 0};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      IM_CHECK_EQ(findings()->answer.tokens[i].matches, pairs[i]);
      IM_CHECK(findings()->answer.tokens[i].right());
    }
    // A c of 1 tells no miss from a match.
    c->ItemInputValue("//**/##c", "1");
    wait(c);
    IM_CHECK_EQ(findings()->answer.c, 1.0);
    IM_CHECK(findings()->answer.wrong > 0);
    c->ItemInputValue("//**/##c", "");
    c->ItemClick("//**/bf16");
    wait(c);
    IM_CHECK(findings()->question.precision == Match3Precision::bf16);
    IM_CHECK_EQ(findings()->answer.wrong, 0);
    c->ItemInputValue("//**/##draw", 20);
    c->ItemInputValue("//**/##modulus", 997);
    c->ItemClick("//**/Other numbers");
    wait(c);
    IM_CHECK_EQ(findings()->answer.tokens.size(), 20U);
    IM_CHECK(findings()->answer.wrong > 0);  // bf16 is too coarse for that modulus
    c->ItemInputValue("//**/##numbers", "1 2 x");
    wait(c);
    IM_CHECK(!findings().has_value());
    IM_CHECK_STR_EQ(shown()->problem.c_str(), "Type whole numbers, separated by spaces.");
  });
}

}  // namespace
}  // namespace triscope
