// What must be seen whole in a window of 1280 x 800 whose text is twice as large.
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernels/tensors/tensor_file.hpp"
#include "tests/views/journeys/fit/fit_journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/tables/compare_model.hpp"

namespace triscope {
namespace {

using fixture::child_of;
using fixture::Fit;
using fixture::kFitted;
using fixture::machine;
using fixture::table_of;

TEST_F(Fit, the_tab_of_the_panel_in_front_is_seen_at_200_percent) {
  open_small(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(6);
    for (const PanelInfo& info : panels()) {
      if (info.workspace != Workspace::measure) continue;
      front(c, info.panel);
      c->Yield(60);  // the bar of tabs glides
      const ImGuiWindow* panel = ImGui::FindWindowByName(fmt::format("###{}", info.id).c_str());
      const ImGuiTabBar& bar = *panel->DockNode->TabBar;
      const auto tab = std::ranges::find(bar.Tabs, panel->TabId, &ImGuiTabItem::ID);
      IM_CHECK(tab != bar.Tabs.end() && bar.SelectedTabId == panel->TabId);
      const float left = bar.BarRect.Min.x + tab->Offset - bar.ScrollingAnim;
      IM_CHECK_GE(left, bar.ScrollingRectMinX - 1);
      IM_CHECK_LE(left + tab->Width, bar.ScrollingRectMaxX + 1);
    }
  });
}

TEST_F(Fit, a_setting_that_is_hidden_stays_so_and_the_columns_keep_their_order_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    front(c, Panel::latency);
    const auto usual_order_drawn = [] {
      const ImGuiTable* table = table_of(columns());
      return table && table->LastFrameActive >= ImGui::GetFrameCount() - 1;
    };
    int tried = 0;
    for (const SweepInfo& sweep : std::vector<SweepInfo>(data().sweeps)) {
      app().carry_out(ask::ShowSweep{sweep.id});
      wait(c);
      c->Yield(4);
      if (usual_order_drawn()) continue;  // all settings before the first time have room
      const std::vector<std::string> shown = ui().visible_columns;
      for (const LatencyColumn& column : columns()) {
        const bool hideable = column.field == LatencyField::fact && std::ranges::count(shown, column.id) > 0;
        if (!hideable || tried == 6) continue;
        ++tried;
        ui().toggled_column = column.id;
        c->Yield(4);
        const bool usual = usual_order_drawn();
        for (int frame = 0; frame < 8; ++frame) {
          c->Yield();
          IM_CHECK_EQ(usual_order_drawn(), usual);
          IM_CHECK_EQ(std::ranges::count(ui().visible_columns, column.id), 0);
        }
        ui().toggled_column = column.id;
        c->Yield(4);
        IM_CHECK(ui().visible_columns.size() == shown.size() && !usual_order_drawn());
      }
    }
    IM_CHECK_GE(tried, 3);
  });
}

TEST_F(Fit, a_low_window_has_two_groups_of_tabs_whatever_its_bars_are) {
  window->start(kFitted, 1920, 1080);
  travel([](ImGuiTestContext* c) {
    IM_CHECK(!ui().small_layout);
    ui().settings.scale = 2;
    c->Yield(8);
    IM_CHECK(ui().small_layout);
    front(c, Panel::explore);
    wait(c);
    const ImGuiWindow* panel = ImGui::FindWindowByName("###explore");
    IM_CHECK_GE(panel->Size.y, 0.8F * 1080);
    ui().settings.scale = 1.75F;
    c->Yield(8);
    IM_CHECK(!ui().small_layout);
    app().messages().notify(Severity::warning, NoticeId::background, "Something happened.");
    c->Yield(8);
    IM_CHECK(!ui().small_layout);
  });
}

TEST_F(Fit, series_of_a_narrow_chart_are_named_and_a_click_hides_one_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(6);
    for (const Panel panel : {Panel::tflops, Panel::scaling}) {
      front(c, panel);
      wait(c);
      for (const char* name : {"//**/ Hopper forward", "//**/ Portable forward"}) {
        const ImRect place = c->ItemInfo(name).RectFull;
        IM_CHECK(place.GetWidth() > 0 && c->ItemInfo(name).Window->InnerRect.Contains(place));
      }
      const auto hidden = [] {
        ImPlotContext& plots = *ImPlot::GetCurrentContext();
        int count = 0;
        for (int n = 0; n < plots.Plots.GetBufSize(); ++n) {
          ImPlotItemGroup& items = plots.Plots.GetByIndex(n)->Items;
          for (int item = 0; item < items.GetItemCount(); ++item) count += items.GetItemByIndex(item)->Show ? 0 : 1;
        }
        return count;
      };
      IM_CHECK_EQ(hidden(), 0);
      c->ItemClick("//**/ Portable forward");
      c->Yield(2);
      IM_CHECK_EQ(hidden(), 1);
      c->ItemClick("//**/ Portable forward");
      c->Yield(2);
      IM_CHECK_EQ(hidden(), 0);
      c->ItemDoubleClick("//**/ Portable forward");
      c->Yield(2);
      IM_CHECK_GE(hidden(), 1);  // all but that one
      c->ItemDoubleClick("//**/ Portable forward");
      c->Yield(2);
      IM_CHECK_EQ(hidden(), 0);
    }
  });
}

