// Walks through the search over all queries and heads, and through the grid of them, with a real worker.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/inspect/mean_maps.hpp"
#include "tests/views/journeys/attention_journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/triple_hits.hpp"

namespace triscope {
namespace {

using fixture::AttentionJourney;

class SearchJourney : public AttentionJourney {
 protected:
  static const TripleSearchData& search() { return data().attention.search; }
  static const AttentionGridData& grid() { return data().attention.grid; }
  /// Few enough tokens that an overview holds every query.
  static void open_small(ImGuiTestContext* c) {
    for (AttentionSide& one : attention().sides) one.source.seq_len = 160;
    attention().window1 = 32;
    attention().window2 = 16;
    open(c);
    IM_CHECK_EQ(data().attention.overview.of.step, 1);
  }
  static void open_grid(ImGuiTestContext* c) {
    c->ItemClick("//**/grid");
    wait(c);
    IM_CHECK(grid().problem.empty());
  }
  /// A click on a header of the table of what was found.
  static void click_header_of_hits(ImGuiTestContext* c, int column) {
    auto& tables = ImGui::GetCurrentContext()->Tables;
    for (int n = 0; n < tables.GetMapSize(); ++n) {
      const ImGuiTable* table = tables.TryGetMapData(n);
      if (table == nullptr || table->LastFrameActive < ImGui::GetFrameCount() - 1) continue;
      if (table->ColumnsCount != 6 || (table->Flags & ImGuiTableFlags_ScrollY) == 0) continue;
      const ImGuiTableColumn& one = table->Columns[column];
      c->MouseMoveToPos({(one.MinX + one.MaxX) / 2, table->OuterRect.Min.y + 12 * app().look().scale});
    }
    c->MouseClick();
    c->Yield(2);
  }
};

TEST_F(SearchJourney, a_search_finds_the_largest_p_of_all_and_a_click_goes_there) {
  travel([](ImGuiTestContext* c) {
    open_small(c);
    c->ItemClick("//**/All queries");
    c->ItemClick("//**/Search");
    wait(c);
    IM_CHECK_EQ(std::ssize(search().found), kListedTriples);
    const auto& found = search().found;
    IM_CHECK(std::ranges::is_sorted(found, [](const auto& a, const auto& b) { return a.triple.p > b.triple.p; }));
    const Overview& overview = *data().attention.overview.answer;
    float largest = 0;
    for (std::int64_t head = 0; head < overview.heads; ++head) {
      for (std::int64_t query = 31; query < overview.columns; ++query)
        largest = std::max(largest, overview.largest_p[static_cast<std::size_t>(head * overview.columns + query)]);
    }
    IM_CHECK(std::abs(found[0].triple.p - static_cast<double>(largest)) < 1e-5);
    c->ItemClick("//**/$$3/##hit");
    wait(c);
    const FoundTriple hit = found[3];
    IM_CHECK_EQ(side().slice_of.query.head, hit.head);
    IM_CHECK_EQ(side().slice_of.query.query, hit.query);
    const AttentionCell cell{hit.triple.j, hit.triple.k};
    IM_CHECK(attention().pinned == cell);
    IM_CHECK(std::abs(std::exp(*log_p_at(*side().slice, cell)) - hit.triple.p) < 1e-5);
    app().carry_out(ask::CopyPanelData{});
    IM_CHECK(clipboard().starts_with("head\tquery\tj\tk\tapart\tlogit\tp"));
  });
}

TEST_F(SearchJourney, what_was_found_is_sorted_by_how_far_the_keys_lie_apart) {
  travel([](ImGuiTestContext* c) {
    open_small(c);
    c->ItemClick("//**/All queries");
    c->ItemClick("//**/Search");
    wait(c);
    const auto apart = [](const FoundTriple& hit) { return std::abs(hit.triple.j - hit.triple.k); };
    const auto [nearest, farthest] = std::ranges::minmax(search().found, {}, apart);
    IM_CHECK(apart(nearest) < apart(farthest));
    const auto first_apart = [&] {
      attention().pinned.reset();
      c->ItemClick("//**/##hit");  // the first row
      wait(c);
      return attention().pinned ? std::abs(attention().pinned->j - attention().pinned->k) : -1;
    };
    click_header_of_hits(c, 4);
    IM_CHECK_EQ(first_apart(), apart(nearest));
    click_header_of_hits(c, 4);
    IM_CHECK_EQ(first_apart(), apart(farthest));
    click_header_of_hits(c, 4);
    IM_CHECK_EQ(first_apart(), apart(search().found.front()));
  });
}

TEST_F(SearchJourney, the_palette_shows_the_grid_and_begins_a_search) {
  travel([](ImGuiTestContext* c) {
    const auto run = [c](const char* letters) {
      c->KeyPress(ImGuiMod_Ctrl | ImGuiMod_Shift | ImGuiKey_P);
      c->Yield(3);
      c->KeyCharsReplaceEnter(letters);
      wait(c);
    };
    open_small(c);
    app().carry_out(ask::ShowMeasurements{});
    c->Yield(4);
    run("grid of queries");
    IM_CHECK(ui().workspace == Workspace::attention);
    IM_CHECK(attention().show == AttentionShow::grid);
    IM_CHECK(!grid().cells.empty() && grid().problem.empty());
    run("attention: one");
    IM_CHECK(attention().show == AttentionShow::one);
    run("search all");
    IM_CHECK_EQ(std::ssize(search().found), kListedTriples);
  });
}

TEST_F(SearchJourney, typing_a_distance_moves_nothing_and_leaves_no_old_number_beside_it) {
  travel([](ImGuiTestContext* c) {
    open_small(c);
    c->ItemClick("//**/All queries");
    c->ItemClick("//**/exact distances");
    c->Yield(2);
    const std::int64_t apart = std::abs(attention().search.back[0] - attention().search.back[1]);
    const std::string before = fmt::format("Keys {} tokens apart", apart);
    IM_CHECK(fixture::says(fixture::drawn_text(c), before));
    const float button = c->ItemInfo("//**/Search").RectFull.Min.y;
    c->ItemInput("//**/##search_back1");
    c->KeyCharsReplace("29");
    c->Yield(2);
    IM_CHECK(!fixture::says(fixture::drawn_text(c), before));
    IM_CHECK_EQ(c->ItemInfo("//**/Search").RectFull.Min.y, button);
    c->KeyPress(ImGuiKey_Tab);
    c->Yield(2);
    IM_CHECK_EQ(attention().search.back[0], 29);
    IM_CHECK(!attention().search.back_proposed);
    IM_CHECK_EQ(c->ItemInfo("//**/Search").RectFull.Min.y, button);
  });
}

TEST_F(SearchJourney, a_search_by_token_or_distances_holds_to_them) {
  travel([](ImGuiTestContext* c) {
    open_small(c);
    c->ItemClick("//**/All queries");
    c->ItemClick("//**/token");
    c->ItemInput("//**/##search_token");
    c->KeyCharsReplaceEnter("70");  // which begins the search, as the button does
    wait(c);
    IM_CHECK(!search().found.empty());
    for (const FoundTriple& hit : search().found) IM_CHECK(hit.triple.j == 70 || hit.triple.k == 70);
    attention().search.token = 10;
    c->ItemClick("//**/Search");
    wait(c);
    IM_CHECK(!search().found.empty());
    for (const FoundTriple& hit : search().found) IM_CHECK(hit.query >= 31);  // as in the search for the largest p
    c->ItemClick("//**/###all_queries");
    c->ItemInput("//**/##search_token");
    c->KeyCharsReplaceEnter("160");  // no token of these: nothing begins
    wait(c);
    IM_CHECK(!search().of->search.all_queries);
    c->ItemClick("//**/Search");
    wait(c);
    IM_CHECK(std::ranges::any_of(search().found, [](const FoundTriple& hit) { return hit.query < 31; }));
    attention().search.by = TripleSearchBy::largest;  // the overview has a button of that name, too
    c->ItemClick("//**/Search");
    wait(c);
    IM_CHECK_EQ(search().found[0].query, 0);  // it sees one pair
    c->ItemClick("//**/###counted_queries");
    IM_CHECK(!attention().search.all_queries);
    c->ItemClick("//**/exact distances");
    const Triple& strongest = side().slice->top.front();  // where it begins
    IM_CHECK_EQ(attention().search.back[0], attention().query - strongest.j);
    IM_CHECK_EQ(attention().search.back[1], attention().query - strongest.k);
    IM_CHECK_NE(attention().search.back[1], 2);
    c->ItemInput("//**/##search_back2");
    c->KeyCharsReplace("2");
    c->ItemInput("//**/##search_back1");  // leaving a field begins nothing
    c->Yield(2);
    IM_CHECK(attention().search.back[1] == 2 && !search().running);
    c->KeyCharsReplaceEnter("5");
    wait(c);
    IM_CHECK(!search().found.empty());
    for (const FoundTriple& hit : search().found)
      IM_CHECK(hit.query - hit.triple.j == 5 && hit.query - hit.triple.k == 2);
    c->ItemInput("//**/##search_back1");
    c->KeyCharsReplaceEnter("32");  // as long as the window
    wait(c);
    IM_CHECK(search().found.empty());
    IM_CHECK(search().problem.find("no query sees keys so far before it") != std::string::npos);
  });
}

TEST_F(SearchJourney, a_search_is_stopped_and_another_begins) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/All queries");
    c->ItemClick("//**/exact distances");
    attention().search.back = {1, 1};
    c->ItemClick("//**/Search");  // more than 8,000 slices
    until(c, [] { return search().done > 0; });
    const std::int64_t query = attention().query;
    c->ItemClick("//**/###stop_search");
    IM_CHECK(!search().running && search().stopped);
    IM_CHECK(search().done < search().total);
    IM_CHECK(!search().found.empty());
    wait(c);
    IM_CHECK(!search().running && search().problem.empty());
    IM_CHECK_EQ(attention().query, query);
    c->ItemClick("//**/token");
    attention().search.token = attention().query = side().source->seq_len - 1;  // one query sees it
    c->ItemClick("//**/Search");
    wait(c);
    IM_CHECK(!search().stopped);
    IM_CHECK_EQ(search().done, side().source->q_heads);
    for (const FoundTriple& hit : search().found) IM_CHECK_EQ(hit.query, side().source->seq_len - 1);
  });
}

