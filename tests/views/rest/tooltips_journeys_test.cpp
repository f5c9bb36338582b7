// What the window says while the pointer rests: over every item of a panel, and over what has no item of its own.
#include <gmock/gmock.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/paths.hpp"
#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"

namespace triscope {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::HasSubstr;

/// What is wrong with the words of a tooltip; empty: nothing. A sentence ends with a full stop; a name, a value or a
/// single phrase has none.
std::string fault_of(const std::string& text) {
  if (text.find_first_not_of(" \n") == std::string::npos) return "empty";
  static const std::regex number("(^|[^A-Za-z])[+-]?(nan|inf)([^A-Za-z]|$)"),
      format("\\{\\}|\\{:|%[0-9.]*[a-z]|\\$\\{"), two_sentences("[a-z0-9)%][.!?] +[A-Z\"]");
  if (std::regex_search(text, number)) return "holds no number";
  if (std::regex_search(text, format)) return "a format that was not filled in";
  if (text.find("  ") != std::string::npos) return "two spaces";
  if (text.find("..") != std::string::npos && text.find("...") == std::string::npos) return "two full stops";
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    if (line.empty()) return "an empty line";
    if (std::string_view(",;").find(line.back()) != std::string_view::npos ||
        (end == text.size() && line.back() == ':'))
      return "a line that goes on";
    if (std::regex_search(line, two_sentences) && std::string_view(".!?:").find(line.back()) == std::string_view::npos)
      return "a sentence without its end";
    begin = end + 1;
  }
  return {};
}

TEST(Tooltips, their_faults_are_found) {
  for (const char* wrong : {"", " ", "nan ms", "time: inf", "{} rows", "%s", "12 of {:.2f}", "Two  spaces", "Ends..",
                            "One sentence. And another", "Line one\n\nline three", "which are:"})
    EXPECT_NE(fault_of(wrong), "") << wrong;
  for (const char* right : {"NVIDIA H200", "A phrase: of some words", "One sentence.", "Two. Sentences.", "±0.5 %",
                            "512 × 32\nHopper forward: 726 TFLOP/s, 720 to 731", "Information, infinite", "0.5 is half",
                            "triscope: more ...", "1.84× longer, 95 % interval"})
    EXPECT_EQ(fault_of(right), "") << right;
}