TEST_F(Fit, what_a_comparison_says_first_is_read_whole_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    compare_twice_as_large(c);
    front(c, Panel::compare);
    wait(c);
    const CompareModel& model = *app().models().compare(data(), 0);
    const ImGuiWindow* panel = ImGui::FindWindowByName("###compare");
    const float left = panel->WorkRect.Min.x, top = panel->WorkRect.Min.y, spacing = ImGui::GetStyle().ItemSpacing.y;
    const float room = c->ItemInfo("//###compare/###Copy").RectFull.Min.x - left;
    const std::string summary = compare_summary(model);
    IM_CHECK_GT(ImGui::CalcTextSize(summary.c_str()).x, room);  // else this proves nothing
    const float heading = ImGui::CalcTextSize(summary.c_str(), nullptr, false, room).y;
    const ImFontBaked* small = app().look().text->GetFontBaked(kSecondarySize * 2);
    const float words =
        app()
            .look()
            .text->CalcTextSizeA(small->Size, FLT_MAX, panel->WorkRect.GetWidth(), compare_explanation(model).c_str())
            .y;
    const ImVec2 button = c->ItemInfo("//###compare/###unfold").RectFull.Min;
    c->ItemClick("//###compare/###unfold");  // what else differs
    c->Yield(2);
    const ImVec2 hide = c->ItemInfo("//###compare/###unfold").RectFull.Min;
    IM_CHECK(hide.x == button.x && hide.y == button.y);  // it stays under the pointer
    const ImGuiTable* differences = ImGui::TableFindByID(ImGui::FindWindowByName("###compare")->GetID("differences"));
    IM_CHECK(differences != nullptr);
    const std::string text = fixture::drawn_text(c);
    IM_CHECK(fixture::says(text, summary));
    IM_CHECK_GE(differences->OuterRect.Min.y, top + heading + words + small->Size + 3 * spacing);
    // What was hidden stays so where there is room for it, and its button is there to show it.
    c->ItemClick("//###compare/###unfold");
    ui().settings.scale = 1;
    world().stage->resize(1280, 1600);
    c->Yield(12);
    IM_CHECK(!fixture::says(fixture::drawn_text(c), "What else differs, most important first"));
    c->ItemClick("//###compare/###unfold");
    c->Yield(2);
    IM_CHECK(fixture::says(fixture::drawn_text(c), "What else differs, most important first"));
  });
}

TEST_F(Fit, the_hint_of_a_narrow_filter_ends_in_dots_and_not_in_half_a_word_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    compare_twice_as_large(c);
    for (const auto& [panel, field, begin] :
         {std::tuple{Panel::history, "//###history/##history_filter", "filter by device"},
          std::tuple{Panel::explore, "//###explore/##explore_filter", "filter: kernel~"}}) {
      front(c, panel);
      wait(c);
      const std::string text = fixture::drawn_text(c);
      const std::size_t at = text.find(begin), end = text.find(" }", at);
      IM_CHECK(at != std::string::npos && end != std::string::npos);
      const std::string hint = text.substr(at, end - at);
      IM_CHECK(hint.ends_with("…"));
      const ImRect place = c->ItemInfo(field).RectFull;
      IM_CHECK_GT(place.GetWidth(), 0);
      IM_CHECK_LE(ImGui::CalcTextSize(hint.c_str()).x, place.GetWidth());
    }
  });
}

TEST_F(Fit, the_buttons_above_the_table_are_whole_however_long_the_reference_is_at_200_percent) {
  {
    Store store(window->folder / "unknown.db");  // without the kernels' labels: rows stand beside "baseline.fa3"
    const std::int64_t sweep =
        store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 28);
    for (std::int64_t n = 0; n < 28; ++n) store.add(sweep, synthetic_measurement(n, 40));
    store.finish_sweep(sweep);
  }
  open_small(window->folder / "unknown.db");
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(6);
    front(c, Panel::latency);
    wait(c);
    const ImGuiTestItemInfo copy = c->ItemInfo("//###latency/###Copy");
    IM_CHECK(copy.ID != 0);
    IM_CHECK_LE(copy.RectFull.Max.x, copy.Window->WorkRect.Max.x + 1);
    IM_CHECK_GT(c->ItemInfo("//###latency/###reference").RectFull.GetWidth(), 60.0F);
  });
}

