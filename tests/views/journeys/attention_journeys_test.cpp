// Walks through the attention panel with a real worker: open, scrub, pin, flip, compare, export.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/tensors/tensor_file.hpp"
#include "tests/views/journeys/attention_journey.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/striking_places.hpp"

namespace triscope {
namespace {

using fixture::AttentionJourney;

/// Whether this map is on the screen: 0 is of A, 1 of B, 2 of their difference.
bool draws(ImGuiTestContext* c, int map) { return c->ItemExists(fmt::format("//**/$${}/##cells", map).c_str()); }

TEST_F(AttentionJourney, opening_shows_a_slice_and_measurements_come_back) {
  travel([](ImGuiTestContext* c) {
    open(c);
    IM_CHECK(draws(c, 0));
    IM_CHECK_EQ(side().slice_of.query.query, attention().query);
    IM_CHECK(data().attention.overview.answer != nullptr);
    IM_CHECK(data().attention.sheet.answer != nullptr);
    IM_CHECK(!side().slice->top.empty());
    c->KeyPress(ImGuiKey_M);
    c->Yield(2);
    IM_CHECK(ui().workspace == Workspace::measure);
    const ImGuiWindow* panel = ImGui::FindWindowByName("###latency");
    IM_CHECK(panel != nullptr && panel->Active && panel->DockId != 0);
  });
}

TEST_F(AttentionJourney, a_tooltip_of_a_side_leaves_the_controls_of_the_middle_in_view) {
  travel([](ImGuiTestContext* c) {
    open(c);
    const ImRect form = c->ItemInfo("//**/trilinear").RectFull, head = c->ItemInfo("//**/##shown_head").RectFull;
    for (const char* item : {"//**/This query", "//**/All queries"}) {
      const ImVec2 at = c->ItemInfo(item).RectFull.GetCenter();
      c->MouseMoveToPos(ImVec2(at.x + 1, at.y));
      c->Yield(2);
      c->MouseMoveToPos(at);
      c->SleepNoSkip(1.0F, 1.0F / 30);
      const ImGuiWindow* shown = ImGui::FindWindowByName("##Tooltip_00");
      IM_CHECK(shown != nullptr && shown->Active && !shown->Hidden);
      IM_CHECK(!shown->Rect().Overlaps(form) && !shown->Rect().Overlaps(head));
    }
    c->ItemClick("//**/All queries");
    c->Yield(2);
    const ImRect search = c->ItemInfo("//**/Search").RectFull;
    c->MouseMoveToPos(ImVec2(c->ItemInfo("//**/Mean").RectFull.GetCenter()));
    c->MouseMoveToPos(ImVec2(c->ItemInfo("//**/All queries").RectFull.GetCenter()));
    c->SleepNoSkip(1.0F, 1.0F / 30);
    const ImGuiWindow* shown = ImGui::FindWindowByName("##Tooltip_00");
    IM_CHECK(shown != nullptr && shown->Active && !shown->Hidden);
    IM_CHECK(!shown->Rect().Overlaps(search));
  });
}

TEST_F(AttentionJourney, arrow_keys_scrub_queries_and_heads_and_play_walks_on) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->MouseMove("//**/##cells");
    const std::int64_t query = attention().query;
    for (int n = 0; n < 3; ++n) c->KeyPress(ImGuiKey_RightArrow);
    c->KeyPress(ImGuiKey_DownArrow);
    wait(c);
    IM_CHECK_EQ(attention().query, query + 3);
    IM_CHECK_EQ(attention().head, 1);
    IM_CHECK_EQ(side().slice_of.query.query, query + 3);
    IM_CHECK_EQ(side().slice_of.query.head, 1);
    c->KeyDown(ImGuiKey_LeftArrow);  // held: walks on
    until(c, [&] { return attention().query <= query - 5; });
    c->KeyUp(ImGuiKey_LeftArrow);
    c->Yield(2);
    const std::int64_t reached = attention().query;
    IM_CHECK(reached <= query - 5);
    wait(c);
    c->Yield(10);
    IM_CHECK_EQ(attention().query, reached);  // released: it stays
    IM_CHECK_EQ(side().slice_of.query.query, reached);
    attention().query = query;
    attention().playing = true;
    until(c, [&] { return attention().query >= query + 8; });
    attention().playing = false;
  });
}

