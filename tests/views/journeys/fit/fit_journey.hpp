// What the journeys about windows of 1280 x 800 share.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/paths.hpp"
#include "tests/views/journeys/attention_journey.hpp"

namespace triscope::fixture {

inline const std::string kFitted = recorded_file();

/// Of a machine with a GPU, or of one without: as many kernels as the product has.
inline std::shared_ptr<const Catalog> machine(bool gpu) {
  auto catalog = std::make_shared<Catalog>();
  Device cpu;
  cpu.id = "cpu";
  cpu.name = "AMD EPYC 9555 64-Core Processor";
  if (gpu) {
    Device first;
    first.id = "0";
    first.kind = DeviceKind::cuda;
    first.name = "NVIDIA H200";
    catalog->devices.push_back(first);
  }
  catalog->devices.push_back(cpu);
  for (const char* id : {"cpu.fast", "cpu.two_stage", "baseline.cpu", "cuda.hopper", "cuda.portable", "baseline.fa3",
                         "baseline.cudnn", "baseline.cublas"}) {
    KernelInfo kernel;
    kernel.id = kernel.name = id;
    kernel.card = card_of(id);
    kernel.device = kernel.id.starts_with("cpu.") || kernel.id == "baseline.cpu" ? DeviceKind::cpu : DeviceKind::cuda;
    catalog->kernels.push_back(kernel);
  }
  return catalog;
}

inline const ImGuiWindow* child_of(const char* panel, const char* name) {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const std::string_view full(window->Name);
    if (window->Active && full.find(panel) != std::string_view::npos && full.find(name) != std::string_view::npos)
      return window;
  }
  return nullptr;
}

inline const ImGuiTable* table_of(const std::vector<LatencyColumn>& columns) {
  return ImGui::TableFindByID(ImGui::FindWindowByName("###latency")->GetID(latency_table_name(columns).c_str()));
}

class Fit : public AttentionJourney {
 protected:
  /// A window of 1280 x 800 on a database.
  void open_small(const std::filesystem::path& database) { window->start(database, 1280, 800); }
  static std::vector<LatencyColumn> columns() { return latency_columns(*app().models().latency(data())); }
  /// The shown sweep beside another one, in a window at 200 %.
  static void compare_twice_as_large(ImGuiTestContext* c) {
    const auto other = std::ranges::find_if(
        data().sweeps, [](const SweepInfo& sweep) { return sweep.id != ui().selection.shown_sweep; });
    app().carry_out(ask::Compare{other->id});
    wait(c);
    ui().settings.scale = 2;
    c->Yield(6);
  }
};

}  // namespace triscope::fixture