TEST_F(SearchJourney, a_grid_shows_queries_and_heads_and_a_click_opens_one) {
  travel([](ImGuiTestContext* c) {
    open(c);
    open_grid(c);
    IM_CHECK_EQ(grid().of->queries.size(), 5U);
    IM_CHECK_EQ(grid().of->heads.size(), 8U);
    IM_CHECK_EQ(grid().cells.size(), 40U);
    const std::int64_t query = grid().of->queries[2];
    const std::shared_ptr<const Slice> shown = grid().cells.at({query, 5});
    c->ItemClick("//**/$$21/##map");
    wait(c);
    IM_CHECK(attention().show == AttentionShow::one);
    IM_CHECK_EQ(side().slice_of.query.query, query);
    IM_CHECK_EQ(side().slice_of.query.head, 5);
    IM_CHECK(side().slice->log_p == shown->log_p);
  });
}

TEST_F(SearchJourney, a_grid_zooms_and_pans_all_of_its_maps_and_f_shows_all) {
  travel([](ImGuiTestContext* c) {
    open(c);
    open_grid(c);
    c->MouseMove("//**/$$9/##map");
    c->MouseWheelY(4);
    c->Yield();
    IM_CHECK(attention().part.has_value());
    const HeatmapPart zoomed = *attention().part;
    IM_CHECK(zoomed.right - zoomed.left < 512 * 0.5 && zoomed.bottom - zoomed.top < 32 * 0.5);
    c->MouseDown();
    c->MouseMoveToPos(ImVec2(ImGui::GetMousePos().x - 20, ImGui::GetMousePos().y));
    c->MouseUp();
    c->Yield();
    IM_CHECK(attention().part->left > zoomed.left);
    IM_CHECK(attention().show == AttentionShow::grid);  // a drag opens nothing
    c->KeyDown(ImGuiMod_Ctrl);
    c->MouseWheelY(2);
    c->KeyUp(ImGuiMod_Ctrl);
    c->Yield();
    IM_CHECK(std::abs((attention().part->right - attention().part->left) - (zoomed.right - zoomed.left)) < 1e-9);
    IM_CHECK(attention().part->bottom - attention().part->top < zoomed.bottom - zoomed.top);
    c->KeyPress(ImGuiKey_F);
    c->Yield(2);
    IM_CHECK(!attention().part.has_value());
  });
}

