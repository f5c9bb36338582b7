// Pictures of the window in every state, to be looked at: no test. Needs no display.
//   build/bin/window_gallery FOLDER [STATE [VARIANT]]    for example: window_gallery out/gallery full dark_1440x900
//                                                       a whole name, light_1600x900_150, need not be in the list
//   build/bin/window_gallery --figures                   CPU time of opening and drawing 100,000 samples
//   build/bin/window_gallery --explore-figures           the same of exploring 100,000 measurements
// Names are state_panels_theme_size_scale.png; numbers are invented except in the state "full", which shows the
// recording.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>

#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "tests/paths.hpp"
#include "tests/views/pictures/gallery_figures.hpp"
#include "tests/views/pictures/gallery_studio.hpp"
#include "tests/views/pictures/two_versions.hpp"
#include "tests/views/window_fixture.hpp"

namespace triscope {
namespace {

using fixture::InventedSweep;
using gallery::Studio;
using gallery::Variant;

/// The sweep over most lengths of ours.
std::int64_t longest_sweep(const std::vector<SweepInfo>& sweeps) {
  const auto lengths = [](const SweepInfo& sweep) {
    const SweepRequest request = sweep_request_from_json(sweep.request_json);
    const bool ours = std::find(request.kernels.begin(), request.kernels.end(), "cuda.hopper") != request.kernels.end();
    return ours ? request.seq_lens.size() : 0;
  };
  return std::max_element(sweeps.begin(), sweeps.end(),
                          [&](const SweepInfo& a, const SweepInfo& b) { return lengths(a) < lengths(b); })
      ->id;
}

/// The other sweep that measured most of what `results` did.
std::int64_t most_alike(const std::filesystem::path& database, const SweepResults& results) {
  std::map<std::string, int> of_ours;
  for (const ResultRow& row : results.rows) ++of_ours[match_key(row, false)];
  std::map<std::int64_t, int> common;
  for (const ResultRow& row : Snapshot(database).results()) {
    if (row.sweep != results.info.id) common[row.sweep] += of_ours.contains(match_key(row, false));
  }
  return std::max_element(common.begin(), common.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// The sweep of the recorded database that holds the paper's Table 1, forward.
constexpr std::int64_t kTable1 = 1;
/// And that of the lengths, forward, which has some of its rows again.
constexpr std::int64_t kLengths = 4;

void shoot_full(Studio& studio, const Variant& variant) {
  InventedSweep sweep;
  studio.open(recorded_file(), variant, sweep);
  const auto& sweeps = studio.application().data().sweeps;
  if (sweeps.empty()) throw Error("No pictures were made", "assets/recorded/h200.db holds no sweep", "record it again");
  studio.ask(ask::ShowSweep{kTable1});
  studio.application().select_first();
  if (sweeps.size() > 1) studio.ask(ask::Compare{most_alike(recorded_file(), *studio.application().data().shown)});
  studio.tour("full");
  studio.ask(ask::ShowSweep{longest_sweep(sweeps)});
  studio.application().select_first();
  for (const Panel panel : {Panel::tflops, Panel::lengths}) {
    studio.front(Panel::latency);
    studio.front(panel);
    studio.shoot(fmt::format("full_lengths_{}", panel_info(panel).id));
  }
  studio.application().ui().length_view = LengthView::rate;
  studio.shoot("full_lengths_rate");
  studio.application().ui().length_view = LengthView::budget;
  studio.application().ui().length_step = studio.application().ui().length_words = true;  // in a low panel its words
  const LengthPass& step = studio.application().models().lengths(studio.application().data())->step;
  const auto at_16k = std::ranges::find(step.budgets, 16384, &SameBudget::seq_len);
  if (at_16k != step.budgets.end()) studio.application().ui().length_chosen = at_16k->measurements;
  studio.shoot("full_lengths_same_cost");
  studio.application().ui().length_words = false;
  studio.shoot("full_lengths_same_cost_curve");
  if (variant.width != 1440 || !variant.dark) return;  // the other sweeps once
  for (const SweepInfo& one : std::vector(sweeps)) {
    studio.ask(ask::ShowSweep{one.id});
    studio.application().select_first();
    studio.front(Panel::map);
    studio.shoot(fmt::format("full_sweep{}_map", one.id));
    studio.front(Panel::scaling);
    studio.front(Panel::latency);
    studio.shoot(fmt::format("full_sweep{}_scaling", one.id));
    studio.front(Panel::tflops);
    studio.shoot(fmt::format("full_sweep{}_tflops", one.id));
  }
}

/// Nothing measured; no database; a file that is none; nothing chosen.
void shoot_empty(Studio& studio, const Variant& variant, const std::filesystem::path& folder) {
  InventedSweep sweep;
  { Store created(folder / "results.db"); }
  studio.open(folder / "results.db", variant, sweep);
  studio.tour("empty");
  std::ofstream(folder / "notes.txt") << "this is no database, and it is long enough to have a header of a hundred "
                                         "bytes or more, so that it is read as one.";
  studio.open(folder / "notes.txt", variant, sweep, false);
  studio.shoot("unreadable");
  studio.open(recorded_file(), variant, sweep, false);
  studio.tour("nothing_chosen");
}

void shoot_running(Studio& studio, const Variant& variant, const std::filesystem::path& folder) {
  InventedSweep sweep;
  sweep.measurements = 84;
  // A folder of its own: the window of the variant before still has its database open.
  const std::filesystem::path file =
      folder / fmt::format("running_{}_{}x{}_{}", variant.dark, variant.width, variant.height, variant.scale) /
      "running.db";
  std::filesystem::create_directories(file.parent_path());
  { Store created(file); }
  studio.open(file, variant, sweep);
  const auto run_until = [&](std::int64_t done) {
    for (int i = 0; i < 20'000 && studio.application().data().run.progress.done < done; ++i) {
      studio.offscreen().frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    for (int i = 0; i < 60; ++i) {
      studio.offscreen().frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
  sweep.stop_after = 0;
  studio.application().carry_out(ask::Run{});
  run_until(0);
  studio.shoot("running_nothing_yet", false);
  sweep.stop_after = 26;
  run_until(26);
  studio.application().carry_out(ask::ShowPanel{Panel::queue});
  for (int i = 0; i < 150; ++i) {  // two drawings of the samples that stream in
    studio.offscreen().frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
  }
  studio.shoot("running_latency_tflops", false);
  studio.application().carry_out(ask::SkipGroup{1});
  studio.application().carry_out(ask::ShowPanel{Panel::samples});
  for (int i = 0; i < 6; ++i) studio.offscreen().frame();
  studio.shoot("running_queue_samples", false);
  studio.application().carry_out(ask::ShowPanel{Panel::scaling});
  studio.application().carry_out(ask::Stop{});
  for (int i = 0; i < 20'000 && studio.application().data().run.running; ++i) {
    studio.offscreen().frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  studio.shoot("stopped_latency_scaling");
}

/// Failed and skipped rows, a baseline, verdicts, an interrupted sweep.
void shoot_failed(Studio& studio, const Variant& variant, const std::filesystem::path& folder) {
  InventedSweep sweep;
  if (!std::filesystem::exists(folder / "failed.db")) {
    write_synthetic_database(folder / "failed.db", 500, 60);
    Store store(folder / "failed.db");
    const std::int64_t broken =
        store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 60);
    for (std::int64_t i = 40; i < 51; ++i) store.add(broken, synthetic_measurement(i, 40));
  }
  studio.open(folder / "failed.db", variant, sweep);
  studio.shoot("interrupted");
  studio.ask(ask::DismissNotice{NoticeId::resume});
  for (const ResultRow& row : studio.application().data().shown->rows) {
    if (row.status == Status::failed) studio.ask(ask::SelectMeasurement{row.measurement});
  }
  studio.ask(ask::SetBaseline{1});
  studio.ask(ask::ShowSweep{2});
  studio.ask(ask::Compare{2});
  studio.tour("failed");
}

/// Two sweeps of the same windows: every verdict there is, and what else differs.
void shoot_compared(Studio& studio, const Variant& variant, const std::filesystem::path& folder) {
  InventedSweep sweep;
  if (!std::filesystem::exists(folder / "compared.db")) {
    Store store(folder / "compared.db");
    store.know_kernels(known_kernels());
    Environment environment = synthetic_environment();
    for (const double faster : {1.0, 1.08}) {
      const std::int64_t id = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), environment, 28);
      for (std::int64_t i = 0; i < 28; ++i) {
        Measurement measurement = synthetic_measurement(i, 40);
        const double change = i % 4 == 0 ? 1 : i % 4 == 1 ? faster : i % 4 == 2 ? 1 / faster : 1 + 0.2 * (faster - 1);
        for (std::size_t n = 0; n < measurement.samples.size(); ++n) {
          const double noise = i % 4 == 3 ? 0.03 * std::sin(static_cast<double>(n)) : 0;
          measurement.samples[n].duration_ns =
              std::llround(static_cast<double>(measurement.samples[n].duration_ns) * (1 + noise) / change);
        }
        if (!measurement.samples.empty()) measurement.summary = summarize(measurement.samples, StoppingRule{});
        store.add(id, measurement);
      }
      store.finish_sweep(id);
      environment.driver_version = "585.20";
      environment.compile_flags += " -march=native";
    }
  }
  studio.open(folder / "compared.db", variant, sweep);
  studio.ask(ask::SetBaseline{1});
  studio.ask(ask::ShowSweep{2});
  studio.shoot("baseline_latency_tflops");
  studio.ask(ask::Compare{2});
  studio.shoot("compared");
  studio.open(recorded_file(), variant, sweep);
  studio.ask(FileRequest(ask::CompareDatabase{recorded_file("h100.db")}));
  studio.shoot("compared_other_database");
  if (!std::filesystem::exists(folder / "versions.db"))
    fixture::write_two_versions(folder / "versions.db", false, true);
  studio.open(folder / "versions.db", variant, sweep);
  studio.ask(ask::CompareVersions{});
  studio.shoot("compared_versions");
}

/// 1,000 measurements with 100,000 samples, and one measurement that has 100,000 of its own.
void shoot_many(Studio& studio, const Variant& variant, const std::filesystem::path& folder) {
  InventedSweep sweep;
  if (!std::filesystem::exists(folder / "many.db")) {
    write_synthetic_database(folder / "many.db", 1000, 100);
    Store store(folder / "many.db");
    const std::int64_t last = store.begin_sweep("triscope sweep", to_json(SweepRequest{}), synthetic_environment(), 8);
    for (std::int64_t i = 0; i < 8; ++i) store.add(last, synthetic_measurement(i, i == 0 ? 100'000 : 50));
    store.finish_sweep(last);
  }
  studio.open(folder / "many.db", variant, sweep);
  studio.application().select_first();
  studio.tour("many");
  studio.ask(ask::ShowSweep{2});
  studio.application().select_first();
  studio.tour("many_rows");
}

void press_escape(Studio& studio) {
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Escape, true);
  studio.offscreen().frame();
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Escape, false);
  studio.offscreen().settle();
}

/// Those that ask for a file, beside the one for a chart.
void shoot_file_dialogs(Studio& studio) {
  const std::pair<const char*, FileRequest> asked[] = {{"table", ask::SaveTable{}},
                                                       {"window", ask::SaveWindowPicture{}},
                                                       {"import", ask::ImportDatabase{}},
                                                       {"compare", ask::CompareDatabase{}},
                                                       {"kernel", ask::OpenKernel{}}};
  for (const auto& [name, request] : asked) {
    studio.ask(request);
    studio.shoot(fmt::format("dialog_{}", name));
    press_escape(studio);
  }
}

void shoot_dialogs(Studio& studio, const Variant& variant) {
  InventedSweep sweep;
  studio.open(recorded_file(), variant, sweep);
  studio.ask(ask::ShowSweep{kTable1});
  studio.application().select_first();
  UiState& ui = studio.application().ui();
  const auto close = [&] { press_escape(studio); };
  studio.ask(ask::OpenPalette{});
  studio.shoot("dialog_palette");
  close();
  studio.ask(ask::OpenHelp{});
  studio.shoot("dialog_help");
  close();
  studio.ask(ask::OpenLicences{});
  studio.shoot("dialog_licences");
  close();
  studio.ask(ask::OpenSettings{});
  studio.shoot("dialog_settings");
  close();
  ui.settings.recent_databases = {"/home/ada/.local/share/triscope/results.db", "/home/ada/runs/h200-2026-11.db"};
  studio.ask(ask::OpenDatabase{});
  studio.shoot("dialog_open");
  close();
  studio.ask(ask::SaveChart{Panel::tflops, {}});
  studio.shoot("dialog_save");
  close();
  shoot_file_dialogs(studio);
  studio.ask(ask::OpenDocument{"window.md", "Latency"});
  studio.shoot("dialog_document");
  close();
  studio.ask(ask::AskToDelete{1});
  studio.shoot("dialog_delete");
  close();
  const float left = static_cast<float>(variant.width) < 760 * variant.scale ? 0 : 58;  // the program's name
  for (const auto& [menu, x] : {std::pair{"file", 38.0F}, std::pair{"edit", 74.0F}, std::pair{"view", 114.0F},
                                std::pair{"sweep", 162.0F}, std::pair{"help", 210.0F}}) {
    studio.click(left + x, 20);
    studio.shoot(fmt::format("menu_{}", menu));
    close();
  }
  ui.form.seq_lens = "256, 4k, many";
  ui.form.kv_heads = "3";
  studio.ask(ask::PreviewPlan{});
  studio.application().messages().notify(
      Severity::error, NoticeId::saved,
      "/mnt/disk/latency.csv was not written: No space left on device; free some space, then save again");
  studio.application().messages().notify(
      Severity::warning, NoticeId::background,
      "The worker died of signal 11 while it measured cuda.hopper forward 512x32; the sweep goes on with a new one.");
  studio.shoot("form_problems");
}

/// The Explore panel as it can be set.
void shoot_explore(Studio& studio, const Variant& variant) {
  InventedSweep sweep;
  studio.open(recorded_file(), variant, sweep);
  studio.front(Panel::explore);
  ExploreUi& ui = studio.application().ui().explore;
  int number = 0;
  for (const ExploreView& view : usual_views()) {
    ui.query = view.query;
    ui.filter = view.query.where;
    studio.shoot(fmt::format("explore_{}", ++number));
  }
  ui.query = {"instance", "watts", "window", "form", "", false};
  ui.filter = "kernel~hopper colour=red";
  studio.shoot("explore_wrong_filter");
  ui.filter = "kernel=none";
  studio.shoot("explore_nothing");
  ui.filter = "kernel=cuda.hopper,baseline.fa3 heads=64/1 head_dim=128 form=trilinear,dot_product window~512x32,causal";
  ui.query = {"seq", "tflops", "database", "pass", ui.filter, false};
  studio.application().ui().settings.explore_databases = {recorded_file("h100.db"), "/nowhere/lost.db"};
  studio.shoot("explore_databases");
  studio.application().ui().settings.explore_databases.clear();
  ui.query = {"seq", "tflops", "kernel", "pass", "", true, "form"};
  ui.filter.clear();
  studio.shoot("explore_rows");
  ui.query = {"seq", "ms", "sweep", "instance", "", false};
  ui.filter.clear();
  studio.shoot("explore_many");
}

/// The pages of the paper, and each kind of the errata.
void shoot_paper(Studio& studio, const Variant& variant) {
  InventedSweep sweep;
  studio.open(recorded_file(), variant, sweep);
  studio.ask(ask::ShowSweep{kTable1});
  studio.front(Panel::paper);
  PaperUi& ui = studio.application().ui().paper;
  for (int page = 0; page < static_cast<int>(PaperPage::count); ++page) {
    ui.page = static_cast<PaperPage>(page);
    studio.shoot(fmt::format("paper_{}", page));
  }
}

/// Several rows selected: the figures of all, and A beside B.
void shoot_selected(Studio& studio, const Variant& variant) {
  InventedSweep sweep;
  studio.open(recorded_file(), variant, sweep);
  studio.ask(ask::ShowSweep{kTable1});
  std::vector<std::int64_t> some;
  for (const ResultRow& row : studio.application().data().shown->rows) {
    if (some.size() < 5) some.push_back(row.measurement);
  }
  studio.application().ui().settings.visible.fill(true);
  studio.ask(ask::SelectMeasurements{some});
  studio.front(Panel::details);
  studio.shoot("selected_details");
  studio.front(Panel::samples);
  studio.shoot("selected_samples");
}

constexpr const char* kDocsFilter =
    "kernel~hopper pass=forward form=trilinear window=512x32,256x32,1024x16 heads=64/1 head_dim=128";

/// The pictures of the window in the documents (docs/pictures/draw).
void shoot_docs(Studio& studio) {
  InventedSweep sweep;
  const std::filesystem::path database = recorded_file();
  for (const bool dark : {true, false}) {
    studio.open(database, {dark, 1440, 900, 1}, sweep);
    studio.ask(ask::ShowSweep{kTable1});
    studio.application().select_first();
    studio.shoot_as(dark ? "window_h200_dark" : "window_h200_light");
  }
  studio.open(database, {false, 1200, 436, 1}, sweep);
  studio.ask(ask::ShowSweep{kLengths});
  studio.ask(ask::Compare{kTable1});
  studio.application().show_only(Panel::compare);
  studio.shoot_as("panel_compare");
  studio.open(database, {false, 1200, 436, 1}, sweep);
  studio.application().ui().explore.query = {"seq", "tflops", "window", "regime", kDocsFilter, false};
  studio.application().ui().explore.filter = kDocsFilter;
  studio.application().show_only(Panel::explore);
  studio.shoot_as("panel_explore");
}

int make_pictures(const std::filesystem::path& folder, const std::string& state, const std::string& part) {
  Studio studio(folder);
  TemporaryFolder databases;
  if (state == "docs") {
    shoot_docs(studio);
    return 0;
  }
  for (const Variant& variant : gallery::variants_of(part)) {
    const auto wanted = [&](const char* name) { return state.empty() || state == name; };
    if (wanted("full")) shoot_full(studio, variant);
    if (wanted("empty")) shoot_empty(studio, variant, databases.path());
    if (wanted("running")) shoot_running(studio, variant, databases.path());
    if (wanted("failed")) shoot_failed(studio, variant, databases.path());
    if (wanted("compared")) shoot_compared(studio, variant, databases.path());
    if (wanted("many")) shoot_many(studio, variant, databases.path());
    if (wanted("explore")) shoot_explore(studio, variant);
    if (wanted("paper")) shoot_paper(studio, variant);
    if (wanted("selected")) shoot_selected(studio, variant);
    if (wanted("dialogs")) shoot_dialogs(studio, variant);
  }
  return 0;
}

}  // namespace
}  // namespace triscope

int main(int argc, char** argv) {
  if (argc < 2 || std::string(argv[1]) == "--help") {
    std::fprintf(
        stderr,
        "usage: %s FOLDER [docs|full|empty|running|failed|compared|many|explore|paper|selected|dialogs [VARIANT]]\n",
        argv[0]);
    return 2;
  }
  try {
    if (std::string(argv[1]) == "--figures") return triscope::print_figures();
    if (std::string(argv[1]) == "--explore-figures") return triscope::print_explore_figures();
    return triscope::make_pictures(argv[1], argc > 2 ? argv[2] : "", argc > 3 ? argv[3] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "window_gallery: %s\n", error.what());
    return 3;
  }
}