TEST_F(AttentionJourney, a_click_on_the_head_edits_it_and_its_digits_are_no_shortcuts) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/##shown_head");
    c->Yield(2);
    IM_CHECK(ImGui::GetIO().WantTextInput);
    c->KeyPress(ImGuiKey_2);  // elsewhere it goes to a panel of Measure
    c->Yield(2);
    IM_CHECK(ui().workspace == Workspace::attention);
    c->KeyCharsReplaceEnter("2");
    wait(c);
    IM_CHECK_EQ(side().slice_of.query.head, 2);
    c->ItemClick("//**/##shown_head");
    c->Yield(2);
    c->KeyCharsReplaceEnter("99999");
    wait(c);
    IM_CHECK(ui().workspace == Workspace::attention);
    IM_CHECK_EQ(attention().head, 2);  // there is no such head: it is said, and nothing changes
    IM_CHECK_EQ(side().slice_of.query.head, 2);
    IM_CHECK_EQ(ui().fields.wrong.size(), 1U);
    c->KeyPress(ImGuiKey_UpArrow);
    c->Yield(2);
    IM_CHECK_EQ(attention().head, 1);
    IM_CHECK(ui().fields.wrong.empty());
    c->ItemDragWithDelta("//**/##shown_head", ImVec2(40, 0));
    c->Yield(2);
    IM_CHECK_GT(attention().head, 1);
  });
}

TEST_F(AttentionJourney, a_click_pins_a_pair_and_escape_lets_it_go) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->MouseMove("//**/##cells");
    c->Yield();
    IM_CHECK(attention().hovered.has_value());
    const AttentionCell hovered = *attention().hovered;
    c->MouseClick();
    IM_CHECK(attention().pinned == hovered);
    c->KeyPress(ImGuiKey_Escape);
    c->Yield();
    IM_CHECK(!attention().pinned.has_value());
  });
}

TEST_F(AttentionJourney, the_wheel_zooms_to_numbers_and_a_double_click_shows_all) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->MouseMove("//**/##cells");
    for (int n = 0; n < 30; ++n) c->MouseWheelY(1);
    c->Yield();
    IM_CHECK(attention().part.has_value());
    IM_CHECK(attention().part->right - attention().part->left < 10);
    c->MouseDoubleClick();
    IM_CHECK(!attention().part.has_value());
  });
}

TEST_F(AttentionJourney, the_minimap_moves_the_part_that_is_seen_and_no_pair_behind_it_is_meant) {
  travel([](ImGuiTestContext* c) {
    open(c);
    IM_CHECK(!c->ItemExists("//**/##minimap"));
    c->MouseMove("//**/##cells");
    for (int n = 0; n < 6; ++n) c->MouseWheelY(1);
    c->Yield(2);
    const ImRect map = c->ItemInfo("//**/##minimap").RectFull;
    IM_CHECK(map.GetWidth() > 20 && map.GetHeight() > 10);
    const auto width = [] { return attention().part->right - attention().part->left; };
    const double before = width();
    // A click beside the part brings it there.
    c->MouseMoveToPos(ImVec2(map.Max.x - 1, map.Max.y - 1));
    c->Yield(2);
    IM_CHECK(!attention().hovered.has_value());
    c->MouseClick();
    c->Yield(2);
    IM_CHECK(!attention().pinned.has_value());
    const double right = attention().part->right;
    IM_CHECK(right > 511 && std::abs(width() - before) < 1e-6);
    // Dragging moves it as far on the whole map as the pointer on the small one.
    c->MouseDown();
    c->MouseMoveToPos(ImVec2(map.Max.x - 1 - map.GetWidth() / 4, map.Max.y - 1));
    c->Yield(2);
    IM_CHECK(!attention().hovered.has_value());
    c->MouseUp();
    c->Yield(2);
    IM_CHECK(std::abs(right - attention().part->right - 512.0 / 4) < 512 / map.GetWidth() * 2);
    IM_CHECK(!attention().pinned.has_value() && std::abs(width() - before) < 1e-6);
    // A double click on it is none on the map.
    c->MouseDoubleClick();
    c->Yield(2);
    IM_CHECK(attention().part.has_value());
  });
}

