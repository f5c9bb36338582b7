// Pictures of the attention panel: what must be seen on them, and all of them for docs and for looking at.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "kernels/tensors/tensor_file.hpp"
#include "tests/views/window_fixture.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/attention_model.hpp"
#include "views/model/attention/triple_hits.hpp"

namespace triscope {
namespace {

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
  window.application().carry_out(ask::ShowPanel{Panel::attention});
  window.stage->memory().settle();
  ASSERT_TRUE(window.application().data().attention.sides[0].slice)
      << window.application().data().attention.sides[0].problem;
  const Picture picture =
      crop(window.stage->memory().picture(), window.application().ui().chart_areas.at(Panel::attention), 1);
  const Rgb bright = colour_at(ColourMap::viridis, 1);
  int seen = 0;
  for (std::size_t n = 0; n + 2 < picture.rgb.size(); n += 3)
    seen += picture.rgb[n] == bright.r && picture.rgb[n + 1] == bright.g && picture.rgb[n + 2] == bright.b;
  EXPECT_GE(seen, 1);
  EXPECT_LE(seen, 6);
}

/// Pictures of the panel in its states, for docs and for looking at.
class Album {
 public:
  Album(std::string folder, int width, int height) : folder_(std::move(folder)), window_(60, width, height) {
    application().carry_out(ask::ShowPanel{Panel::attention});
    settle();
  }
  Application& application() { return window_.application(); }
  AttentionUi& ui() { return application().ui().attention; }
  std::filesystem::path file(const char* name) { return window_.folder / name; }
  void settle() { window_.stage->memory().settle(60); }
  void take(const std::string& name) {
    in_both_themes([&] {
      settle();
      save(name);
    });
  }
  /// The first frames after `change`, before any answer.
  void take_at_once(const std::string& name, const std::function<void()>& change) {
    in_both_themes([&] {
      settle();
      change();
      for (int frame = 0; frame < 2; ++frame) window_.stage->memory().frame();
      save(name);
    });
    settle();
  }
  void open(SourceKind kind, const std::filesystem::path& path = {}) {
    AttentionSource source;
    source.kind = kind;
    source.file = path.string();
    choose_source(ui(), 0, source);
  }
  void match3(std::vector<std::int64_t> numbers, std::int64_t modulus, std::optional<double> c = std::nullopt) {
    AttentionSource source;
    source.kind = SourceKind::match3;
    source.numbers = std::move(numbers);
    source.modulus = modulus;
    source.c = c;
    choose_source(ui(), 0, source);
    ui().query = 5;
  }

 private:
  void in_both_themes(const std::function<void()>& act) {
    for (ThemeChoice theme : {ThemeChoice::dark, ThemeChoice::light}) {
      application().ui().settings.theme = theme;
      act();
    }
  }
  void save(const std::string& name) {
    const std::vector<std::uint8_t> png = encode_png(window_.stage->memory().picture());
    const bool dark = application().ui().settings.theme == ThemeChoice::dark;
    const std::string path = fmt::format("{}/attention_{}_{}.png", folder_, name, dark ? "dark" : "light");
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
  }