TEST_F(Fit, a_dialog_scrolls_in_one_place_and_its_button_is_seen_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(20);  // until the first tabs are in front, which closes dialogs
    const std::vector<std::pair<Request, bool>> dialogs{{ask::OpenHelp{}, true},
                                                        {ask::OpenLicences{}, true},
                                                        {ask::OpenDocument{"window.md", "Latency"}, true},
                                                        {ask::OpenPalette{}, false}};
    for (const auto& [request, closes] : dialogs) {
      app().carry_out(request);
      c->Yield(8);
      const ImGuiWindow* dialog = ImGui::GetTopMostPopupModal();
      if (!closes) dialog = ImGui::GetCurrentContext()->OpenPopupStack.back().Window;
      IM_CHECK(dialog != nullptr && dialog->Active);
      IM_CHECK(!dialog->ScrollbarY);
      IM_CHECK_LE(dialog->Rect().Max.y, 800.0F);
      if (closes) {
        const ImRect close = c->ItemInfo("//$FOCUSED/Close").RectFull;
        IM_CHECK(close.GetWidth() > 0 && dialog->InnerRect.Contains(close));
      }
      c->KeyPress(ImGuiKey_Escape);
      c->Yield(4);
    }
  });
}

TEST_F(Fit, the_question_for_a_file_scrolls_above_its_buttons_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    for (const float scale : {1.0F, 2.0F}) {
      ui().settings.scale = scale;
      c->Yield(20);
      app().carry_out(FileRequest(ask::SaveChart{}));
      c->Yield(8);
      const ImGuiWindow* dialog = ImGui::FindWindowByName("path");
      IM_CHECK(dialog != nullptr && dialog->Active);
      IM_CHECK(!dialog->ScrollbarY);
      for (const char* button : {"//path/Save", "//path/Cancel"}) {
        const ImRect rect = c->ItemInfo(button).RectFull;
        IM_CHECK(rect.GetWidth() > 0 && dialog->InnerRect.Contains(rect));
      }
      const float field = c->ItemInfo("//**/##path").RectFull.Min.y;
      IM_CHECK(field > dialog->InnerRect.Min.y);
      c->ItemInput("//**/##path");  // which has the keyboard, also where it scrolls
      c->KeyPress(ImGuiKey_Escape);
      c->Yield(2);
      c->KeyPress(ImGuiKey_Escape);
      c->Yield(4);
      IM_CHECK(!ui().path.waiting);
    }
  });
}

TEST_F(Fit, the_setup_keeps_off_its_bar_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    app().data().machine.catalog = machine(true);
    ui().settings.scale = 2;
    c->Yield(6);
    front(c, Panel::setup);
    c->Yield(4);
    const ImGuiWindow* fields = child_of("###setup", "fields");
    IM_CHECK(fields != nullptr && fields->ScrollbarY);
    IM_CHECK_LE(c->ItemInfo("//**/determinant").RectFull.Max.x + 8, fields->InnerRect.Max.x);
  });
}

TEST_F(Fit, explore_names_its_plots_whole_at_200_percent_and_its_filter_needs_no_line_of_its_own) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    front(c, Panel::explore);
    wait(c);
    const ImRect filter = c->ItemInfo("//**/##explore_filter").RectFull,
                 last = c->ItemInfo("//**/###databases").RectFull;
    IM_CHECK_EQ(filter.Min.y, last.Min.y);
    ui().settings.scale = 2;
    ui().explore.query = {"seq", "tflops", "kernel", "pass", "", true, "form"};
    const auto drawn = [](std::string_view title) {
      ImPlotContext& plots = *ImPlot::GetCurrentContext();
      for (int n = 0; n < plots.Plots.GetBufSize(); ++n) {
        const ImPlotPlot& plot = *plots.Plots.GetByIndex(n);
        if (plot.HasTitle() && plot.PlotRect.GetWidth() > 1 && plot.GetTitle() == title) return true;
      }
      return false;
    };
    // On one line or on two; what is asked is read beside the drawing.
    until(c, [&] { return drawn("backward, determinant##plot") || drawn("backward\ndeterminant##plot"); });
  });
}