TEST_F(AttentionJourney, space_flips_to_the_second_source_while_it_is_held) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->MouseMove("//**/##cells");
    c->KeyDown(ImGuiKey_Space);
    c->Yield(2);
    wait(c);
    IM_CHECK(attention().flipped);
    IM_CHECK(draws(c, 1) && !draws(c, 0));
    IM_CHECK(side(1).slice != nullptr);
    IM_CHECK(side(1).slice_of.query.arithmetic == Arithmetic::bf16_kernel);
    c->KeyUp(ImGuiKey_Space);
    c->Yield(2);
    IM_CHECK(!attention().flipped);
    IM_CHECK(draws(c, 0) && !draws(c, 1));
  });
}

TEST_F(AttentionJourney, the_difference_of_exact_and_bf16_is_small_and_named) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/difference");
    c->Yield(2);
    wait(c);
    AttentionModel model;
    const AttentionError* error = model.error(attention(), data().attention);
    IM_CHECK(error != nullptr);
    IM_CHECK(error->total_variation > 0 && error->total_variation < 0.1);
    IM_CHECK(draws(c, 2) && !draws(c, 0));
    c->ItemClick("//**/side by side");
    c->Yield(2);
    IM_CHECK(attention().show == AttentionShow::side_by_side);
    IM_CHECK(draws(c, 0) && draws(c, 1));
  });
}

TEST_F(AttentionJourney, mask_scale_and_bias_are_those_of_the_logits) {
  travel([](ImGuiTestContext* c) {
    for (AttentionSide& one : attention().sides) one.source.seq_len = 128;  // a full mask of these is soon computed
    open(c);
    const double lse = side().slice->lse;
    const auto type = [&](const char* box, const char* text) {
      c->ItemInput(box);
      c->KeyCharsReplaceEnter(text);
      c->Yield(2);
      wait(c);
    };
    type("//**/##scale", "0.5");
    IM_CHECK(side().slice_of.query.problem.scale == 0.5);
    IM_CHECK(std::abs(side().slice->lse - lse) > 0.1);
    type("//**/##scale", "");
    IM_CHECK(!side().slice_of.query.problem.scale);
    IM_CHECK_EQ(side().slice->lse, lse);
    type("//**/##k2_bias", "0.25");
    IM_CHECK_EQ(side().slice_of.query.problem.k2_bias, 0.25);
    IM_CHECK(std::abs(side().slice->lse - lse) > 1e-3);
    const std::vector<float> output = side().slice->output;
    type("//**/##v2_bias", "-1");
    IM_CHECK(side().slice->output != output);
    c->ItemClick("//**/full");
    c->Yield(2);
    wait(c);
    IM_CHECK(side().slice_of.query.problem.mask == Mask::full);
    IM_CHECK_EQ(side().slice->count2, side().source->seq_len);
  });
}

TEST_F(AttentionJourney, a_kernel_s_own_row_is_compared_with_the_exact_one) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/cpu.fast");
    c->Yield(2);
    wait(c);
    IM_CHECK(data().attention.kernel_row.answer != nullptr);
    IM_CHECK(data().attention.kernel_row.answer->error < 1e-5);
    c->MouseMove("//**/##cells");
    c->KeyPress(ImGuiKey_LeftArrow);
    wait(c);
    IM_CHECK_EQ(data().attention.kernel_row.of.query.query, attention().query);
    c->ItemClick("//**/cpu.fast");
    IM_CHECK(attention().kernel.empty());
  });
}

TEST_F(AttentionJourney, a_gpu_is_taken_when_there_is_one_and_left_on_request) {
  travel([](ImGuiTestContext* c) {
    auto catalog = std::make_shared<Catalog>(*fixture::invented_catalog());
    Device gpu;
    gpu.id = "0";
    gpu.kind = DeviceKind::cuda;
    gpu.name = "Invented GPU";  // the fixture's worker computes on the CPU whatever it is asked for
    catalog->devices.insert(catalog->devices.begin(), gpu);
    app().data().machine.catalog = catalog;
    open(c);
    IM_CHECK(attention().device == "0");
    IM_CHECK_EQ(side().slice_device, std::string("0"));
    const std::shared_ptr<const Slice> before = side().slice;
    c->ItemClick("//**/CPU");
    c->Yield();
    if (side().slice == before) {  // what is shown stays whole until the answer is there
      IM_CHECK_EQ(side().slice_of.query.query, attention().query);
      IM_CHECK_EQ(side().slice_device, std::string("0"));
    }
    c->Yield();
    wait(c);
    IM_CHECK_EQ(side().slice_device, std::string("cpu"));
    IM_CHECK(side().slice != before);
    IM_CHECK_EQ(data().attention.overview.device, std::string("cpu"));
    IM_CHECK(attention().device == "cpu");
    IM_CHECK_EQ(side().slice_of.query.query, attention().query);
    IM_CHECK(side().slice != nullptr && !side().pending);
  });
}

