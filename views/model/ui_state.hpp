// What the user has set in the window: selection, form, texts in boxes, settings. Panels read and write it; nothing
// here belongs to the data.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "views/data/attention_state.hpp"
#include "views/data/number_text.hpp"
#include "views/data/request.hpp"
#include "views/model/charts/chart_model.hpp"
#include "views/model/charts/explore_chart.hpp"
#include "views/model/paper/paper_ui.hpp"
#include "views/model/selection.hpp"
#include "views/model/setup_model.hpp"

namespace triscope {

enum class ThemeChoice { system, dark, light };

/// Kept per user.
struct Settings {
  ThemeChoice theme = ThemeChoice::system;
  float scale = 1;           ///< on top of the monitor's, 0.75 to 3
  double tolerance = 0.005;  ///< of verdicts: what counts as the same
  std::string last_database;
  std::vector<std::string> recent_databases;
  std::vector<ExploreView> explore_views;          ///< that were saved, by name
  std::vector<std::string> explore_databases;      ///< whose measurements stand beside those of the open one in Explore
  PrintSize print_size;                            ///< of pictures for print
  std::vector<std::string> chart_endings{".png"};  ///< of the chart that was saved last, that of its path first
  bool offer_recorded = true;                      ///< at a start without a GPU; until it was opened or declined once
  std::array<bool, static_cast<std::size_t>(Panel::count)> visible = [] {
    std::array<bool, static_cast<std::size_t>(Panel::count)> all{};
    all.fill(true);
    return all;
  }();
};
inline constexpr float kSmallestScale = 0.75F, kLargestScale = 3;

/// Where a chart was drawn in the last frame, in logical pixels: what is saved as its picture.
struct Area {
  float x = 0, y = 0, width = 0, height = 0;
};

/// The words of a picture that is saved, as they are typed.
struct PictureDraft {
  Panel panel = Panel::count;
  PrintChoice own;                        ///< the chart's own words; empty ones: it has no picture for print
  std::string title, caption;             ///< empty: none
  std::optional<PrintChoice> measured{};  ///< what `height_cm` or `problem` is of
  const void* measured_of = nullptr;      ///< and of which data
  std::optional<ChartLimits> part{};      ///< and which part of a chart that is zoomed, as its own words; unset: all
  double height_cm = 0;                   ///< of the picture for print, with its words
  std::string problem{};                  ///< why there is no such picture; empty: it can be made
};

/// The question for a file.
struct PathDialog {
  std::optional<FileRequest> waiting;   ///< for the path; unset: nothing is asked
  std::string text;                     ///< in the field
  std::optional<std::string> listed;    ///< folder that was asked for last, as it was typed
  bool all_files = false;               ///< list more than the files that the request reads or writes
  std::optional<PictureDraft> picture;  ///< of a chart that is saved
  std::vector<std::string> also;        ///< endings of the same picture beside that of the path
  std::string problem;                  ///< why the file that was chosen before cannot be used
  std::string refused;                  ///< that file
};

/// The question for the command that runs the worker elsewhere, when a sweep is resumed that was measured that way:
/// what the database says of it is never run.
struct PrefixDialog {
  std::int64_t sweep = 0;  ///< that waits for the answer; 0: nothing is asked
  std::string text;        ///< in the field
  std::string problem{};   ///< why what was typed before is none
};

/// The setting that charts over windows show: what was chosen, until a row of another one is selected.
struct SettingChoice {
  std::string text;           ///< `ChartSetting::text`; where a sweep does not have it: the longest
  std::int64_t followed = 0;  ///< the selection that was followed last
};

struct ChartZoom {
  ChartLimits data{}, fitted{};  ///< of the data, and as the plot took them: others on the screen are the user's
  bool fit = true;               ///< in this frame
  bool asked = false;            ///< by a double click: in the next frame
};

/// A rectangle that is dragged in a chart to select what it touches.
struct BoxDrag {
  unsigned int chart = 0;  ///< its id
  bool add = false;        ///< to what is selected
};

/// A name or note as it is typed. It stays until the database has it.
struct TypedNote {
  std::int64_t of = 0;  ///< sweep or measurement
  std::string text;
  enum class State { typed, asked, written } state = State::typed;
  std::string problem{};  ///< why it is not in the database; empty: fine
};

/// A field of a chart's point, and its value as the chart names it.
struct NamedValue {
  std::string field, name;
};

/// What the Explore panel is set to.
struct ExploreUi {
  ExploreQuery query;                      ///< the last that could be asked
  std::string filter;                      ///< as it is typed
  std::string settled;                     ///< the last that matched something, and was no word that is being typed
  std::string view_name;                   ///< being typed
  bool in_view = false;                    ///< the panel was drawn in this frame
  std::vector<NamedValue> pointed;         ///< of what was clicked with the right button: its menu filters by these
  std::string written;                     ///< the filter that a click has written last
  std::vector<std::string> before_clicks;  ///< filters before each click since it was typed, the last click's last
};

struct UiState {
  Selection selection;
  Settings settings;
  SetupForm form, form_before;  ///< before it was filled by something else than its fields
  Workspace workspace = Workspace::measure;
  AttentionUi attention;
  PaperUi paper;
  ExploreUi explore;
  FieldTexts fields;  ///< of every panel