TEST_F(Fit, the_papers_table_1_is_whole_and_what_stands_below_it_is_scrolled_to_at_200_percent) {
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    for (const float scale : {1.0F, 1.5F, 2.0F}) {
      ui().settings.scale = scale;
      app().carry_out(ask::ShowPanel{Panel::paper});
      c->Yield(8);
      wait(c);
      const ImGuiWindow *page = child_of("###paper", "table 1_"), *table = child_of("###paper", "/paper_");
      IM_CHECK(page != nullptr && table != nullptr);
      IM_CHECK(!table->ScrollbarY);
      IM_CHECK_EQ(page->ScrollbarY, page->ScrollMax.y > 0);
      IM_CHECK(scale < 2 || page->ScrollbarY);
      IM_CHECK_LE(page->Rect().Max.y, ImGui::FindWindowByName("###paper")->InnerRect.Max.y + 1);
      IM_CHECK(child_of("###paper", "paper kernels table") != nullptr || page->ScrollMax.y > 0);
    }
  });
}

TEST_F(Fit, a_tooltip_of_a_workspace_leaves_the_buttons_below_it_in_view) {
  travel([](ImGuiTestContext* c) {
    app().carry_out(ask::ShowPanel{Panel::paper});
    c->Yield(6);
    const ImRect pages = c->ItemInfo("//**/Table 1").RectFull;
    for (const char* name : {"Attention", "Paper"}) {
      const ImVec2 at = c->ItemInfo((std::string("//##MainMenuBar/##MenuBar/") + name).c_str()).RectFull.GetCenter();
      c->MouseMoveToPos(ImVec2(at.x + 1, at.y));
      c->Yield(2);
      c->MouseMoveToPos(at);
      c->SleepNoSkip(1.0F, 1.0F / 30);
      const ImGuiWindow* tip = ImGui::FindWindowByName("##Tooltip_00");
      IM_CHECK(tip != nullptr && tip->Active && !tip->Hidden);
      IM_CHECK_GE(tip->Rect().Min.y, pages.Max.y);
    }
  });
}

TEST_F(Fit, buttons_above_the_table_and_the_hint_of_more_fields_are_whole_at_800_x_500_and_200_percent) {
  window->start(kFitted, 800, 500);
  travel([](ImGuiTestContext* c) {
    ui().settings.scale = 2;
    c->Yield(8);
    front(c, Panel::latency);
    wait(c);
    const ImGuiWindow* table = ImGui::FindWindowByName("###latency");
    for (const char* item : {"##filter", "###reference", "Columns", "###Copy"}) {
      const ImRect whole = c->ItemInfo((std::string("//###latency/") + item).c_str()).RectFull;
      IM_CHECK_GE(whole.Min.x, table->InnerRect.Min.x);
      IM_CHECK_LE(whole.Max.x, table->InnerRect.Max.x);
    }
    front(c, Panel::setup);
    c->Yield(4);
    const ImGuiWindow *setup = ImGui::FindWindowByName("###setup"), *fields = child_of("###setup", "fields");
    IM_CHECK(fields != nullptr && fields->ScrollMax.y > 0);                                  // else there is no hint
    IM_CHECK_GE(setup->InnerRect.Max.y - fields->Rect().Max.y, ImGui::GetTextLineHeight());  // below the fields
  });
}

TEST_F(Fit, boxes_that_a_dialog_of_tensors_asks_for_are_in_view_at_200_percent) {
  std::vector<HostTensor> tensors;
  for (const char* name : {"alpha", "beta", "gamma"})
    tensors.push_back({name, {40, 2, 6}, std::vector<float>(480, 0.5F)});
  write_safetensors(window->folder / "odd.safetensors", tensors);
  open_small(kFitted);
  travel([](ImGuiTestContext* c) {
    open(c);
    ui().settings.scale = 2;
    c->Yield(6);
    open_draft(attention(), 0);
    set_tensors(attention().draft, (world().folder / "odd.safetensors").string());
    submit_draft(attention());
    until(c, [] { return !attention().draft.submitted; });
    c->Yield(6);
    IM_CHECK(fixture::says(fixture::drawn_text(c), "ay which tensor is which"));
    c->SetRef(c->WindowInfo("//tensors/source").ID);  // it scrolls
    for (const char* role : {"q", "k1", "k2", "v1", "v2", "sink"}) {
      const ImGuiTestItemInfo box = c->ItemInfo(fmt::format("##role_{}", role).c_str());
      IM_CHECK_EQ(box.RectClipped.GetHeight(), box.RectFull.GetHeight());
      IM_CHECK_GT(box.RectFull.GetHeight(), 10);
    }
  });
}

}  // namespace
}  // namespace triscope
