#include "views/data/command.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace triscope {
namespace {

constexpr std::array kPanels{
    PanelInfo{Panel::latency, "latency", "Latency", "Every measurement of the shown sweep: time, rate, verdict, error"},
    PanelInfo{Panel::tflops, "tflops", "TFLOP/s", "Rate by window and kernel, with 95 % intervals"},
    PanelInfo{Panel::map, "map", "Window map", "w1 by w2: latency, rate or share of the peak"},
    PanelInfo{Panel::scaling, "scaling", "Scaling", "Latency against the window area w1 x w2, both logarithmic"},
    PanelInfo{Panel::lengths, "lengths", "Lengths",
              "Latency and work by sequence length, where windows and dot-product attention cross"},
    PanelInfo{Panel::samples, "samples", "Samples",
              "Every sample of the selected measurement over time, and their distribution"},
    PanelInfo{Panel::compare, "compare", "Compare",
              "Two or more sweeps, row by row, and what else differs between them"},
    PanelInfo{Panel::paper, "paper", "Paper", "The paper's Table 1 beside what this machine does"},
    PanelInfo{Panel::details, "details", "Details", "The selected measurement: samples, launch, provenance, note"},
    PanelInfo{Panel::setup, "setup", "Sweep setup", "What the next sweep measures"},
    PanelInfo{Panel::history, "history", "History", "The sweeps of this database"},
    PanelInfo{Panel::log, "log", "Log", "What the program did, newest last"},
    PanelInfo{Panel::attention, "attention", "Attention",
              "Inside the attention tensor: which pairs of tokens a query attends to"},
};

constexpr std::int64_t number_of(Panel panel) { return static_cast<std::int64_t>(panel); }

constexpr std::array kCommands{
    Command{CommandId::open_database, "File", "Open database...", "Ctrl+O",
            "Open a database of measurements; dropping the file on the window does the same"},
    Command{CommandId::open_recorded, "File", "Open the recorded H200 database", "",
            "Look at measurements that were recorded on an H200"},
    Command{CommandId::import_database, "File", "Import database...", "",
            "Copy the sweeps of another database into this one"},
    Command{CommandId::save_table, "File", "Save table as CSV...", "Ctrl+S",
            "Write the latency table as it is filtered and sorted to a CSV file"},
    Command{CommandId::save_chart, "File", "Save chart as PNG...", "Ctrl+Shift+S",
            "Write the chart in front to a PNG file, at three times its size"},
    Command{CommandId::save_slice, "File", "Save attention slice...", "",
            "Write the slice of the attention panel as .npy, .csv or .png"},
    Command{CommandId::save_window_picture, "File", "Save picture of the window...", "",
            "Write what the window shows to a PNG file"},
    Command{CommandId::quit, "File", "Quit", "Ctrl+Q",
            "Close the window; a running sweep stops after its current sample and can be resumed"},

    Command{CommandId::undo, "Edit", "Undo", "Ctrl+Z",
            "Bring back the sweep that was deleted last, or the layout before it was reset"},
    Command{CommandId::copy_table, "Edit", "Copy table", "Ctrl+C",
            "Copy the latency table as tab-separated text, ready for a spreadsheet"},
    Command{CommandId::copy_markdown, "Edit", "Copy table as Markdown", "",
            "Copy the latency table as a Markdown table"},
    Command{CommandId::copy_csv, "Edit", "Copy table as CSV", "", "Copy the latency table as comma-separated values"},
    Command{CommandId::copy_latex, "Edit", "Copy table as LaTeX", "", "Copy the latency table as a LaTeX tabular"},
    Command{CommandId::copy_chart, "Edit", "Copy chart as image", "Ctrl+Shift+C",
            "Copy the chart in front as an image"},
    Command{CommandId::copy_chart_data, "Edit", "Copy chart data", "",
            "Copy the numbers of the chart in front as tab-separated text"},
    Command{CommandId::filter, "Edit", "Filter the table", "Ctrl+F", "Show only rows that contain a text"},
    Command{CommandId::unpin, "Edit", "Clear the selection", "Esc", "Unpin the selected measurement"},
    Command{CommandId::settings, "Edit", "Settings...", "Ctrl+,", "Theme, interface scale, verdict tolerance"},

    Command{CommandId::palette, "View", "Find a command...", "Ctrl+Shift+P", "Type a few letters of any command"},
    Command{CommandId::show_panel, "View", "Latency", "1", "Show the latency table", number_of(Panel::latency)},
    Command{CommandId::show_panel, "View", "TFLOP/s", "2", "Show the rate chart", number_of(Panel::tflops)},
    Command{CommandId::show_panel, "View", "Window map", "3", "Show the w1 x w2 map", number_of(Panel::map)},
    Command{CommandId::show_panel, "View", "Scaling", "4", "Show latency against window area",
            number_of(Panel::scaling)},
    Command{CommandId::show_panel, "View", "Lengths", "N", "Show latency and work by sequence length",
            number_of(Panel::lengths)},
    Command{CommandId::show_panel, "View", "Samples", "5", "Show the samples of the selected measurement",
            number_of(Panel::samples)},
    Command{CommandId::show_panel, "View", "Compare", "6", "Show the comparison of sweeps", number_of(Panel::compare)},
    Command{CommandId::show_panel, "View", "Paper", "7", "Show the paper's Table 1", number_of(Panel::paper)},
    Command{CommandId::show_panel, "View", "Details", "8", "Show the selected measurement", number_of(Panel::details)},
    Command{CommandId::show_panel, "View", "Sweep setup", "9", "Show what the next sweep measures",
            number_of(Panel::setup)},
    Command{CommandId::show_panel, "View", "History", "0", "Show the sweeps of the database",
            number_of(Panel::history)},
    Command{CommandId::show_panel, "View", "Log", "L", "Show the log", number_of(Panel::log)},
    Command{CommandId::show_panel, "View", "Attention", "A", "Look inside the attention tensor",
            number_of(Panel::attention)},
    Command{CommandId::show_measurements, "View", "Measurements", "M", "Back to the measurements"},
    Command{CommandId::fit_charts, "View", "Fit charts", "F", "Zoom every chart to its data"},
    Command{CommandId::toggle_theme, "View", "Light or dark", "Ctrl+T", "Switch between the light and the dark theme"},
    Command{CommandId::scale_up, "View", "Larger", "Ctrl++", "Scale the interface up"},
    Command{CommandId::scale_down, "View", "Smaller", "Ctrl+-", "Scale the interface down"},
    Command{CommandId::scale_reset, "View", "Normal size", "Ctrl+0", "Scale the interface to 100 %"},
    Command{CommandId::reset_layout, "View", "Reset layout", "", "Put every panel back to its first place"},

    Command{CommandId::run, "Sweep", "Run", "F5", "Measure what the sweep setup says"},
    Command{CommandId::stop, "Sweep", "Stop", "Shift+F5", "Stop after the current sample; everything measured is kept"},
    Command{CommandId::resume, "Sweep", "Resume", "Ctrl+F5", "Continue the shown sweep where it stopped"},
    Command{CommandId::set_baseline, "Sweep", "Set as baseline", "B", "Judge other sweeps against the shown one"},
    Command{CommandId::clear_baseline, "Sweep", "Clear baseline", "", "Judge against nothing"},
    Command{CommandId::compare, "Sweep", "Compare with the baseline", "C", "Put the shown sweep beside the baseline"},
    Command{CommandId::star, "Sweep", "Star", "S", "Mark the shown sweep, or take the mark away"},
    Command{CommandId::delete_sweep, "Sweep", "Delete sweep...", "",
            "Delete the shown sweep and its samples; asks once"},

    Command{CommandId::help, "Help", "Keyboard and commands", "?", "List every command with its key"},
    Command{CommandId::licences, "Help", "Third-party parts and licences", "",
            "What of others is inside or measured beside, its versions and licences, and how to get the baselines"},
};

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool letters_in_order(std::string_view text, std::string_view letters) {
  std::size_t found = 0;
  for (char c : text) {
    if (found < letters.size() && c == letters[found]) ++found;
  }
  return found == letters.size();
}

/// Lower is better; negative = no match.
int rank(const Command& command, const std::string& query) {
  const std::string label = lowered(command.label);
  if (label.starts_with(query)) return 0;
  if (label.find(" " + query) != std::string::npos) return 1;
  if (label.find(query) != std::string::npos) return 2;
  if (lowered(command.menu).starts_with(query)) return 3;
  if (lowered(command.help).find(query) != std::string::npos) return 4;
  if (!letters_in_order(label, query)) return -1;
  return label.front() == query.front() ? 5 : 6;
}

}  // namespace