TEST_F(SearchJourney, the_rows_and_columns_of_a_grid_are_typed) {
  travel([](ImGuiTestContext* c) {
    open(c);
    open_grid(c);
    const std::shared_ptr<const Slice> kept = grid().cells.at({767, 2});
    c->ItemInput("//**/##grid_queries");
    c->KeyCharsReplaceEnter("600, 767-787/10");
    c->ItemInput("//**/##grid_heads");
    c->KeyCharsReplaceEnter("2, 0");
    wait(c);
    const std::vector<std::int64_t> queries{600, 767, 777, 787}, heads{2, 0};
    IM_CHECK(grid().of->queries == queries && grid().of->heads == heads);
    IM_CHECK_EQ(grid().cells.size(), 8U);
    const std::pair<std::int64_t, std::int64_t> place{767, 2};
    IM_CHECK(grid().cells.at(place) == kept);  // what is there is not made again
    c->ItemInput("//**/##grid_heads");
    c->KeyCharsReplaceEnter("8");  // there are eight, from 0 on
    wait(c);
    IM_CHECK_EQ(grid().cells.size(), 8U);  // what was shown stays
    attention().window1 = 64;
    c->ItemInput("//**/##grid_heads");
    c->KeyCharsReplaceEnter("");
    wait(c);
    IM_CHECK_EQ(grid().cells.size(), 32U);
    IM_CHECK(grid().cells.at(place) != kept && grid().cells.at(place)->count1 == 64);
  });
}