/// The window of the tooltip that is shown; null: none.
ImGuiWindow* shown_tooltip() {
  ImGuiWindow* shown = ImGui::FindWindowByName("##Tooltip_00");
  return shown != nullptr && shown->Active && !shown->Hidden ? shown : nullptr;
}
/// What the tooltip says that is shown, as it was written; empty: there is none. `hide` and `show` take it away and let
/// it come again: a frame without it says how long it is.
template <typename Hide, typename Show>
std::string tooltip_text(ImGuiTestContext* c, Hide hide, Show show) {
  ImGuiWindow* tooltip = shown_tooltip();
  if (tooltip == nullptr) return {};
  const std::size_t with = fixture::drawn_text(c).size();
  ImGui::LogToClipboard();
  ImGui::GetCurrentContext()->LogWindow = tooltip;  // the text ends where the tooltip does
  c->Yield(1);
  ImGui::LogFinish();
  std::string text = ImGui::GetClipboardText();
  hide();
  c->Yield(1);
  const std::size_t without = fixture::drawn_text(c).size();
  show();
  const std::size_t length = with > without ? with - without : 0;
  if (text.ends_with('\n')) text.pop_back();
  if (length >= text.size()) return text;
  text = text.substr(text.size() - length);
  const std::size_t first = text.find_first_not_of(" \n");
  return first == std::string::npos ? std::string() : text.substr(first);
}
class TooltipJourney : public fixture::Journey {
 protected:
  /// The pointer rests without waiting: a tooltip comes in the next frame.
  static void begin() {
    ImGuiStyle& style = ImGui::GetStyle();
    style.HoverStationaryDelay = style.HoverDelayShort = style.HoverDelayNormal = 0;
  }
  /// Rests at a place, and keeps what is said there.
  static void listen(ImGuiTestContext* c, ImVec2 at) {
    ui().pointer_moved = true;
    c->MouseTeleportToPos(at);
    c->Yield(2);
    ImGuiWindow* tooltip = shown_tooltip();
    if (tooltip == nullptr) return;
    const ImVec2 size = tooltip->Size;
    const ImGuiViewport* viewport = ImGui::GetMainViewport();
    const ImRect room(viewport->Pos, ImVec2(viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y));
    const std::string text = tooltip_text(
        c, [] { ui().pointer_moved = false; }, [] { ui().pointer_moved = true; });
    if (!heard.insert(text).second) return;
    EXPECT_EQ(fault_of(text), "") << text << "\nat " << at.x << ", " << at.y;
    EXPECT_TRUE(room.Contains(tooltip->Rect())) << "leaves the window: " << text;
    EXPECT_LE(tooltip->ContentSize.x + 2 * tooltip->WindowPadding.x, size.x + 1) << "cut: " << text;
    EXPECT_LE(tooltip->ContentSize.y + 2 * tooltip->WindowPadding.y, size.y + 1) << "cut: " << text;
  }
  /// Every few pixels of an area.
  static void listen_in(ImGuiTestContext* c, const ImRect& area) {
    for (float y = area.Min.y + 6; y < area.Max.y; y += 20) {
      for (float x = area.Min.x + 12; x < area.Max.x; x += 40) listen(c, ImVec2(x, y));
    }
  }
  /// Over a window: in the middle of each item, and every few pixels for text that is no item.
  static void listen_over(ImGuiTestContext* c, const char* name) {
    const ImGuiWindow* window = ImGui::FindWindowByName(name);
    ASSERT_NE(window, nullptr) << name;
    const ImRect area = window->Rect();
    ImGuiTestItemList items;
    c->GatherItems(&items, fmt::format("//{}", name).c_str());
    std::set<std::pair<int, int>> places;
    for (const ImGuiTestItemInfo& item : items) {
      const ImVec2 middle = item.RectClipped.GetCenter();
      if (item.RectClipped.GetWidth() > 0 && area.Contains(middle))
        places.emplace(static_cast<int>(middle.x), static_cast<int>(middle.y));
    }
    for (float y = area.Min.y + 6; y < area.Max.y; y += 18) {
      for (float x = area.Min.x + 12; x < area.Max.x; x += 84) places.emplace(static_cast<int>(x), static_cast<int>(y));
    }
    for (const auto& [x, y] : places) listen(c, ImVec2(static_cast<float>(x), static_cast<float>(y)));
  }
  static void listen_to(ImGuiTestContext* c, Panel panel) {
    front(c, panel);
    wait(c);
    listen_over(c, fmt::format("###{}", panel_info(panel).id).c_str());
  }
  void SetUp() override { heard.clear(); }
  void TearDown() override {
    fixture::Journey::TearDown();
    const char* folder = std::getenv("TRISCOPE_PICTURES");
    if (folder == nullptr) return;
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ofstream file(std::filesystem::path(folder) / (test + ".txt"));
    for (const std::string& text : heard) file << text << "\n\n";
  }
  /// Each of these was said.
  static void expect_words(std::initializer_list<const char*> words) {
    for (const char* said : words) EXPECT_THAT(heard, Contains(HasSubstr(said)));
  }
  static void expect_like(std::initializer_list<const char*> words) {
    for (const char* said : words) EXPECT_THAT(heard, Contains(ContainsRegex(said)));
  }
  /// The recorded database, a sweep of it shown and its first row selected.
  static void show(ImGuiTestContext* c, std::int64_t sweep) {
    begin();
    app().carry_out(ask::ShowSweep{sweep});
    wait(c);
    app().select_first();
    wait(c);
  }

  inline static std::set<std::string> heard;
};

TEST_F(TooltipJourney, of_the_tables) {
  window->start(recorded_file(), 1600, 900);
  travel([](ImGuiTestContext* c) {
    show(c, 1);
    for (const Panel panel : {Panel::latency, Panel::details}) listen_to(c, panel);
    app().carry_out(ask::Compare{21});
    wait(c);
    listen_to(c, Panel::compare);
  });
  expect_words({
      "Latency beside dot-product attention of the same sizes in this sweep, by neighbouring turns and so not quite "
      "the quotient of the medians: hovering says what that took beside this row. Same: the whole interval lies within "
      "the tolerance, or within 4 times it where marked *. Unclear: the samples do not decide it, or are too few. *: "
      "not measured in turns, so of the medians.",
      "Half-width of the 95 % interval of the median, in milliseconds.",
      "Time of one launch, the median over all samples.\nmedian(duration per launch)\nLower is better.",
      "TFLOP/s relative to dot-product attention in the same sweep and pass, by their turns as the time is. The two do "
      "different work.",
      "Forward latency in the paper's Table 1, on a GPU that it does not name.",
      "The interval is made of the spread of the restarts' medians, pooled with that of the sweep's other rows",
      "Duration of the counted launch: cold caches, another clock. Do not use it as a latency.",
  });
  expect_like(
      {"^▼ [0-9.]+× longer than FlashAttention-3, [0-9.]+ to [0-9.]+, in turns beside [0-9.]+ ms\\. In clock cycles: "
       "[0-9.]+\\.",
       "^▲ [0-9.]+× shorter than FlashAttention-3, [0-9.]+ to [0-9.]+, in turns beside [0-9.]+ ms\\. In clock cycles: "
       "[0-9.]+\\."});
}

