// What the gallery photographs with: the window at a size and scale, on an invented measuring side.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/files/atomic_file.hpp"
#include "profiler/plan/request.hpp"
#include "tests/profiler/record/kernel_cards.hpp"
#include "tests/views/window_fixture.hpp"

namespace triscope::gallery {

/// The machine that the recording comes from, with one library missing.
inline std::shared_ptr<const Catalog> recording_machine() {
  auto catalog = std::make_shared<Catalog>();
  Device gpu;
  gpu.id = "0";
  gpu.kind = DeviceKind::cuda;
  gpu.name = "NVIDIA H200";
  Device cpu;
  cpu.id = "cpu";
  cpu.name = "Intel(R) Xeon(R) Processor";
  catalog->devices = {gpu, cpu};
  const auto add = [&](const char* id, const char* name, DeviceKind device) {
    KernelInfo kernel;
    kernel.id = id;
    kernel.name = name;
    kernel.card = card_of(id);
    kernel.device = device;
    catalog->kernels.push_back(kernel);
  };
  add("cuda.hopper", "Hopper", DeviceKind::cuda);
  add("cuda.portable", "Portable", DeviceKind::cuda);
  add("baseline.fa3", "FlashAttention-3", DeviceKind::cuda);
  add("baseline.cudnn", "cuDNN", DeviceKind::cuda);
  add("cpu.fast", "CPU fast", DeviceKind::cpu);
  add("baseline.cpu", "CPU dot product", DeviceKind::cpu);
  return catalog;
}

inline Engine recording_engine(fixture::InventedSweep& sweep) {
  Engine engine = sweep.engine();
  engine.catalog = recording_machine;
  engine.preview = [](const SweepRequest& request, const Catalog&) {
    PlanPreview preview;
    preview.measurements = static_cast<std::int64_t>(request.windows.size() * request.passes.size() * 3);
    preview.skipped = static_cast<std::int64_t>(request.windows.size());
    preview.seconds = 100;
    preview.bytes = 5'400'000'000;
    preview.unable = {{"baseline.cudnn", "libcudnn.so.9 was not found: install cuDNN 9 or set LD_LIBRARY_PATH."}};
    return preview;
  };
  return engine;
}

struct Variant {
  bool dark;
  int width, height;
  float scale;
};
inline constexpr Variant kVariants[] = {{true, 1440, 900, 1},  {false, 1440, 900, 1},  {true, 1280, 800, 1},
                                        {false, 1280, 800, 1}, {true, 1920, 1080, 1},  {false, 1920, 1080, 1},
                                        {true, 2560, 1440, 1}, {false, 2560, 1440, 1}, {true, 1280, 800, 2},
                                        {false, 1280, 800, 2}, {true, 1920, 1080, 2},  {false, 1920, 1080, 2},
                                        {true, 2560, 1440, 2}, {false, 2560, 1440, 2}};

inline std::string name_of(const Variant& variant) {
  return fmt::format("{}_{}x{}_{:.0f}", variant.dark ? "dark" : "light", variant.width, variant.height,
                     variant.scale * 100);
}

/// The variants whose names hold `part`; the one that it names, where it is none of them: "light_1600x900_150".
inline std::vector<Variant> variants_of(const std::string& part) {
  std::vector<Variant> wanted;
  for (const Variant& variant : kVariants) {
    if (name_of(variant).find(part) != std::string::npos) wanted.push_back(variant);
  }
  Variant named{part.starts_with("dark_"), 0, 0, 0};
  float percent = 0;
  if (wanted.empty() && std::sscanf(part.c_str(), "%*[a-z]_%dx%d_%f", &named.width, &named.height, &percent) == 3) {
    named.scale = percent / 100;
    wanted.push_back(named);
  }
  return wanted;
}

/// One window on one database, photographed.
class Studio {
 public:
  explicit Studio(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void open(const std::filesystem::path& database, const Variant& variant, fixture::InventedSweep& sweep,
            bool machine = true) {
    offscreen_.reset();
    variant_ = variant;
    ApplicationOptions options;
    options.database = database;
    options.engine = recording_engine(sweep);
    options.ask_machine = machine;
    options.system_is_dark = variant.dark;
    offscreen_ = std::make_unique<Offscreen>(std::move(options), variant.width, variant.height, variant.scale);
    offscreen_->settle();
  }
  Application& application() { return offscreen_->application(); }
  Offscreen& offscreen() { return *offscreen_; }
  void ask(const Request& request) {
    application().carry_out(request);
    offscreen_->settle();
  }
  void front(Panel panel) { ask(ask::ShowPanel{panel}); }
  void click(float x, float y) {
    ImGuiIO& io = ImGui::GetIO();
    point(x, y);
    for (const bool down : {true, false}) {
      io.AddMouseButtonEvent(0, down);
      for (int i = 0; i < 2; ++i) offscreen_->frame();
    }
    offscreen_->settle();
  }
  /// Rests the pointer until a tooltip has appeared.
  void point(float x, float y) {
    ImGui::GetIO().AddMousePosEvent(x * variant_.scale, y * variant_.scale);
    for (int i = 0; i < 60; ++i) offscreen_->frame();
  }
  void shoot(const std::string& state, bool settle = true) { shoot_as(state + "_" + name_of(variant_), settle); }
  void shoot_as(const std::string& name, bool settle = true) {
    if (settle) offscreen_->settle();
    const std::vector<std::uint8_t> png = encode_png(offscreen_->picture());
    std::filesystem::create_directories(folder_);
    write_whole_file(folder_ / (name + ".png"), {reinterpret_cast<const char*>(png.data()), png.size()});
    std::printf("%s\n", name.c_str());
  }
  /// All panels: a table and a chart together, five times; in a small window one at a time.
  void tour(const std::string& state) {
    if (application().ui().small_layout) {
      for (const PanelInfo& info : panels()) {
        if (info.workspace != Workspace::measure) continue;
        front(info.panel);
        shoot(fmt::format("{}_{}", state, info.id));
      }
      front(Panel::setup);
      return;
    }
    constexpr std::pair<Panel, Panel> kPairs[] = {{Panel::latency, Panel::tflops},  {Panel::compare, Panel::map},
                                                  {Panel::compare, Panel::scaling}, {Panel::log, Panel::samples},
                                                  {Panel::latency, Panel::lengths}, {Panel::latency, Panel::explore}};
    for (const auto& [table, chart] : kPairs) {
      front(chart);
      front(table);
      shoot(fmt::format("{}_{}_{}", state, panel_info(table).id, panel_info(chart).id));
    }
  }

 private:
  std::filesystem::path folder_;
  Variant variant_{};
  std::unique_ptr<Offscreen> offscreen_;
};

}  // namespace triscope::gallery