std::atomic<bool> means_wait = false;

TEST_F(AttentionJourney, where_each_head_looks_on_average_is_one_click_away) {
  travel([](ImGuiTestContext* c) {
    open(c);
    until(c, [] { return data().attention.means.answer != nullptr; });
    c->Yield(2);
    const std::shared_ptr<const MeanMaps> means = data().attention.means.answer;
    const std::vector<MeanPeak> peaks = largest_peaks(*means);
    IM_CHECK_EQ(std::ssize(peaks), side().source->q_heads);
    IM_CHECK(peaks[0].p / peaks[0].even >= peaks[1].p / peaks[1].even);
    ImGuiID first = 0;  // of the table's rows
    for (ImGuiWindow* one : ImGui::GetCurrentContext()->Windows) {
      if (std::string_view(one->Name).find("##rest") == std::string_view::npos) continue;
      for (float y = 0; y <= one->ScrollMax.y && first == 0; y += 40) {
        ImGui::SetScrollY(one, y);
        c->Yield(3);
        if (c->ItemExists("//**/##peak")) first = c->ItemInfo("//**/##peak").ID;
      }
      ImGui::SetScrollY(one, std::min(one->Scroll.y + 100, one->ScrollMax.y));  // off the lower edge
      c->Yield(3);
    }
    IM_CHECK(first != 0);
    c->ItemClick(first);
    c->Yield(2);
    IM_CHECK_EQ(attention().head, peaks[0].head);
    IM_CHECK(attention().mean_of_queries);
    IM_CHECK(is_framed(attention(), peaks[0]));
    c->ItemClick("//**/##mean_peak");  // of the largest, which is framed
    IM_CHECK(!attention().pinned.has_value());
    c->ItemClick("//**/##mean_peak");
    IM_CHECK(is_framed(attention(), peaks[0]));
    attention().pinned.reset();
    c->ItemClick("//**/##mean");
    c->Yield(2);
    IM_CHECK(attention().pinned.has_value() && exists(*attention().pinned));
    c->ItemClick("//**/All queries");
    IM_CHECK(attention().search.open);
    c->ItemClick("//**/This query");
    c->Yield(2);
    IM_CHECK(!attention().mean_of_queries && !attention().search.open);
    attention().window1 = 128;  // other windows, other means
    wait(c);
    IM_CHECK_EQ(data().attention.means.answer->width, 128);
    attention().mask = Mask::full;
    wait(c);
    IM_CHECK(!wanted_means(attention(), data().attention).has_value());
  });
}

TEST_F(AttentionJourney, the_mean_and_the_map_of_a_query_are_saved_each) {
  travel([](ImGuiTestContext* c) {
    open(c);
    until(c, [] { return data().attention.means.answer != nullptr; });
    for (const auto& [name, panel] : {std::pair{"mean.png", Panel::mean},
                                      {"map.png", Panel::attention},
                                      {"mean.svg", Panel::mean},
                                      {"closed.png", Panel::mean}}) {
      ui().attention.mean_of_queries = std::string_view(name) != "closed.png";
      app().carry_out(ask::SaveChart{panel, (world().folder / name).string()});
      c->Yield(3);
      wait(c);
    }
    const auto bytes = [&](const char* name) {
      std::ifstream stream(world().folder / name, std::ios::binary);
      return std::string{std::istreambuf_iterator<char>(stream), {}};
    };
    IM_CHECK(bytes("mean.png").size() > 2000 && bytes("mean.png") != bytes("map.png"));
    IM_CHECK(bytes("closed.png") == bytes("mean.png"));  // whatever the column of figures shows
    ui().attention.mean_of_queries = true;
    for (const auto& [item, name] : {std::pair{"//$FOCUSED/Save picture of the mean...", "_mean."},
                                     {"//$FOCUSED/Save picture of the map...", "_query"},
                                     {"//$FOCUSED/Save picture of the mean...", "_mean."}}) {
      c->ItemClick("//**/Export");
      c->ItemClick(item);
      c->Yield(3);
      IM_CHECK(ui().path.text.find(name) != std::string::npos);
      c->KeyPress(ImGuiKey_Escape);
      c->Yield(2);
    }
    app().carry_out(FileRequest(ask::SaveChart{}));  // of what is in front, whatever Export saved last
    c->Yield(3);
    IM_CHECK(ui().path.text.find("_query") != std::string::npos);
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
    IM_CHECK(bytes("mean.svg").find("Mean p(j, k) of head") != std::string::npos);
  });
}

