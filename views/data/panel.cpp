#include "views/data/panel.hpp"

#include <algorithm>
#include <array>

namespace triscope {
namespace {

constexpr std::array kPanels{
    PanelInfo{Panel::latency, "latency", "Latency", "Every measurement of the shown sweep: time, rate, verdict, error"},
    PanelInfo{Panel::tflops, "tflops", "TFLOP/s", "Rate by window and kernel, with 95 % intervals"},
    PanelInfo{Panel::map, "map", "Window map", "w1 by w2: latency, rate or share of the peak"},
    PanelInfo{Panel::scaling, "scaling", "By area", "Latency against the window area w1 x w2, both logarithmic"},
    PanelInfo{Panel::lengths, "lengths", "Lengths",
              "Latency, rate and work by sequence length, and which windows cost the same as dot-product attention"},
    PanelInfo{Panel::samples, "samples", "Samples",
              "Every sample of the selected measurement over time, and their distribution"},
    PanelInfo{Panel::explore, "explore", "Explore",
              "Any value of all measurements of the database over any other, filtered and grouped"},
    PanelInfo{Panel::compare, "compare", "Compare",
              "Two or more sweeps, row by row, and what else differs between them"},
    PanelInfo{Panel::paper, "paper", "Paper", "The paper's Table 1 beside what this machine does, and its pages",
              Workspace::paper},
    PanelInfo{Panel::details, "details", "Details", "The selected measurement: samples, launch, provenance, note"},
    PanelInfo{Panel::setup, "setup", "Sweep setup", "What the next sweep measures"},
    PanelInfo{Panel::history, "history", "History", "The sweeps of this database"},
    PanelInfo{Panel::queue, "queue", "Queue", "What is measured now, with its intervals, and what comes next"},
    PanelInfo{Panel::log, "log", "Log", "What the program did, newest last"},
    PanelInfo{Panel::attention, "attention", "Attention",
              "Inside the attention tensor: which pairs of tokens a query attends to", Workspace::attention},
    PanelInfo{Panel::mean, "mean", "Mean over queries",
              "The map of the head that Attention shows, as the mean over its queries, by distance",
              Workspace::attention},
};
static_assert(is_by_panel(kPanels));

constexpr std::array kWorkspaces{
    WorkspaceInfo{Workspace::measure, "Measure", "Latency and rates of the kernels (M)", Panel::count},
    WorkspaceInfo{Workspace::attention, "Attention", "Inside the attention tensor (A)", Panel::attention},
    WorkspaceInfo{Workspace::paper, "Paper",
                  "\"Fast and Simplex: 2-Simplicial Attention in Triton\": its tables, tiles and algorithms (7). "
                  "A figure for a paper of your own: Copy / Save above each chart.",
                  Panel::paper},
};
static_assert(kWorkspaces.size() == static_cast<std::size_t>(Workspace::count));
static_assert(std::ranges::all_of(kWorkspaces, [](const WorkspaceInfo& info) {
  return &info == &kWorkspaces[static_cast<std::size_t>(info.workspace)];
}));

}  // namespace

std::span<const PanelInfo> panels() { return kPanels; }

const PanelInfo& panel_info(Panel panel) { return kPanels[static_cast<std::size_t>(panel)]; }

std::span<const WorkspaceInfo> workspaces() { return kWorkspaces; }

const WorkspaceInfo& workspace_info(Workspace workspace) { return kWorkspaces[static_cast<std::size_t>(workspace)]; }

const PanelInfo* find_panel(std::string_view id) {
  const auto found = std::find_if(kPanels.begin(), kPanels.end(), [&](const PanelInfo& info) { return id == info.id; });
  return found == kPanels.end() ? nullptr : &*found;
}

}  // namespace triscope