TEST_F(TooltipJourney, of_the_charts) {
  window->start(recorded_file(), 1600, 900);
  travel([](ImGuiTestContext* c) {
    show(c, 4);
    for (const Panel panel : {Panel::tflops, Panel::map, Panel::samples, Panel::explore}) listen_to(c, panel);
    front(c, Panel::scaling);
    wait(c);
    const auto& plots = ImPlot::GetCurrentContext()->Plots;
    const ImPlotPlot& areas = *ImPlot::GetCurrentContext()->Plots.GetByIndex(plots.GetBufSize() - 1);
    for (const SeriesPoints& series : app().models().scaling(data(), 0)->series) {
      for (const ChartPoint& point : series.points)
        listen(c, ImVec2(areas.Axes[ImAxis_X1].PlotToPixels(point.x), areas.Axes[ImAxis_Y1].PlotToPixels(point.y)));
    }
    ui().length_view = LengthView::budget;
    const LengthPass& shown = app().models().lengths(data())->of(ui().length_pass);
    ui().length_chosen = std::ranges::find(shown.budgets, 16384, &SameBudget::seq_len)->measurements;
    ui().length_words = true;  // its words stand above the table
    listen_to(c, Panel::lengths);
  });
  expect_words({"tokens: not in this sweep", "A and B were measured on two GPUs: two cards differ",
                "In turns: by one sweep, alternating, so that heat and clock were those of both.",
                "Power-capped: the power limit held the clock down in at least half of the samples.",
                "The range of an area has the 95 % intervals of the times",
                "The shown sweep's times count, else the newest.",
                "A training step: forward and backward together, each by its fastest kernel.",
                "Copy the picture or its data, or save them: PNG, PDF, SVG, CSV"});
  expect_like({"\nforward: [0-9.]+ TFLOP/s, 95 % interval [0-9.]+ to [0-9.]+\n",
               "area [0-9,]+: [0-9.]+ ms, 95 % interval [0-9.]+ to [0-9.]+",
               "ms, 95 %: [0-9.]+ to [0-9.]+, not converged"});
}

TEST_F(TooltipJourney, of_what_is_measured_next_and_was_before) {
  window->start(recorded_file(), 1600, 900);
  travel([](ImGuiTestContext* c) {
    show(c, 1);
    for (const Panel panel : {Panel::setup, Panel::history, Panel::queue, Panel::log}) listen_to(c, panel);
    const ImVec2 size = ImGui::GetMainViewport()->Size;
    listen_in(c, ImRect(0, 0, size.x, 66));                // the toolbar and tabs
    listen_in(c, ImRect(0, size.y - 22, size.x, size.y));  // the line at the foot
  });
  expect_words({
      "A measurement ends when its precision is reached or its time is spent, whichever comes first.",
      "Sustained: warm, back to back. Burst: single launches from idle, caches flushed. They are never compared with "
      "each other.",
      " pairs per query. Outlined: the same area.\nClick or drag a rectangle.",
      // Of buttons that are grey while nothing runs:
      "One more restart of the selected row and of what takes turns with it, once the rest is measured.",
      "more restarts of the rows whose time beside the reference is unclear. What is unclear then stays unclear.",
  });
}

TEST_F(TooltipJourney, of_run_while_a_field_needs_attention) {
  travel([](ImGuiTestContext* c) {
    begin();
    const ImVec2 run = c->ItemInfo("//**/▶ Run  F5").RectFull.GetCenter();
    listen(c, run);
    ui().form.seq_lens = "many";
    wait(c);
    listen(c, run);
  });
  expect_words(
      {"Measure what the sweep setup says.", "One field needs attention: Run only shows it, in the sweep setup."});
}

TEST_F(TooltipJourney, of_a_sweep_that_was_not_in_turns) {
  write_synthetic_database(window->folder / "apart.db", 250, 20);
  window->start(window->folder / "apart.db", 1600, 900);
  travel([](ImGuiTestContext* c) {
    show(c, 1);
    for (const Panel panel : {Panel::latency, Panel::map}) listen_to(c, panel);
  });
  expect_words({"tokens: not in this sweep", "This chart shows "});
  expect_like(
      {"^[0-9]+ × [0-9]+, [0-9,]+ tokens: [0-9.]+ TFLOP/s\n▼ [0-9.]+× longer than FlashAttention-3, [0-9.]+ to "
       "[0-9.]+ \\*\n[0-9.]+× its rate$"});
}

TEST_F(TooltipJourney, of_the_paper_and_its_pages) {
  window->start(recorded_file(), 1600, 900);
  travel([](ImGuiTestContext* c) {
    show(c, 1);
    for (int page = 0; page < static_cast<int>(PaperPage::count); ++page) {
      app().carry_out(ask::ShowPanel{Panel::paper, std::string(paper_page_id(static_cast<PaperPage>(page)))});
      listen_to(c, Panel::paper);
    }
  });
}

class AttentionTooltips : public TooltipJourney {};

TEST_F(AttentionTooltips, of_the_map_and_its_sides) {
  travel([](ImGuiTestContext* c) {
    begin();
    listen_to(c, Panel::attention);
  });
  expect_words({"A query sees the keys of two windows that end with it",
                "What a head would have that weighs all alike, over the very same queries and windows",
                "Queries that have their largest p here. The one that is shown need not be among them. Click to "
                "sort by it."});
}

}  // namespace
}  // namespace triscope
