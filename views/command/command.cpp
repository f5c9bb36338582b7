#include "views/command/command.hpp"

#include <algorithm>

#include "profiler/record/unusable_sweep.hpp"
#include "views/model/measure_more.hpp"

namespace triscope {
namespace {

using Data = WindowData;

bool always(const Data&, const UiState&) { return true; }
bool can_run(const Data& data, const UiState& ui) { return why_not_run(data, ui.form).empty(); }
bool can_stop(const Data& data, const UiState&) { return data.run.running && !data.run.stopping; }
bool can_resume(const Data& data, const UiState&) {
  return !data.run.running && !data.read_only && data.shown && data.shown->info.finished.empty() &&
         !data.shown->info.running && why_unusable(data.shown->info).empty();
}
bool can_measure_row_again(const Data& data, const UiState& ui) {
  return can_measure_again(data, data.run, ui.selection);
}
bool can_measure_rows_longer(const Data& data, const UiState& ui) {
  return can_measure_longer(data, data.run, ui.selection, ui.queue_group.has_value());
}
bool can_measure_unclear_rows(const Data& data, const UiState&) { return can_measure_unclear(data, data.run); }
bool can_move(const Data& data, const UiState& ui) {
  return ui.queue_group && std::ranges::find(data.run.live.waiting, *ui.queue_group) != data.run.live.waiting.end();
}
bool can_open_recorded(const Data& data, const UiState&) {
  return !data.recorded_database.empty() && data.database != data.recorded_database;
}
bool can_import(const Data& data, const UiState&) {
  return !data.read_only && !data.database.empty() && !data.run.running;
}
bool can_undo(const Data& data, const UiState&) { return data.can_undo; }
bool shows_sweep(const Data& data, const UiState&) { return data.shown != nullptr; }
bool shows_rows(const Data& data, const UiState&) { return data.shown && !data.shown->rows.empty(); }
bool has_baseline(const Data&, const UiState& ui) { return ui.selection.baseline_sweep != 0; }
bool selects_row(const Data&, const UiState& ui) { return ui.selection.pinned() > 0; }
bool can_compare(const Data&, const UiState& ui) {
  return ui.selection.baseline_sweep != 0 && ui.selection.baseline_sweep != ui.selection.shown_sweep;
}
bool has_before(const Data& data, const UiState&) { return sweep_before(data) != nullptr; }
bool can_star(const Data& data, const UiState&) { return data.shown && !data.read_only; }
bool can_delete(const Data& data, const UiState&) { return data.shown && !data.read_only && !data.shown->info.running; }
bool has_slice(const Data& data, const UiState&) { return data.attention.sides[0].slice != nullptr; }
bool can_search(const Data& data, const UiState& ui) { return has_slice(data, ui) && !data.run.running; }
bool can_film(const Data& data, const UiState& ui) { return can_search(data, ui) && !data.attention.film.running; }
bool has_selection(const Data&, const UiState& ui) {
  return ui.attention.pinned || ui.selection.pinned() != 0 || !ui.selection.compared.empty() ||
         !ui.selection.other_database.empty() || ui.selection.versions || ui.selection.reference.starts_with("row:");
}

// In the order of menus and palette.
const Command kCommands[] = {
    {ask::OpenDatabase{}, "File", "Open database...", "Ctrl+O",
     "Open a database of measurements; dropping the file on the window does the same", always},
    {ask::OpenRecorded{}, "File", "Open the recorded H200 database", "",
     "Look at measurements that were recorded on an H200", can_open_recorded},
    {ask::OpenTensors{}, "File", "Open tensors...", "",
     "Look inside the attention tensor of a .safetensors, .npz, .pt or .npy file", always, "attention checkpoint qkv"},
    {ask::OpenKernel{}, "File", "Open kernel...", "",
     "Measure the kernels of a library of yours beside the others, and again when its file changes", always,
     "plugin plug-in library so"},
    {ask::ImportDatabase{}, "File", "Import database...", "", "Copy the sweeps of another database into this one",
     can_import},
    {ask::SaveTable{}, "File", "Save table as CSV...", "Ctrl+S",
     "Write the latency table as it is filtered and sorted to a CSV file", shows_rows, "export"},
    {ask::SaveChart{}, "File", "Save chart as PNG, PDF or SVG...", "Ctrl+Shift+S",
     "Write the chart in front to a PNG file at three times its size, or to a PDF or SVG file for print", shows_rows,
     "figure export picture plot image publication width size height font caption paper"},
    {ask::SaveSlice{}, "File", "Save attention slice...", "",
     "Write the slice of the attention panel as .npy, .csv or .png", has_slice},
    {ask::SaveFilm{}, "File", "Save attention film...", "",
     "Write a walk through the queries as numbered PNG pictures, for a video", can_film, "scrub video png sequence"},
    {ask::SaveWindowPicture{}, "File", "Save picture of the window...", "", "Write what the window shows to a PNG file",
     always},
    {ask::Quit{}, "File", "Quit", "Ctrl+Q",
     "Close the window; a running sweep stops after its current sample and can be resumed", always},

    {ask::Undo{}, "Edit", "Undo", "Ctrl+Z",
     "Bring back the sweep that was deleted last, the layout before it was reset, or the setup before it was filled",
     can_undo},
    {ask::CopyTable{TableFormat::tsv}, "Edit", "Copy table", "Ctrl+C",
     "Copy the latency table as tab-separated text, ready for a spreadsheet", shows_rows},
    {ask::CopyTable{TableFormat::markdown}, "Edit", "Copy table as Markdown", "",
     "Copy the latency table as a Markdown table", shows_rows},
    {ask::CopyTable{TableFormat::csv}, "Edit", "Copy table as CSV", "",
     "Copy the latency table as comma-separated values", shows_rows},
    {ask::CopyTable{TableFormat::latex}, "Edit", "Copy table as LaTeX", "", "Copy the latency table as a LaTeX tabular",
     shows_rows},
    {ask::CopyChart{}, "Edit", "Copy chart as image", "Ctrl+Shift+C", "Copy the chart in front as an image", shows_rows,
     "figure export picture plot"},
    {ask::CopyPanelData{}, "Edit", "Copy chart data", "",
     "Copy the numbers of the chart in front as tab-separated text", shows_rows, "export figure"},
    {ask::FilterTable{}, "Edit", "Filter the table", "Ctrl+F", "Show only rows that contain a text", shows_rows},
    {ask::ClearSelection{}, "Edit", "Clear the selection", "Esc", "Unpin the selected measurement", has_selection},
    {ask::OpenSettings{}, "Edit", "Settings...", "Ctrl+,", "Theme, interface scale, verdict tolerance", always},

    {ask::OpenPalette{}, "View", "Find a command...", "Ctrl+Shift+P", "Type a few letters of any command", always},
    {ask::ShowPanel{Panel::latency}, "View", "Latency", "1", "Show the latency table", always},
    {ask::ShowPanel{Panel::tflops}, "View", "TFLOP/s", "2", "Show the rate chart", always},
    {ask::ShowPanel{Panel::map}, "View", "Window map", "3", "Show the w1 x w2 map", always},
    {ask::ShowPanel{Panel::scaling}, "View", "By area", "4", "Show latency against window area", always, "scaling"},
    {ask::ShowPanel{Panel::lengths}, "View", "Lengths", "N",
     "Show latency, rate, work and training steps by sequence length", always, "flops tflop/s rate"},
    {ask::ShowPanel{Panel::samples}, "View", "Samples", "5", "Show the samples of the selected measurement", always},
    {ask::ShowPanel{Panel::explore}, "View", "Explore", "E", "Any value of all measurements over any other", always},
    {ask::ShowPanel{Panel::compare}, "View", "Compare", "6",
     "Show the comparison of sweeps: what takes longer or shorter", always, "slower faster regression"},
    {ask::ShowPanel{Panel::paper}, "View", "Paper", "7", "The paper's tables, tiles and algorithms", always},
    {ask::ShowPanel{Panel::details}, "View", "Details", "8", "Show the selected measurement", always},
    {ask::ShowPanel{Panel::setup}, "View", "Sweep setup", "9", "Show what the next sweep measures", always},
    {ask::ShowPanel{Panel::history}, "View", "History", "0", "Show the sweeps of the database", always},
    {ask::ShowPanel{Panel::queue}, "View", "Queue", "Q", "Show what is measured now and what comes next", always},
    {ask::ShowPanel{Panel::log}, "View", "Log", "L", "Show the log", always},
    {ask::ShowPanel{Panel::attention}, "View", "Attention", "A", "Look inside the attention tensor", always},
    {ask::ShowMaps{AttentionShow::one}, "View", "Attention: one map", "", "One query and head of the attention tensor",
     has_slice},
    {ask::ShowMaps{AttentionShow::side_by_side}, "View", "Attention: side by side", "",
     "A beside B: another source, arithmetic or head", has_slice},
    {ask::ShowMaps{AttentionShow::difference}, "View", "Attention: difference", "",
     "The probabilities of A minus those of B", has_slice},
    {ask::ShowMaps{AttentionShow::grid}, "View", "Attention: grid of queries and heads", "",
     "Small maps with one zoom: queries down, heads across", has_slice},
    {ask::ShowPanel{Panel::mean}, "View", "Attention: mean over queries", "",
     "Where the shown head looks on average, by distance", has_slice},
    {ask::FindTriples{}, "View", "Attention: search all queries and heads", "",
     "List the strongest triples, as the search in the attention panel is set", can_search},
    {ask::ShowMeasurements{}, "View", "Measurements", "M", "Back to the measurements", always},
    {ask::FitCharts{}, "View", "Fit charts", "F", "Zoom every chart to its data", always},
    {ask::ToggleTheme{}, "View", "Light or dark", "Ctrl+T", "Switch between the light and the dark theme", always},
    {ask::ScaleUp{}, "View", "Larger", "Ctrl++", "Scale the interface up", always},
    {ask::ScaleDown{}, "View", "Smaller", "Ctrl+-", "Scale the interface down", always},
    {ask::ScaleReset{}, "View", "Normal size", "Ctrl+0", "Scale the interface to 100 %", always},
    {ask::ResetLayout{}, "View", "Reset layout", "", "Put every panel back in its first place", always},

    {ask::ShowLengths{LengthView::budget}, "Lengths", "Lengths: same cost", "",
     "Which pair of windows costs as much as dot-product attention at each length", always,
     "equal cost budget time area as much step time same time which windows cost the same pair"},
    {ask::ShowLengths{LengthView::latency}, "Lengths", "Lengths: latency", "",
     "Latency by sequence length, and where windows and dot-product attention cross", always, "crossing"},
    {ask::ShowLengths{LengthView::rate}, "Lengths", "Lengths: TFLOP/s", "", "Rates by sequence length", always},
    {ask::ShowLengths{LengthView::counted}, "Lengths", "Lengths: work", "", "FLOPs of a launch by sequence length",
     always},
    {ask::ShowLengths{{}, {}, true}, "Lengths", "Lengths: training step", "",
     "Forward and backward together by sequence length", always},
    {ask::ShowLengths{{}, Pass::forward}, "Lengths", "Lengths: forward", "", "The forward by sequence length", always},
    {ask::ShowLengths{{}, Pass::backward}, "Lengths", "Lengths: backward", "", "The backward by sequence length",
     always},

    {ask::Run{}, "Sweep", "Run", "F5", "Measure what the sweep setup says", can_run},
    {ask::Stop{}, "Sweep", "Stop", "Shift+F5", "Stop after the current sample; everything measured is kept", can_stop},
    {ask::Resume{}, "Sweep", "Resume", "Ctrl+F5", "Continue the shown sweep where it stopped", can_resume},
    {ask::MeasureAgain{}, "Sweep", "Measure the selected row again", "",
     "One more restart of the row and of what takes turns with it", can_measure_row_again},
    {ask::MeasureLonger{}, "Sweep", "Measure the selected rows longer", "Ctrl+M",
     "The budget of the rows, or of the group selected in the queue, once more: as many restarts as they were to have; "
     "x in the queue takes it back",
     can_measure_rows_longer, "budget double more samples narrow interval"},
    {ask::MeasureUnclear{}, "Sweep", "Measure unclear rows longer", "",
     "Up to three more restarts of the rows whose time beside the reference is unclear; then unclear stays",
     can_measure_unclear_rows},
    {ask::MoveGroup{-1, {}}, "Sweep", "Earlier in the queue", "Alt+Up",
     "Measure the rows that are selected in the queue earlier, within their restart", can_move},
    {ask::MoveGroup{1, {}}, "Sweep", "Later in the queue", "Alt+Down",
     "Measure the rows that are selected in the queue later, within their restart", can_move},
    {ask::SetBaseline{}, "Sweep", "Set as baseline", "B", "Judge other sweeps against the shown one", shows_sweep},
    {ask::PinReference{}, "Sweep", "Compare all with the selected row", "R",
     "Every time and rate stands beside that of the selected row; again: beside the usual reference", selects_row,
     "reference pin baseline", "a row"},
    {ask::ClearBaseline{}, "Sweep", "Clear baseline", "", "Stop comparing with a baseline", has_baseline},
    {ask::Compare{}, "Sweep", "Compare with the baseline", "C", "Put the shown sweep beside the baseline", can_compare,
     "regression slower", "another sweep as the baseline (B)"},
    {ask::CompareBefore{}, "Sweep", "Compare with the sweep before it", "",
     "Put the shown sweep beside the last one before it that measured something that it did", has_before,
     "regression slower previous", "an older sweep"},
    {ask::CompareVersions{}, "Sweep", "Compare two versions of a kernel...", "",
     "What was measured before and after a change of a kernel's source, whatever sweeps it stands in; slowest first",
     shows_sweep, "regression slower commit source hash change", "a sweep"},
    {ask::CompareDatabase{}, "Sweep", "Compare with another database...", "",
     "Judge the compared sweeps, or the shown one, against a sweep of another file", shows_rows, "regression slower"},
    {ask::Star{}, "Sweep", "Star", "Ctrl+D", "Mark the shown sweep, or take the mark away", can_star, "unstar remove"},
    {ask::AskToDelete{}, "Sweep", "Delete sweep...", "", "Delete the shown sweep and its samples; asks first",
     can_delete},

    {ask::OpenHelp{}, "Help", "Keyboard and commands", "?", "List every command with its key", always},
    {ask::OpenLicences{}, "Help", "Third-party parts and licences", "",
     "Third-party parts and baselines: versions, licences, and how to get the baselines", always},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

const char* label_now(const Command& command, const WindowData& data) {
  if (!std::holds_alternative<ask::Star>(command.request) || !data.shown) return command.label;
  const auto shown = std::ranges::find(data.sweeps, data.shown->info.id, &SweepInfo::id);
  return ask::star_label(shown != data.sweeps.end() && shown->starred);
}

}  // namespace triscope
