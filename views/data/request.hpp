// What a panel, a menu or a key can ask of the application: one type a request, with what it needs to be carried out.
// The application has one handler for each (app/window/application_requests.cpp): without it nothing compiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiler/explore/versions.hpp"
#include "profiler/export/film_queries.hpp"
#include "profiler/export/text_table.hpp"
#include "views/data/attention_state.hpp"
#include "views/data/notice_id.hpp"
#include "views/data/panel.hpp"
#include "views/data/print_style.hpp"

namespace triscope {

/// What the chart by sequence length shows.
enum class LengthView { latency, rate, counted, budget };

namespace ask {

// Requests for a file. Without one the window asks for it, and the answer is the same request with `file`.
struct OpenDatabase {
  std::string file;
};
struct ImportDatabase {
  std::string file;
};
struct SaveDatabaseCopy {
  std::string file;
};
struct SaveTable {
  std::string file;
};
struct SaveChart {
  std::optional<Panel> panel;  ///< unset: the chart in front
  std::string file;
  std::optional<std::string> title{}, caption{};  ///< of a picture for print; unset: the chart's own, empty: none
  std::optional<PrintSize> size{};                ///< unset: as it was set last
  std::vector<std::string> also{};                ///< other endings, in which the same is saved beside it: ".svg"
};
struct SaveChartData {
  std::optional<Panel> panel;  ///< unset: the chart in front
  std::string file;
};
struct SaveSlice {
  std::string file;
};
struct SaveFilm {
  std::string file;                      ///< a folder
  std::optional<FilmQueries> queries{};  ///< unset: proposed in the question for the folder
};
struct SaveWindowPicture {
  std::string file;
};
struct ChooseTensors {
  std::string file;
};
struct ChooseLabels {
  std::string file;
};
struct OpenLosses {
  std::string file;
};
struct CompareDatabase {
  std::string file;  ///< a sweep of it becomes what the compared sweeps are judged against
};
struct ExploreDatabase {
  std::string file;  ///< whose measurements stand beside those of the open one in Explore
};

struct OpenKernel {
  std::string file;  ///< a library that exports triscope/attention.h, whose kernels are measured beside the others
};

// Files without a question, and the clipboard.
struct OpenRecorded {};
struct ListFolder {
  std::string folder;  ///< "~/runs/", as typed
};
struct CopyTable {
  TableFormat format = TableFormat::tsv;
};
struct CopyChart {
  std::optional<Panel> panel;  ///< unset: the chart in front
};
struct CopyPanelData {
  std::optional<Panel> panel;  ///< unset: the chart in front
};
struct CopyText {
  std::string text;
};

// Measuring.
struct Run {
  bool sure = false;  ///< asked already whether it may take so long, or so much memory
};
struct Stop {};
struct Resume {
  std::int64_t sweep = 0;     ///< 0: the shown one
  std::string worker_prefix;  ///< as it was typed, where one was asked for
};
struct SkipGroup {
  std::size_t group = 0;  ///< of the queue of the sweep that is measured: this and what follows of the same rows
};
struct MoveGroup {
  std::ptrdiff_t by = 0;             ///< places later in the queue; negative: earlier
  std::optional<std::size_t> group;  ///< unset: the one that is selected in the queue
};
struct MeasureAgain {
  std::int64_t measurement = 0;  ///< 0: the selected one
};
struct MeasureLonger {
  std::optional<std::size_t> group;  ///< of the queue; unset: the one selected there, else the selected rows
};
struct MeasureUnclear {};  ///< rows of the shown sweep
struct PreviewPlan {};     ///< the setup form has changed

// What is shown and compared.
struct ShowSweep {
  std::int64_t sweep = 0;  ///< 0: the newest one
};
struct SetBaseline {
  std::int64_t sweep = 0;  ///< 0: the shown one; the one that is the baseline already: none
};
struct ClearBaseline {};
struct SetReference {
  std::string
      text;  ///< what rows stand beside: a kernel, "row:12", "sweep:5", "database:FILE", "paper", "auto", "none"
};
struct PinReference {
  std::int64_t measurement = 0;  ///< that all others stand beside, 0: the selected one; the one that is it: no longer
};
struct Compare {
  std::int64_t sweep = 0;  ///< 0: the shown one
};
struct CompareBefore {};       ///< the shown sweep with the one before it
struct LeaveOtherDatabase {};  ///< the compared sweeps are judged against the first of them again
struct CompareVersions {
  VersionChoice choice;  ///< without a kernel: the newest change that was measured before and after
};
struct LeaveVersions {};  ///< back to the compared sweeps
struct SelectMeasurement {
  std::int64_t measurement = 0;  ///< 0, or the one that is selected already: none
  std::int64_t sweep = 0;        ///< that is shown then; 0: the one that is shown now
  bool beside = false;           ///< it is added to what is selected, or taken out of it
};
struct SelectMeasurements {
  std::vector<std::int64_t> measurements;  ///< all that are selected then, the first one first
  std::int64_t sweep = 0;                  ///< that is shown then; 0: the one that is shown now
};
struct ClearSelection {};

// What the database keeps.
struct Star {
  std::int64_t sweep = 0;  ///< 0: the shown one
};
/// What it does to a sweep.
inline const char* star_label(bool starred) { return starred ? "Remove star" : "Star"; }
struct AskToDelete {
  std::int64_t sweep = 0;  ///< 0: the shown one
};
struct DeleteSweep {
  explicit DeleteSweep(std::int64_t which) : sweep(which) {}
  std::int64_t sweep;  ///< its id; none stands for the shown one
};
struct NoteSweep {
  std::int64_t sweep = 0;  ///< 0: the shown one
  std::string note;
};
struct NoteMeasurement {
  std::int64_t measurement = 0;  ///< its id
  std::string note;
};

// The window itself.
struct ShowPanel {
  Panel panel = Panel::latency;
  std::string page{};  ///< of the paper, by its id; empty: the one that was shown last
};
struct ShowMeasurements {};
struct FilterTable {
  std::string text{};  ///< empty: what stands there stays, to be typed over
};
struct FitCharts {};
struct InspectAgain {};  ///< what failed or was stopped in the attention panel
struct OpenTensors {};   ///< the attention panel's question for what to look at
/// The chart by sequence length, with what is named here; the rest stays as it is.
struct ShowLengths {
  std::optional<LengthView> view;
  std::optional<Pass> pass{};
  bool step = false;  ///< both passes together
};
/// The form of the next sweep was filled: says so, and can bring back `UiState::form_before`.
struct OfferFormBack {
  std::string text;
};
struct ShowMaps {
  AttentionShow show = AttentionShow::one;  ///< in the attention panel
};
struct FindTriples {};  ///< as the attention panel is set
struct StopSearch {};
struct StopFilm {};
struct StopMeans {};
struct ToggleTheme {};
struct ScaleUp {};
struct ScaleDown {};
struct ScaleReset {};
struct ResetLayout {};
struct Undo {};
struct OpenPalette {};
struct OpenHelp {};
struct OpenDocument {
  std::string page;     ///< "method.md"
  std::string heading;  ///< where it begins to be shown; empty: its top
};
struct OpenLicences {};
struct OpenSettings {};
struct DismissNotice {
  NoticeId id;
};
struct Quit {};

}  // namespace ask

using FileRequest =
    std::variant<ask::OpenDatabase, ask::ImportDatabase, ask::SaveDatabaseCopy, ask::SaveTable, ask::SaveChart,
                 ask::SaveChartData, ask::SaveSlice, ask::SaveFilm, ask::SaveWindowPicture, ask::ChooseTensors,
                 ask::ChooseLabels, ask::OpenLosses, ask::CompareDatabase, ask::ExploreDatabase, ask::OpenKernel>;

using Request =
    std::variant<FileRequest, ask::OpenRecorded, ask::ListFolder, ask::CopyTable, ask::CopyChart, ask::CopyPanelData,
                 ask::CopyText, ask::Run, ask::Stop, ask::Resume, ask::SkipGroup, ask::MoveGroup, ask::MeasureAgain,
                 ask::MeasureLonger, ask::MeasureUnclear, ask::PreviewPlan, ask::ShowSweep, ask::SetBaseline,
                 ask::ClearBaseline, ask::SetReference, ask::PinReference, ask::Compare, ask::CompareBefore,
                 ask::LeaveOtherDatabase, ask::CompareVersions, ask::LeaveVersions, ask::SelectMeasurement,
                 ask::SelectMeasurements, ask::ClearSelection, ask::Star, ask::AskToDelete, ask::DeleteSweep,
                 ask::NoteSweep, ask::NoteMeasurement, ask::ShowPanel, ask::ShowMeasurements, ask::ShowLengths,
                 ask::OfferFormBack, ask::FilterTable, ask::FitCharts, ask::InspectAgain, ask::OpenTensors,
                 ask::ShowMaps, ask::FindTriples, ask::StopSearch, ask::StopFilm, ask::StopMeans, ask::ToggleTheme,
                 ask::ScaleUp, ask::ScaleDown, ask::ScaleReset, ask::ResetLayout, ask::Undo, ask::OpenPalette,
                 ask::OpenHelp, ask::OpenDocument, ask::OpenLicences, ask::OpenSettings, ask::DismissNotice, ask::Quit>;

}  // namespace triscope