TEST_F(AttentionJourney, an_overview_whose_worker_fails_says_so_and_is_made_on_request) {
  static int workers = 0;
  workers = 0;
  window->sweep.inspector = [](const std::string&) {
    if (++workers == 2)  // the first makes slices
      throw Error("no worker was started", "this one always fails", "try again");
    return Supervisor(WorkerOptions{});
  };
  window->start(window->folder / "test.db");
  travel([](ImGuiTestContext* c) {
    open(c);
    IM_CHECK(data().attention.overview.answer == nullptr);
    IM_CHECK(data().attention.overview.problem.find("always fails") != std::string::npos);
    IM_CHECK(data().attention.sheet.answer != nullptr);
    c->ItemClick("//**/Try again");
    c->Yield(2);
    wait(c);
    IM_CHECK(data().attention.overview.answer != nullptr);
    IM_CHECK(data().attention.overview.problem.empty());
  });
}

TEST_F(AttentionJourney, the_slice_is_exported_as_it_is_shown) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/Export");
    c->ItemClick("//$FOCUSED/Save p of all pairs as npy, CSV or PNG...");
    c->Yield(2);
    const std::string file = (world().folder / "slice.npy").string();
    c->KeyCharsReplaceEnter(file.c_str());
    c->Yield(2);
    wait(c);
    IM_CHECK(std::filesystem::exists(file));
    const TensorFile saved(file);
    const std::vector<float> p = read_floats(saved.tensors().front());
    IM_CHECK_EQ(p.size(), side().slice->log_p.size());
    IM_CHECK(std::abs(p.back() - std::exp(side().slice->log_p.back())) < 1e-6F);
    const auto picture = [&](const char* name) {
      app().carry_out(ask::SaveSlice{(world().folder / name).string()});
      c->Yield(2);
      wait(c);
      std::ifstream stream(world().folder / name, std::ios::binary);
      return std::string{std::istreambuf_iterator<char>(stream), {}};
    };
    const std::string whole = picture("whole.png");
    attention().range_low = -4;
    const std::string coloured = picture("coloured.png");
    attention().range_low.reset();
    attention().part = HeatmapPart{480, 16, 512, 32};
    const std::string zoomed = picture("zoomed.png");
    attention().part.reset();
    IM_CHECK(whole.size() > 500 && coloured.size() > 500 && zoomed.size() > 500);
    IM_CHECK(whole != coloured && whole != zoomed);
    attention().show = AttentionShow::difference;
    c->Yield(2);
    wait(c);
    IM_CHECK(picture("difference.png") != whole);
    picture("difference.npy");
    const TensorFile difference(world().folder / "difference.npy");
    double sum = 0;
    for (float x : read_floats(difference.tensors().front())) sum += x;
    IM_CHECK(std::abs(sum) < 1e-3);  // either sums to 1
    AttentionSideData& a = app().data().attention.sides[0];
    const AttentionSideData before = a;
    a.slice = data().attention.sides[1].slice;  // A has gone on, B is still to come
    ++a.slice_of.query.query;
    ++attention().query;
    app().carry_out(ask::SaveSlice{(world().folder / "meanwhile.npy").string()});
    a = before;
    --attention().query;
    wait(c);
    const TensorFile meanwhile(world().folder / "meanwhile.npy");
    IM_CHECK(read_floats(meanwhile.tensors().front()) == read_floats(difference.tensors().front()));
    attention().show = AttentionShow::one;
    app().carry_out(ask::SaveChart{Panel::attention, (world().folder / "map.png").string()});
    c->Yield(3);
    wait(c);
    IM_CHECK(std::filesystem::file_size(world().folder / "map.png") > 2000);
    app().carry_out(ask::CopyPanelData{Panel::attention});
    IM_CHECK(clipboard().find("j\tk\ttoken j") == 0);
  });
}

