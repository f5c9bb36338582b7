// Walks from where heads look to the maps of single queries, with a real worker.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/inspect/counted_queries.hpp"
#include "kernels/inspect/mean_maps.hpp"
#include "profiler/record/columns.hpp"
#include "tests/views/journeys/attention_journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/striking_places.hpp"
#include "views/model/attention/triple_hits.hpp"

namespace triscope {
namespace {

class PeakJourney : public fixture::AttentionJourney {
 protected:
  /// Few enough tokens that everything is there soon.
  static void open_small(ImGuiTestContext* c) {
    for (AttentionSide& one : attention().sides) one.source.seq_len = 160;
    attention().window1 = 32;
    attention().window2 = 16;
    open(c);
    until(c, [] { return data().attention.means.answer != nullptr; });
    c->Yield(2);
  }
  /// The middle of a header of the peaks of the mean.
  static ImVec2 header_of_peaks(int column) {
    auto& tables = ImGui::GetCurrentContext()->Tables;
    for (int n = 0; n < tables.GetMapSize(); ++n) {
      const ImGuiTable* table = tables.TryGetMapData(n);
      const ImGuiTableFlags flags = table ? table->Flags : ImGuiTableFlags_ScrollY;
      if ((flags & ImGuiTableFlags_Sortable) == 0 || (flags & ImGuiTableFlags_ScrollY) != 0) continue;
      if (table->ColumnsCount != 6) continue;
      const ImGuiTableColumn& one = table->Columns[column];
      return {(one.MinX + one.MaxX) / 2, table->OuterRect.Min.y + 12 * app().look().scale};
    }
    return {};
  }
  /// The left column as far as it goes.
  static void scroll_down(ImGuiTestContext* c, float share) {
    for (ImGuiWindow* one : ImGui::GetCurrentContext()->Windows) {
      if (std::string_view(one->Name).find("##rest") != std::string_view::npos)
        ImGui::SetScrollY(one, one->ScrollMax.y * share);
    }
    c->Yield(2);
  }
};

TEST_F(PeakJourney, a_click_on_the_sharpest_query_of_a_head_shows_its_strongest_triples_and_frames_the_first) {
  travel([](ImGuiTestContext* c) {
    open_small(c);
    attention().mean_of_queries = true;
    const Overview& overview = *data().attention.overview.answer;
    const std::int64_t counted =
        counted_queries(data().attention.overview.of.query.problem, side().source->seq_len).first;
    const AttentionPlace place = striking_places(overview, attention().figure, 6, counted).at(1);
    scroll_down(c, 1);
    c->ItemClick(fmt::format("//**/$${}/head {}, query {}", place.head, place.head, format_count(place.query)).c_str());
    wait(c);
    c->Yield(2);
    IM_CHECK_EQ(side().slice_of.query.query, place.query);
    IM_CHECK_EQ(side().slice_of.query.head, place.head);
    IM_CHECK(!attention().mean_of_queries && !attention().search.open);
    const Triple& strongest = side().slice->top.front();
    const AttentionCell cell{strongest.j, strongest.k};
    IM_CHECK(attention().pinned == cell);
  });
}

TEST_F(PeakJourney, a_peak_keeps_its_distances_and_leads_to_the_query_at_which_it_is_largest) {
  travel([](ImGuiTestContext* c) {
    open_small(c);
    attention().mean_of_queries = true;
    c->Yield(2);
    const MeanPeak peak = data().attention.means.answer->peaks.at(0).at(0);
    c->ItemClick("//**/##mean_peak");
    wait(c);
    IM_CHECK(is_framed(attention(), peak));
    c->MouseMove("//**/##cells");
    c->KeyPress(ImGuiKey_LeftArrow);
    wait(c);
    const std::int64_t query = side().slice_of.query.query;
    const AttentionCell there{query - peak.back1, query - peak.back2};
    IM_CHECK(attention().pinned == there);
    IM_CHECK(is_framed(attention(), peak));
    IM_CHECK(peak.best_query >= 0 && peak.best_query != query);
    c->ItemClick("//**/###best_query");
    wait(c);
    IM_CHECK_EQ(side().slice_of.query.query, peak.best_query);
    IM_CHECK(is_framed(attention(), peak));
    IM_CHECK(std::abs(std::exp(*log_p_at(*side().slice, *attention().pinned)) - peak.best_p) < 1e-5);
    IM_CHECK(!c->ItemExists("//**/###best_query"));
  });
}

TEST_F(PeakJourney, a_framed_pair_keeps_its_positions_or_its_distances_as_the_user_chooses) {
  travel([](ImGuiTestContext* c) {
    open_small(c);
    const auto walk = [&] {
      c->MouseMove("//**/##cells");
      c->KeyPress(ImGuiKey_LeftArrow);
      wait(c);
      return side().slice_of.query.query;
    };
    IM_CHECK(!c->ItemExists("//**/positions"));  // no pair is framed
    c->ItemClick("//**/##cells");
    const AttentionCell framed = attention().pinned.value_or(AttentionCell{});
    const std::int64_t query = side().slice_of.query.query;
    IM_CHECK_EQ(walk(), query - 1);
    IM_CHECK(attention().pinned == framed);
    c->ItemClick("//**/distances");
    const AttentionCell back_one{framed.j - 1, framed.k - 1}, back_two{framed.j - 2, framed.k - 2};
    IM_CHECK_EQ(walk(), query - 2);
    IM_CHECK(attention().pinned == back_one);
    c->KeyPress(ImGuiKey_K);
    walk();
    IM_CHECK(attention().pinned == back_one);
    c->KeyPress(ImGuiKey_K);
    walk();
    IM_CHECK(attention().pinned == back_two);
    attention().pinned.reset();
    c->ItemClick("//**/##cells");  // the next pair keeps what was chosen
    const AttentionCell next = attention().pinned.value_or(AttentionCell{});
    walk();
    IM_CHECK(attention().pinned == (AttentionCell{next.j - 1, next.k - 1}));
  });
}

TEST_F(PeakJourney, each_number_of_a_peak_stands_under_its_header) {
  travel([](ImGuiTestContext* c) {
    open_small(c);
    attention().mean_of_queries = true;
    c->Yield(2);
    const MeanMaps& maps = *data().attention.means.answer;
    const std::string drawn = fixture::drawn_text(c);
    for (const MeanPeak& peak : maps.peaks.at(0)) {
      const std::string line = fmt::format("| {} | {} | {} | {} | {} | {} |", -peak.back1, -peak.back2,
                                           keys_apart(peak), significant_text(peak.p, 2), lift_text(peak),
                                           format_count(maps.strongest_at(0, peak.back1, peak.back2)));
      if (!fixture::says(drawn, line)) c->LogError("no line says %s: %s", line.c_str(), drawn.c_str());
      IM_CHECK(fixture::says(drawn, line));
    }
  });
}

TEST_F(PeakJourney, how_far_the_keys_of_a_pair_lie_apart_stands_beside_it_and_sorts) {
  travel([](ImGuiTestContext* c) {
    open_small(c);
    attention().mean_of_queries = true;
    c->Yield(2);
    const MeanMaps& maps = *data().attention.means.answer;
    const TextTable copied = app().text_of(Panel::attention);
    IM_CHECK_STR_EQ(copied.header.at(4).c_str(), "apart");
    for (const auto& row : copied.rows)
      IM_CHECK_EQ(std::stoll(row.at(4)), std::abs(std::stoll(row.at(2)) - std::stoll(row.at(3))));
    const std::vector<MeanPeak>& peaks = maps.peaks.at(0);
    const auto farthest = std::ranges::max_element(peaks, {}, keys_apart);
    IM_CHECK(keys_apart(*farthest) > keys_apart(peaks.front()));  // else the order would say nothing
    const auto first_framed = [&] {
      attention().pinned.reset();
      c->ItemClick("//**/##mean_peak");  // the first row
      wait(c);
      return std::ranges::find_if(peaks, [](const MeanPeak& peak) { return is_framed(attention(), peak); });
    };
    IM_CHECK(first_framed() == peaks.begin());
    const auto click_header = [&] {
      c->MouseMoveToPos(header_of_peaks(2));
      c->MouseClick();
      c->Yield(2);
    };
    click_header();
    click_header();  // the largest first
    IM_CHECK_EQ(keys_apart(*first_framed()), keys_apart(*farthest));
    click_header();
    IM_CHECK(first_framed() == peaks.begin());
  });
}

}  // namespace
}  // namespace triscope