TEST_F(AttentionJourney, the_map_has_its_caption_as_text_beside_it) {
  travel([](ImGuiTestContext* c) {
    open(c);
    app().carry_out(FileRequest(ask::SaveChart{Panel::attention}));
    c->Yield(3);
    c->ItemClick("//$FOCUSED/as text beside it (.txt)");
    c->ItemInput("//$FOCUSED/##path");
    c->KeyCharsReplace((world().folder / "told.png").c_str());
    c->KeyPress(ImGuiKey_Enter);
    wait(c);
    std::ifstream stream(world().folder / "told.txt");
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    IM_CHECK(text.starts_with("p(j, k) for query "));
    IM_CHECK(text.ends_with(".\n"));
    IM_CHECK(std::filesystem::exists(world().folder / "told.png"));
  });
}

TEST_F(AttentionJourney, the_mean_is_shown_by_its_name) {
  travel([](ImGuiTestContext* c) {
    open(c);
    ui().attention.search.open = true;
    app().carry_out(ask::ShowPanel{Panel::mean});
    c->Yield(2);
    IM_CHECK(ui().workspace == Workspace::attention);
    IM_CHECK(ui().attention.mean_of_queries && !ui().attention.search.open);
  });
}

TEST_F(AttentionJourney, means_that_were_asked_of_another_device_are_asked_again) {
  static std::atomic<int> workers = 0;
  workers = 0;
  means_wait = true;
  window->sweep.inspector = [](const std::string&) {
    if (++workers == 3)  // the first makes slices, the second overviews
      while (means_wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Supervisor(WorkerOptions{});
  };
  window->start(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    auto catalog = std::make_shared<Catalog>(*fixture::invented_catalog());
    for (const char* id : {"1", "0"}) {
      Device gpu;
      gpu.id = id;
      gpu.kind = DeviceKind::cuda;
      gpu.name = "Invented GPU";
      catalog->devices.insert(catalog->devices.begin(), gpu);
    }
    app().data().machine.catalog = catalog;
    c->KeyPress(ImGuiKey_A);
    const auto& means = data().attention.means;
    until(c, [&] { return means.pending.has_value() && workers >= 3; });
    attention().device = "1";
    attention().device_chosen = true;
    c->Yield(2);
    means_wait = false;
    wait(c);
    IM_CHECK(means.answer != nullptr && !means.pending);
    IM_CHECK_EQ(means.device, std::string("1"));
  });
}

TEST_F(AttentionJourney, means_say_how_far_they_are_and_can_be_stopped) {
  static std::atomic<int> workers = 0;
  workers = 0;
  means_wait = true;
  window->sweep.inspector = [](const std::string&) {
    if (++workers == 3)  // the first makes slices, the second overviews
      while (means_wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return Supervisor(WorkerOptions{});
  };
  window->start(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_A);
    MeansSurvey& means = app().data().attention.means;
    until(c, [&] { return means.pending.has_value() && workers >= 3; });
    IM_CHECK(!c->ItemExists("//**/###stop_means"));  // what is done soon is not to be stopped
    means.total = 200;
    means.done = 68;
    means.seconds_left = 75;
    c->Yield(2);
    c->ItemClick("//**/###stop_means");
    c->Yield(2);
    IM_CHECK(!means.pending && means.stopped);
    means_wait = false;
    wait(c);
    c->Yield(5);
    IM_CHECK(!means.pending && means.answer == nullptr);
    c->ItemClick("//**/###means_again");
    until(c, [&] { return means.answer != nullptr; });
    IM_CHECK(!means.stopped);
  });
}

}  // namespace
}  // namespace triscope