  std::string folder_;
  fixture::WindowOnDatabase window_;
};

void take_looks(Album& album) {
  AttentionUi& ui = album.ui();
  ui.head = 6;
  ui.kernel = "cpu.fast";
  album.settle();
  if (const Slice* slice = album.application().data().attention.sides[0].slice.get())
    ui.pinned = AttentionCell{slice->top[0].j, slice->top[0].k};
  album.take("one");
  ui.kernel.clear();
  for (const auto& [column, name] :
       {std::pair{AttentionColumn::tensors, "column_tensors"}, std::pair{AttentionColumn::figures, "column_figures"}}) {
    ui.column = column;  // all are there at once in a wide window
    album.take(name);
  }
  ui.column = AttentionColumn::map;
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
  ui.mean_pooling = true;
  album.take("mean");
  ui.mean_pooling = false;
  for (Form form : {Form::determinant, Form::dot_product}) {
    choose_form(ui, 0, form);
    album.take(std::string(to_string(form)));
  }
  choose_form(ui, 0, Form::trilinear);
  ui.query = 100;
  ui.absolute_axes = true;
  album.take("start");
  ui.query = 1000;
  ui.absolute_axes = false;
}

void take_all_queries(Album& album) {
  AttentionUi& ui = album.ui();
  ui.search.open = true;
  ui.column = AttentionColumn::figures;
  album.take("search_before");
  album.application().carry_out(ask::FindTriples{});
  album.settle();
  const TripleSearchData& search = album.application().data().attention.search;
  ASSERT_GT(search.found.size(), 4U) << search.problem;
  go_to(ui, album.application().data().attention, search.found[4]);
  album.take("search");
  ui.search.by = TripleSearchBy::token;
  album.take("search_token");
  ui.search = {};
  ui.column = AttentionColumn::map;
  ui.pinned.reset();
  ui.show = AttentionShow::grid;
  album.take("grid");
  ui.part = HeatmapPart{380, 0, 512, 32};
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(io.DisplaySize.x / 2, io.DisplaySize.y / 2);
  album.take("grid_near");
  io.AddMousePosEvent(-1, -1);
  ui.part.reset();
  ui.grid.heads = "0-12";
  album.take("grid_refused");
  ui.grid = {};
  ui.show = AttentionShow::one;
  album.settle();
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
  album.settle();
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
  album.take_at_once("loading", [&] { album.open(SourceKind::induction); });
  write_safetensors(album.file("odd.safetensors"), std::vector{q, k1, k2});
  std::ofstream(album.file("rubbish.safetensors")) << "this is no tensor file, whatever its name says";
  for (const char* name : {"odd", "rubbish"}) {
    open_draft(ui, 0);
    set_tensors(ui.draft, album.file((std::string(name) + ".safetensors").c_str()).string());
    submit_draft(ui);
    album.take(std::string("dialog_") + name);
  }
  for (const auto& [kind, name] :
       {std::pair{SourceKind::match3, "dialog_match3"}, std::pair{SourceKind::random, "dialog_example"}}) {
    ui.draft.source.kind = kind;
    album.take(name);
  }
  ui.draft.open = false;
  album.settle();
}

void take_match3(Album& album) {
  const std::vector<std::int64_t> digits{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 88};
  album.match3(digits, 97);
  album.take("match3_none");
  album.match3(digits, 97, 1000);
  album.take("match3_small_c");
  album.match3(digits, 11);
  album.take("match3");
  std::vector<std::int64_t> squares;
  for (std::int64_t n = 0; n < 12; ++n) squares.push_back(n * n % 97);
  album.match3(squares, 97);
  album.settle();
  album.ui().query = 3;
  album.ui().sides[0].arithmetic = Arithmetic::bf16_kernel;
  album.take("match3_bf16");
}

TEST(AttentionPictures, of_every_state) {
  const char* folder = std::getenv("TRISCOPE_PICTURES");
  if (!folder)
    GTEST_SKIP()
        << "set TRISCOPE_PICTURES to a folder to have them written, TRISCOPE_PICTURE_SIZE to 1280x800 or another size, "
           "TRISCOPE_PICTURE_SCALE to that of text and controls";
  int width = 1440, height = 900;
  if (const char* size = std::getenv("TRISCOPE_PICTURE_SIZE")) {
    ASSERT_EQ(std::sscanf(size, "%dx%d", &width, &height), 2);
  }
  Album album(folder, width, height);
  if (const char* scale = std::getenv("TRISCOPE_PICTURE_SCALE"))
    album.application().ui().settings.scale = std::strtof(scale, nullptr);
  take_looks(album);
  take_all_queries(album);
  take_comparisons(album);
  take_sources(album);
  take_match3(album);
}

}  // namespace
}  // namespace triscope
