// Walks through the attention panel with a real worker: open, map names, scrub, pin, flip, export; and what goes wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "journey.hpp"
#include "kernels/tensor_file.hpp"

namespace triscope {
namespace {

using fixture::Journey;

class AttentionJourney : public Journey {
 protected:
  static AttentionUi& attention() { return ui().attention; }
  static const AttentionSideData& side(std::size_t n = 0) { return data().attention.sides[n]; }
  static void open(ImGuiTestContext* c) {
    c->KeyPress(ImGuiKey_A);
    c->Yield(2);
    wait(c);
    IM_CHECK(attention().open);
    IM_CHECK(side().slice != nullptr);
  }
  /// Three tensors whose names say nothing.
  static void write_odd(const std::filesystem::path& file) {
    HostTensor q{"alpha", {40, 4, 6}, {}}, k1{"beta", {40, 2, 6}, {}}, k2{"gamma", {40, 2, 6}, {}};
    for (HostTensor* tensor : {&q, &k1, &k2}) {
      const std::int64_t count = tensor->shape[0] * tensor->shape[1] * tensor->shape[2];
      for (std::int64_t n = 0; n < count; ++n) tensor->values.push_back(std::sin(static_cast<float>(n)));
    }
    write_safetensors(file, std::vector{q, k1, k2});
  }
  static void choose_file(ImGuiTestContext* c, const std::filesystem::path& file) {
    c->ItemClick("//**/Choose...");
    c->Yield(2);
    c->SetRef("//$FOCUSED");
    c->ItemClick("File");
    c->ItemInput("##file");
    c->KeyCharsReplace(file.c_str());
    c->ItemClick("Open");
    c->Yield(2);
    wait(c);
  }
};

TEST_F(AttentionJourney, opening_shows_a_slice_and_measurements_come_back) {
  travel([](ImGuiTestContext* c) {
    open(c);
    IM_CHECK_EQ(side().slice_of.query.query, attention().query);
    IM_CHECK(data().attention.overview != nullptr);
    IM_CHECK(data().attention.sheet != nullptr);
    IM_CHECK(!side().slice->top.empty());
    c->KeyPress(ImGuiKey_M);
    c->Yield(2);
    IM_CHECK(!attention().open);
    const ImGuiWindow* panel = ImGui::FindWindowByName("###latency");
    IM_CHECK(panel != nullptr && panel->Active && panel->DockId != 0);
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
    attention().playing = true;
    for (int n = 0; n < 2000 && attention().query < query + 8; ++n) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      c->Yield();
    }
    attention().playing = false;
    IM_CHECK(attention().query >= query + 8);
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

TEST_F(AttentionJourney, space_flips_to_the_second_source_while_it_is_held) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->MouseMove("//**/##cells");
    c->KeyDown(ImGuiKey_Space);
    c->Yield(2);
    wait(c);
    IM_CHECK(attention().flipped);
    IM_CHECK(side(1).slice != nullptr);
    IM_CHECK(side(1).slice_of.query.arithmetic == Arithmetic::bf16_kernel);
    c->KeyUp(ImGuiKey_Space);
    c->Yield();
    IM_CHECK(!attention().flipped);
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
    c->ItemClick("//**/side by side");
    c->Yield(2);
    IM_CHECK(attention().show == AttentionShow::side_by_side);
  });
}

TEST_F(AttentionJourney, mask_scale_and_bias_are_those_of_the_logits) {
  travel([](ImGuiTestContext* c) {
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
    IM_CHECK(data().attention.kernel_row != nullptr);
    IM_CHECK(data().attention.kernel_row->error < 1e-5);
    c->MouseMove("//**/##cells");
    c->KeyPress(ImGuiKey_LeftArrow);
    wait(c);
    IM_CHECK_EQ(data().attention.kernel_row_of.query.query, attention().query);
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
    c->ItemClick("//**/CPU");
    c->Yield(2);
    wait(c);
    IM_CHECK(attention().device == "cpu");
    IM_CHECK_EQ(side().slice_of.query.query, attention().query);
    IM_CHECK(side().slice != nullptr && !side().pending);
  });
}

TEST_F(AttentionJourney, a_file_with_other_names_is_mapped_in_the_dialog) {
  write_odd(window->folder / "odd.safetensors");
  travel([](ImGuiTestContext* c) {
    open(c);
    choose_file(c, world().folder / "odd.safetensors");
    IM_CHECK(attention().draft.open);  // it asks which is which
    IM_CHECK(side().source != nullptr && side().source->problem.find("say which is which") != std::string::npos);
    for (const auto& [role, name] : {std::pair{"q", "alpha"}, std::pair{"k1", "beta"}, std::pair{"k2", "gamma"}}) {
      c->SetRef("//$FOCUSED");
      c->ItemClick(fmt::format("##role_{}", role).c_str());
      c->ItemClick(fmt::format("//$FOCUSED/###{}", name).c_str());
    }
    c->SetRef("//$FOCUSED");
    c->ItemClick("Open");
    c->Yield(2);
    wait(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK_EQ(side().source->seq_len, 40);
    IM_CHECK(side().slice != nullptr);
    IM_CHECK_EQ(side().slice->count1, 40);
  });
}

TEST_F(AttentionJourney, a_bad_file_is_a_sentence_and_the_window_goes_on) {
  std::ofstream(window->folder / "bad.safetensors") << "this is no tensor file, whatever its name says";
  travel([](ImGuiTestContext* c) {
    open(c);
    choose_file(c, world().folder / "bad.safetensors");
    IM_CHECK(attention().draft.open);
    IM_CHECK(!side().problem.empty());
    c->SetRef("//$FOCUSED");
    c->ItemClick("Example");
    c->ItemClick("Random");
    c->ItemClick("Open");
    c->Yield(2);
    wait(c);
    IM_CHECK(!attention().draft.open);
    IM_CHECK(side().slice != nullptr);
  });
}

TEST_F(AttentionJourney, the_slice_is_exported_as_it_is_shown) {
  travel([](ImGuiTestContext* c) {
    open(c);
    c->ItemClick("//**/Export");
    c->ItemClick("//$FOCUSED/Save slice as npy, CSV or PNG...");
    c->Yield(2);
    const std::string file = (world().folder / "slice.npy").string();
    c->KeyCharsReplaceEnter(file.c_str());
    c->Yield(2);
    wait(c);
    const TensorFile saved(file);
    const std::vector<float> p = read_floats(saved.tensors().front());
    IM_CHECK_EQ(p.size(), side().slice->log_p.size());
    IM_CHECK(std::abs(p.back() - std::exp(side().slice->log_p.back())) < 1e-6F);
    app().carry_out({CommandId::save_chart, static_cast<std::int64_t>(Panel::attention), (world().folder / "map.png").string()});
    c->Yield(3);
    wait(c);
    IM_CHECK(std::filesystem::file_size(world().folder / "map.png") > 2000);
    app().carry_out({CommandId::copy_chart_data, static_cast<std::int64_t>(Panel::attention)});
    IM_CHECK(clipboard().find("j\tk\ttoken j") == 0);
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

/// All logits of a query are 0 but one.
TEST(AttentionPixels, one_bright_cell_of_1024_x_1024_is_seen_in_the_whole_window) {
  fixture::WindowOnDatabase window;
  const auto zeros = [](const char* name) { return HostTensor{name, {1100, 1, 1}, std::vector<float>(1100, 0.0F)}; };
  HostTensor q = zeros("q"), k1 = zeros("k1"), k2 = zeros("k2");
  q.values.assign(1100, 1.0F);
  k1.values[417] = k2.values[901] = 6;
  write_safetensors(window.folder / "one.safetensors", std::vector{q, k1, k2});
  AttentionUi& ui = window.application().ui().attention;
  ui.sides[0].source.kind = ui.sides[1].source.kind = SourceKind::file;
  ui.sides[0].source.file = ui.sides[1].source.file = (window.folder / "one.safetensors").string();
  ui.query = 1099;
  ui.window1 = ui.window2 = 1024;
  window.application().carry_out({CommandId::show_panel, static_cast<std::int64_t>(Panel::attention)});
  window.stage->memory().settle();
  ASSERT_TRUE(window.application().data().attention.sides[0].slice) << window.application().data().attention.sides[0].problem;
  const Picture picture = crop(window.stage->memory().picture(), window.application().ui().chart_areas.at(Panel::attention), 1);
  const Rgb bright = colour_at(ColourMap::viridis, 1);
  int seen = 0;
  for (std::size_t n = 0; n + 2 < picture.rgb.size(); n += 3) seen += picture.rgb[n] == bright.r && picture.rgb[n + 1] == bright.g && picture.rgb[n + 2] == bright.b;
  EXPECT_GE(seen, 1);
  EXPECT_LE(seen, 6);
}

/// Pictures of the panel in its states, for docs and for looking at.
class Album {
 public:
  Album(std::string folder, int width, int height) : folder_(std::move(folder)), window_(60, width, height) {
    application().carry_out({CommandId::show_panel, static_cast<std::int64_t>(Panel::attention)});
    settle();
  }
  Application& application() { return window_.application(); }
  AttentionUi& ui() { return application().ui().attention; }
  std::filesystem::path file(const char* name) { return window_.folder / name; }
  void settle() { window_.stage->memory().settle(60); }
  void take(const std::string& name) {
    for (ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
      application().ui().settings.theme = theme;
      settle();
      const std::vector<std::uint8_t> png = encode_png(window_.stage->memory().picture());
      const std::string path = fmt::format("{}/attention_{}_{}.png", folder_, name, theme == ThemeChoice::dark ? "dark" : "light");
      std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
    }
  }
  void open(SourceKind kind, const std::filesystem::path& path = {}) {
    AttentionSource source;
    source.kind = kind;
    source.file = path.string();
    choose_source(ui(), 0, source);
  }
  void match3(std::int64_t modulus, std::optional<double> c = std::nullopt) {
    AttentionSource source;
    source.kind = SourceKind::match3;
    source.numbers = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 88};
    source.modulus = modulus;
    source.c = c;
    choose_source(ui(), 0, source);
    ui().query = 5;
  }

 private:
  std::string folder_;
  fixture::WindowOnDatabase window_;
};

void take_looks(Album& album) {
  AttentionUi& ui = album.ui();
  ui.head = 6;
  ui.kernel = "cpu.fast";
  album.settle();
  if (const Slice* slice = album.application().data().attention.sides[0].slice.get()) ui.pinned = AttentionCell{slice->top[0].j, slice->top[0].k};
  album.take("one");
  ui.kernel.clear();
  ui.part = HeatmapPart{490, 20, 504, 32};
  album.take("near");
  ui.part.reset();
  ui.colour_scale = HeatmapStyle::Scale::probability;
  album.take("linear");
  ui.colour_scale = HeatmapStyle::Scale::logarithmic;
  for (ColourMap map : {ColourMap::cividis, ColourMap::inferno}) {
    ui.map = map;
    album.take(std::string(to_string(map)));
  }
  ui.map = ColourMap::viridis;
  ui.query = 100;
  ui.absolute_axes = true;
  album.take("start");
  ui.query = 1000;
  ui.absolute_axes = false;
}

void take_comparisons(Album& album) {
  AttentionUi& ui = album.ui();
  ui.show = AttentionShow::side_by_side;
  album.take("side_by_side");
  ui.show = AttentionShow::difference;
  album.take("difference");
  ui.show = AttentionShow::one;
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(io.DisplaySize.x / 2, io.DisplaySize.y / 2);
  io.AddKeyEvent(ImGuiKey_Space, true);
  album.take("flip");
  io.AddKeyEvent(ImGuiKey_Space, false);
  io.AddMousePosEvent(-1, -1);
  album.settle();
}

void take_sources(Album& album) {
  AttentionUi& ui = album.ui();
  ui.pinned.reset();
  HostTensor q{"q", {64, 2, 12}, std::vector<float>(64 * 2 * 12, 0.7F)}, k1 = q, k2 = q;
  k1.name = "k1";
  k2.name = "k2";
  for (std::size_t n = 0; n < q.values.size(); ++n) {
    k1.values[n] = std::sin(static_cast<float>(n));
    k2.values[n] = std::cos(1.7F * static_cast<float>(n));
  }
  k1.values[50 * 24 + 5] = std::nanf("");
  write_safetensors(album.file("nan.safetensors"), std::vector{q, k1, k2});
  album.open(SourceKind::file, album.file("nan.safetensors"));
  ui.head = 0;
  album.take("nan");
  AttentionSource many;
  many.kind = SourceKind::peaked;
  many.seq_len = 1100;
  many.q_heads = 64;
  many.head_dim = 16;
  choose_source(ui, 0, many);
  ui.query = 1099;
  album.take("many_heads");
  ui.window1 = ui.window2 = 1024;
  many.q_heads = 2;
  choose_source(ui, 0, many);
  album.take("far");
  ui.window1 = 512;
  ui.window2 = 32;
  album.open(SourceKind::file, "/no/such/file.safetensors");
  album.take("no_file");
  q.name = "alpha";
  k1.name = "beta";
  k2.name = "gamma";
  write_safetensors(album.file("odd.safetensors"), std::vector{q, k1, k2});
  album.open(SourceKind::file, album.file("odd.safetensors"));
  album.settle();
  ui.draft.open = true;
  ui.draft.source = ui.sides[0].source;
  album.take("mapping");
  ui.draft.source.kind = SourceKind::match3;
  ui.draft.numbers = "3 1 4 1 5 9 2 6";
  album.take("dialog");
  ui.draft.open = false;
  album.settle();
}

void take_match3(Album& album) {
  album.match3(97);
  album.take("match3_none");
  album.ui().sides[0].arithmetic = Arithmetic::bf16_kernel;
  album.take("match3_bf16");
  album.ui().sides[0].arithmetic = Arithmetic::exact;
  album.match3(97, 1000);
  album.take("match3_small_c");
  album.match3(11);
  album.take("match3");
}

TEST(AttentionPictures, of_every_state) {
  const char* folder = std::getenv("TRISCOPE_PICTURES");
  if (!folder) GTEST_SKIP() << "set TRISCOPE_PICTURES to a folder to have them written, TRISCOPE_PICTURE_SIZE to 1280x800 or another size";
  int width = 1440, height = 900;
  if (const char* size = std::getenv("TRISCOPE_PICTURE_SIZE")) {
    ASSERT_EQ(std::sscanf(size, "%dx%d", &width, &height), 2);
  }
  Album album(folder, width, height);
  take_looks(album);
  take_comparisons(album);
  take_sources(album);
  take_match3(album);
}

}  // namespace
}  // namespace triscope