  std::optional<std::size_t> queue_group;  ///< that is selected in the queue
  std::string table_filter, history_filter, palette_text;
  TypedNote sweep_note;                    ///< in the history's menu
  TypedNote row_note;                      ///< in Details, of a measurement
  bool focus_filter = false;               ///< put the keyboard into the table's filter in this frame
  int keys_wait = 0;                       ///< frames that keys may wait for the field that was asked for
  std::string document, document_heading;  ///< page of the documentation that is open; empty: none
  bool palette_open = false, help_open = false, licences_open = false, settings_open = false;
  PathDialog path;
  PictureDraft last_picture;      ///< that was saved, or left in its question
  std::string last_picture_path;  ///< with its name, as it was typed
  PrefixDialog prefix;
  bool measure_changed_library = false;  ///< without being asked, when a library of kernels that is open has changed
  float pending_scale = 0;               ///< of the slider while it is held
  bool run_asked = false;                ///< whether to start so long or large a sweep awaits an answer
  std::int64_t delete_asked = 0;         ///< sweep whose deletion awaits an answer
  int palette_row = 0;

  /// The table as it stands: visible columns by id, and the sort.
  std::vector<std::string> visible_columns;
  std::string toggled_column;  ///< to be shown or hidden in this frame
  std::string sort_column;
  unsigned int sorted_table = 0;      ///< whose sort that is, by Dear ImGui's id; 0 = none was drawn
  std::int64_t history_followed = 0;  ///< the shown sweep that the history was scrolled to last
  std::int64_t table_followed = 0;    ///< the selection that the table was scrolled to last
  bool sort_descending = false;
  bool tiles_in_view = false;  ///< Details told in this frame what tiles compute
  /// Columns of a table to the right of what is seen.
  struct Beyond {
    int columns = 0;
    bool scroll_there = false;  ///< bring them into view in this frame
  } latency_beyond, compare_beyond;
  bool rates_resized = false;  ///< a person gave the rates their width

  /// The order of Compare's lines, made anew when the table or its sort changes.
  struct CompareOrder {
    std::uint64_t revision = ~std::uint64_t{0};
    std::optional<std::pair<unsigned int, bool>> sort;  ///< its column's id, and whether it is descending
    std::vector<std::size_t> lines;
  } compare_order;

  SettingChoice chart_setting;
  std::map<unsigned int, ChartZoom> chart_zooms;  ///< by the plot's id
  std::map<Panel, ChartLimits> zoomed;            ///< what a chart shows that a person has zoomed or moved
  MapMetric map_metric = MapMetric::tflops;
  std::optional<Series> map_series;  ///< that the map shows, as `chosen_series` finds it; unset: the first
  LengthView length_view = LengthView::latency;
  Pass length_pass = Pass::forward;
  std::set<std::string> lengths_left_out;  ///< labels of curves, by clicks in the legend; of every sweep and view
  bool length_words = false;               ///< where they have no room below the curves: its answers instead of them
  bool length_words_behind = false;        ///< they had none in the last frame, and a chip shows them
  bool length_step = false;                ///< both passes together, where both were measured
  std::string table_in_focus;              ///< as text: of the panel that has the keyboard, Ctrl+C copies it
  std::int64_t length_followed = 0;        ///< the shown sweep whose pass was taken over last
  /// What the answer of *Same cost* stands on that was clicked; one that stands on others is not it. Empty: none.
  std::vector<std::int64_t> length_chosen;
  std::string length_listed;          ///< which answers were listed last, and the chosen one: others begin at their top
  bool fit_charts = false;            ///< in this frame
  Panel focus = Panel::count;         ///< bring this panel to the front in this frame
  Panel front_chart = Panel::tflops;  ///< the chart that was used last
  std::map<Panel, Area> chart_areas;  ///< of the charts that are seen
  std::optional<BoxDrag> box_drag;
  int selecting_column = -1;  ///< of the table, in which a row was clicked last: its measurement is meant

  /// Rectangle being dragged in the window grid.
  bool dragging = false, drag_on = true;
  std::array<std::size_t, 2> drag_from{}, drag_to{};
  std::int64_t row_menu = 0;  ///< measurement that was clicked with the right button
  bool row_menu_asked = false;
  std::optional<Panel> tab_menu;  ///< whose tab was clicked with the right button
  bool pointer_moved = false;     ///< since the start: what rests under it before then was not pointed at
  bool printing = false;          ///< this frame is a picture of a panel: what can only be pressed is left out
  bool small_layout = false;      ///< panels stand as in a small window; meanwhile the usual layout is in `wide_layout`
  std::string wide_layout;        ///< as Dear ImGui keeps it; empty: the default one
  std::string layout_to_load;     ///< before the next frame
  float layout_scale = 0;         ///< of the last frame; 0 = there was none
  float layout_height = 0;        ///< that the panels shared in the last frame; 0 = what the layout itself says
  bool reset_layout = true;       ///< build the default dock layout in this frame
  int front_pending = 0;          ///< frames until the first tabs are brought to the front

  /// The chart that a menu means: of those that are seen the one that was used last. A chart behind another one's tab
  /// is not in front.
  Panel chart_in_front() const {
    if (chart_areas.contains(front_chart)) return front_chart;
    for (const Panel panel :
         {Panel::explore, Panel::lengths, Panel::scaling, Panel::tflops, Panel::samples, Panel::map, Panel::compare}) {
      if (chart_areas.contains(panel)) return panel;
    }
    return front_chart;
  }

  /// Brings a panel to the front.
  void show(Panel panel) {
    workspace = panel_info(panel).workspace;
    if (workspace != Workspace::measure) return;
    settings.visible[static_cast<std::size_t>(panel)] = true;
    focus = panel;
    if (panel == Panel::tflops || panel == Panel::map || panel == Panel::scaling || panel == Panel::lengths ||
        panel == Panel::samples || panel == Panel::explore || panel == Panel::compare)
      front_chart = panel;
  }
};

}  // namespace triscope
