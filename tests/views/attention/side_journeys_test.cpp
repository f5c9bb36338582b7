// The columns beside the map of attention, and the dialog of its tensors: what is looked at or aimed at stays free.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <vector>

#include "kernels/tensors/tensor_file.hpp"
#include "tests/views/journeys/attention_journey.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/triple_hits.hpp"

namespace triscope {
namespace {

using fixture::AttentionJourney;

/// Scrolls the left column down until `item` is seen whole.
void scroll_left_to(ImGuiTestContext* c, const char* item) {
  for (ImGuiWindow* one : ImGui::GetCurrentContext()->Windows) {
    if (!one->WasActive || std::string_view(one->Name).find("##rest") == std::string_view::npos) continue;
    for (float y = 0; y < one->ScrollMax.y + 60; y += 60) {
      ImGui::SetScrollY(one, std::min(y, one->ScrollMax.y));
      c->Yield(2);
      if (!c->ItemExists(item)) continue;
      const ImGuiTestItemInfo info = c->ItemInfo(item);
      if (info.RectClipped.GetHeight() == info.RectFull.GetHeight()) return;
    }
  }
}

TEST_F(AttentionJourney, tooltips_of_the_sides_stay_off_the_map) {
  travel([](ImGuiTestContext* c) {
    open(c);
    const ImRect map = c->ItemInfo("//**/##cells").RectFull;
    for (const char* item : {"//**/##row", "//**/distance k", "//**/##overview", "//**/##scale", "//**/causal",
                             "//**/##dot", "//**/Mean"}) {
      scroll_left_to(c, item);
      c->MouseMove(item);
      c->SleepNoSkip(1.0F, 1.0F / 30);
      const ImGuiWindow* shown = ImGui::FindWindowByName("##Tooltip_00");
      IM_CHECK(shown != nullptr && shown->Active && !shown->Hidden);
      IM_CHECK_GT(shown->Size.x, 0.0F);
      IM_CHECK(!shown->Rect().Overlaps(map));
      IM_CHECK(!shown->Rect().Overlaps(c->ItemInfo(item).RectClipped));
    }
  });
}

TEST_F(AttentionJourney, a_click_ends_the_tooltip_of_its_item_until_the_pointer_has_left_it) {
  travel([](ImGuiTestContext* c) {
    open(c);
    const ImVec2 search = c->ItemInfo("//**/All queries").RectFull.GetCenter(),
                 mean = c->ItemInfo("//**/Mean").RectFull.GetCenter();
    IM_CHECK(tooltip_at(c, search).GetWidth() > 0);
    c->MouseClick();
    c->SleepNoSkip(1.0F, 1.0F / 30);
    const ImGuiWindow* shown = ImGui::FindWindowByName("##Tooltip_00");
    IM_CHECK(attention().search.open);
    IM_CHECK(shown == nullptr || !shown->Active || shown->Hidden);
    c->MouseMoveToPos(ImVec2(search.x + 2, search.y));
    c->SleepNoSkip(1.0F, 1.0F / 30);
    IM_CHECK(shown == nullptr || !shown->Active || shown->Hidden);
    IM_CHECK(tooltip_at(c, mean).GetWidth() > 0);
    IM_CHECK(tooltip_at(c, search).GetWidth() > 0);
  });
}

TEST_F(AttentionJourney, open_stays_where_it_is_while_shapes_come) {
  const auto ones = [](const char* name) { return HostTensor{name, {8, 2, 4}, std::vector<float>(64, 1.0F)}; };
  write_safetensors(window->folder / "some.safetensors", std::vector{ones("q"), ones("k1"), ones("k2")});
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/Choose...");
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    c->ItemClick("File");
    c->Yield(3);
    const ImRect before = c->ItemInfo("Open").RectFull;
    c->ItemInput("##file");
    c->KeyCharsReplace((world().folder / "some.safetensors").c_str());
    wait(c);
    IM_CHECK(tensors_of(attention().draft, data().attention) != nullptr);
    const ImRect after = c->ItemInfo("Open").RectFull;
    IM_CHECK_EQ(after.Min.x, before.Min.x);
    IM_CHECK_EQ(after.Min.y, before.Min.y);
  });
}

TEST_F(AttentionJourney, a_search_by_least_distances_holds_to_them) {
  travel([](ImGuiTestContext* c) {
    for (AttentionSide& one : attention().sides) one.source.seq_len = 160;
    attention().window1 = 32;
    attention().window2 = 16;
    open(c);
    c->ItemClick("//**/All queries");
    c->ItemInput("//**/##search_apart");
    c->KeyCharsReplace("9");
    c->ItemInput("//**/##search_away");
    c->KeyCharsReplaceEnter("2");  // which begins the search
    wait(c);
    const TripleSearchData& search = data().attention.search;
    IM_CHECK_EQ(std::ssize(search.found), kListedTriples);
    for (const FoundTriple& hit : search.found) {
      IM_CHECK_GE(std::abs(hit.triple.j - hit.triple.k), 9);
      IM_CHECK_GE(hit.query - std::max(hit.triple.j, hit.triple.k), 2);
    }
  });
}

}  // namespace
}  // namespace triscope