std::span<const PanelInfo> panels() { return kPanels; }

const PanelInfo& panel_info(Panel panel) { return kPanels[static_cast<std::size_t>(panel)]; }

const PanelInfo* find_panel(std::string_view id) {
  const auto found = std::find_if(kPanels.begin(), kPanels.end(), [&](const PanelInfo& info) { return id == info.id; });
  return found == kPanels.end() ? nullptr : &*found;
}

std::span<const Command> commands() { return kCommands; }

const Command* find_command(CommandId id, std::int64_t number) {
  const auto found = std::find_if(kCommands.begin(), kCommands.end(),
                                  [&](const Command& command) { return command.id == id && command.number == number; });
  return found == kCommands.end() ? nullptr : &*found;
}

std::vector<const Command*> search_commands(std::string_view query) {
  const std::string wanted = lowered(query);
  std::vector<std::pair<int, const Command*>> ranked;
  for (const Command& command : kCommands) {
    const int value = wanted.empty() ? 0 : rank(command, wanted);
    if (value >= 0) ranked.emplace_back(value, &command);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Command*> result;
  for (const auto& [value, command] : ranked) result.push_back(command);
  return result;
}

Shortcut parse_shortcut(std::string_view text) {
  Shortcut shortcut;
  const auto take = [&](std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
  };
  for (bool more = true; more;) {
    more = false;
    if (take("Ctrl+")) shortcut.ctrl = more = true;
    if (take("Shift+")) shortcut.shift = more = true;
    if (take("Alt+")) shortcut.alt = more = true;
  }
  shortcut.key = text;
  return shortcut;
}

}  // namespace triscope