TEST_F(AttentionJourney, the_head_that_looks_farthest_back_is_two_clicks_away) {
  travel([](ImGuiTestContext* c) {
    open(c);
    until(c, [] { return data().attention.overview.answer != nullptr; });
    c->Yield(2);
    const Overview& overview = *data().attention.overview.answer;
    IM_CHECK(overview.heads > 2);
    for (const auto& [header, figure] : {std::pair{"//**/k-even/##sort", OverviewFigure::distance2},
                                         std::pair{"//**/nats/##sort", OverviewFigure::entropy},
                                         std::pair{"//**/j-even/##sort", OverviewFigure::distance1}}) {
      c->ItemClick(header);
      c->Yield(2);
      IM_CHECK(attention().figure == figure);
      c->ItemClick("//**/##row");  // the first of them
      c->Yield(2);
      auto heads = head_means(overview, data().attention.overview.of.query.problem, side().source->seq_len);
      sort_heads(heads, figure);
      IM_CHECK_EQ(attention().head, heads.front().head);
    }
    const std::vector<std::int64_t> order = attention().head_order;
    c->ItemClick("//**/largest p");
    c->Yield(2);
    IM_CHECK(attention().figure == OverviewFigure::largest_p);
    IM_CHECK(attention().head_order == order);  // another overview moves no row
    wait(c);
    IM_CHECK_EQ(side().slice_of.query.head, attention().head);
    c->ItemClick("//**/Copy##heads");
    IM_CHECK(clipboard().starts_with("head\tmean entropy, nats\tmean largest p\t"));
    IM_CHECK_EQ(std::ranges::count(clipboard(), '\n'), 2 + overview.heads);  // even weights are the last
    IM_CHECK(clipboard().find("\neven weights\t") != std::string::npos);
  });
}

TEST_F(AttentionJourney, a_typed_path_shows_the_shapes_of_the_file_before_it_is_opened) {
  HostTensor q{"q", {40, 4, 6}, std::vector<float>(960, 0.5F)}, k1{"k1", q.shape, q.values},
      k2{"k2", q.shape, q.values};
  write_safetensors(window->folder / "typed.safetensors", std::vector{q, k1, k2});
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/Choose...");
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    c->ItemClick("File");
    c->ItemInput("##file");
    c->KeyCharsReplace((world().folder / "typed.safetensors").c_str());
    until(c, [] { return tensors_of(attention().draft, data().attention) != nullptr; });
    c->Yield(2);
    IM_CHECK(attention().draft.open && !attention().draft.submitted);
    IM_CHECK(c->ItemExists("##role_q"));
    IM_CHECK_EQ(tensors_of(attention().draft, data().attention)->tensors.size(), 3U);
    c->ItemClick("Cancel");
  });
}

TEST_F(AttentionJourney, a_number_beyond_its_limit_is_refused_until_it_is_corrected) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/Choose...");
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    c->ItemInputValue("##tokens", "999999999");
    c->ItemClick("Open");
    c->Yield(2);
    IM_CHECK(attention().draft.open);
    const auto& wrong = ui().fields.wrong;
    IM_CHECK_EQ(wrong.size(), 1U);
    IM_CHECK_STR_EQ(wrong.begin()->second.text.c_str(), "999999999");  // as it was typed
    IM_CHECK(wrong.begin()->second.problem.find("no whole number from 1 to 1,048,576") != std::string::npos);
    c->ItemInputValue("##tokens", "600");  // with Enter, which opens
    c->Yield(2);
    IM_CHECK(attention().draft.problem.empty());
    wait(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK_EQ(data().attention.sides[0].source->seq_len, 600);
  });
}

TEST_F(AttentionJourney, match3_numbers_are_typed_and_told_rightly) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/Choose...");
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    c->ItemClick("Match3");
    c->ItemInput("##numbers");
    for (const char* wrong : {"-9223372036854775808", "1.5", "2000000000"}) {
      c->ItemInput("##numbers");
      c->KeyCharsReplace(wrong);
      c->ItemClick("Open");
      IM_CHECK(!attention().draft.problem.empty());
    }
    c->ItemInput("##numbers");
    c->KeyCharsReplace("1 2 4 30");
    c->ItemClick("Open");
    c->Yield(2);
    wait(c);
    const std::vector<Match3Row> rows = match3_rows(data().attention);
    IM_CHECK_EQ(rows.size(), 4U);
    // mod 10: 2 + 4 + 4 = 10, 4 + 2 + 4 = 10, 30 + 30 + 30 = 90; 1 has no two others
    IM_CHECK(rows[0].matches == 0 && rows[1].matches == 1 && rows[2].matches == 2 && rows[3].matches == 1);
    for (const Match3Row& row : rows) IM_CHECK(row.right);
  });
}

}  // namespace
}  // namespace triscope
