// What each request does.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/window/application.hpp"
#include "app/window/files/folder_listing.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/figure_words.hpp"
#include "views/model/attention/film_choice.hpp"

namespace triscope {
namespace {

constexpr float kScaleStep = 0.1F;
/// In which a text field that was asked for gets the keyboard: a panel comes to the front, then its field.
constexpr int kFramesToField = 8;

/// What a request for a file proposes, and does with one.
struct FileAction {
  std::string proposal;
  std::function<void(const std::filesystem::path&)> act;
};

Panel or_front(std::optional<Panel> panel, const UiState& ui) {
  const Panel alone = workspace_info(ui.workspace).panel;
  return panel.value_or(alone == Panel::count ? ui.chart_in_front() : alone);
}

}  // namespace

/// What each request for a file does. One without an action here does not compile.
struct Application::FileActions {
  Application& a;

  /// Fixes the panel of a request: the chart in front is that of now, not of when the path is known.
  Panel fix(std::optional<Panel>& panel) const { return panel.emplace(or_front(panel, a.ui_)); }
  std::string named(Panel panel, const char* ending) const {
    std::string name = panel_info(panel).id;
    if (panel == Panel::attention) name = picture_name(a.ui_.attention);
    if (panel == Panel::mean) name = mean_picture_name(a.ui_.attention);
    if (panel == Panel::paper) name.append("_").append(paper_page_id(a.ui_.paper.page));
    if (panel == Panel::explore && a.data_.explore.chart)
      name = file_name_of(explore_picture_title(*a.data_.explore.chart));
    return a.files_.proposed_path(name + ending);
  }
  /// From what was chosen before, or from the tensors.
  std::string beside_tensors(const std::string& chosen) const {
    return chosen.empty() ? folder_of(a.ui_.attention.draft.source.file) : chosen;
  }
  FileAction save_table(std::string proposal, Panel panel) const {
    return {std::move(proposal), [&app = a, panel](const auto& file) {
              app.files_.save_text(file, write_table(app.text_of(panel), TableFormat::csv));
            }};
  }

  FileAction operator()(const ask::OpenDatabase&) const {
    return {a.ui_.settings.last_database, [&database = a.database_](const auto& file) { database.open(file); }};
  }
  FileAction operator()(const ask::ImportDatabase&) const {
    return {a.files_.database_folder(), [&database = a.database_](const auto& file) { database.import(file); }};
  }
  FileAction operator()(const ask::SaveDatabaseCopy&) const {
    return {a.files_.proposed_path("saved.db"),
            [&database = a.database_](const auto& file) { database.save_copy(file); }};
  }
  FileAction operator()(const ask::SaveTable&) const {
    return save_table(a.files_.proposed_path("latency.csv"), Panel::latency);
  }
  FileAction operator()(ask::SaveChart& request) const {
    const Panel panel = fix(request.panel);
    const std::string ending =
        has_vectors(panel) ? a.ui_.settings.chart_endings.front() : std::string(kChartEndings.front());
    return {named(panel, ending.c_str()), [&app = a, request](const auto& file) { app.save_chart(request, file); }};
  }
  FileAction operator()(ask::SaveChartData& request) const {
    const Panel panel = fix(request.panel);
    return save_table(named(panel, ".csv"), panel);
  }
  FileAction operator()(const ask::SaveSlice&) const {
    return {a.files_.proposed_path("slice.npy"), [&app = a](const auto& file) {
              app.files_.save(file, app.attention_.slice_writer(file, app.models_.attention(), app.look().theme));
            }};
  }
  FileAction operator()(ask::SaveFilm& request) const {
    const AttentionUi& ui = a.ui_.attention;
    if (!request.queries) request.queries = proposed_film(ui, a.data_.attention);
    return {a.files_.proposed_path(fmt::format("film_head{}_query{}", ui.head, ui.query)),
            [&app = a, request](const auto& folder) {
              app.attention_.make_film(folder, *request.queries, app.models_.attention(), app.look().theme,
                                       [&app, request, folder](const std::string& why) {
                                         app.files_.ask(ask::SaveFilm{{}, request.queries}, folder.string());
                                         app.ui_.path.problem = why;
                                         app.ui_.path.refused = folder.string();
                                       });
            }};
  }
  FileAction operator()(const ask::SaveWindowPicture&) const {
    return {a.files_.proposed_path("triscope.png"), [&camera = a.camera_](const auto& file) {
              camera.order({1, {}, file});
            }};
  }
  FileAction operator()(const ask::ChooseTensors&) const {
    SourceDraft& draft = a.ui_.attention.draft;
    return {beside_tensors(draft.source.file), [&draft](const auto& file) { set_tensors(draft, file.string()); }};
  }
  FileAction operator()(const ask::ChooseLabels&) const {
    SourceDraft& draft = a.ui_.attention.draft;
    return {beside_tensors(draft.source.labels_file),
            [&draft](const auto& file) { draft.source.labels_file = file.string(); }};
  }
  FileAction operator()(const ask::CompareDatabase&) const {
    return {a.files_.database_folder(), [&app = a](const auto& file) { app.sweeps_.compare_with(file); }};
  }
  FileAction operator()(const ask::ExploreDatabase&) const {
    return {a.files_.database_folder(), [&app = a](const auto& file) { app.explore_.add(file); }};
  }
  FileAction operator()(const ask::OpenKernel&) const {
    const std::string& before = a.data_.library.file;
    return {before.empty() ? a.files_.proposed_path("") : before, [&app = a](const auto& file) {
              app.library_.open(file, [&app, file](const std::string& why) {
                app.files_.ask(ask::OpenKernel{}, file.string());
                app.ui_.path.problem = why;
                app.ui_.path.refused = file.string();
              });
            }};
  }
  FileAction operator()(const ask::OpenLosses&) const {
    const std::string& before = a.ui_.paper.losses.file;
    return {before.empty() ? a.files_.database_folder() : before, [&app = a](const auto& file) {
              app.files_.read_losses(file, [&losses = app.ui_.paper.losses, file](std::string text) {
                take_losses(losses, file.string(), std::move(text));
              });
            }};
  }
};

/// What each request does. One without a handler here does not compile.
struct Application::Handlers {
  Application& a;

  void copy(Panel panel, TableFormat format) const { a.files_.copy(a.text_of(panel), format, panel_info(panel).title); }

  void operator()(FileRequest request) const;
  void operator()(const ask::OpenRecorded&) const { a.database_.open_recorded(); }
  void operator()(const ask::ListFolder& request) const { a.files_.list(request.folder); }
  void operator()(const ask::CopyTable& request) const { copy(Panel::latency, request.format); }
  void operator()(const ask::CopyChart& request) const { a.camera_.order({3, or_front(request.panel, a.ui_), {}}); }
  void operator()(const ask::CopyPanelData& request) const { copy(or_front(request.panel, a.ui_), TableFormat::tsv); }
  void operator()(const ask::CopyText& request) const {
    ImGui::SetClipboardText(request.text.c_str());
    const auto characters = std::ranges::count_if(request.text, [](char c) { return (c & 0xC0) != 0x80; });
    a.messages_.log(Severity::info, fmt::format("Copied a text of {} characters.", characters));
  }

  void operator()(const ask::Run& request) const {
    const PlanPreview* preview = a.data_.preview.get();
    if (!request.sure && !preview && a.planner_.plans() && !a.data_.run.running) {
      a.run_waits_ = true;
      return a.messages_.notify(Severity::info, NoticeId::sweep,
                                "The sweep waits for its estimate, which is being made.");
    }
    a.end_wait();
    const Catalog* catalog = a.data_.machine.catalog.get();
    const bool asks = !request.sure && preview && !plan_warning(*preview, a.ui_.form, catalog).empty();
    if (asks) {
      a.ui_.run_asked = true;
    } else {
      a.sweep_.start();
    }
  }
  void operator()(const ask::Stop&) const { a.sweep_.stop(); }
  void operator()(const ask::Resume& request) const { a.sweep_.resume(request); }
  void operator()(const ask::SkipGroup& request) const { a.sweep_.skip(request.group); }
  void operator()(const ask::MoveGroup& request) const { a.sweep_.move(request); }
  void operator()(const ask::MeasureAgain& request) const { a.sweep_.measure_again(request); }
  void operator()(const ask::MeasureLonger& request) const { a.sweep_.measure_longer(request); }
  void operator()(const ask::MeasureUnclear&) const { a.sweep_.measure_unclear(); }
  void operator()(const ask::PreviewPlan&) const {
    a.end_wait();  // another form than the one that was to be measured
    a.planner_.ask_preview();
  }

  void operator()(const ask::ShowSweep& request) const { a.sweeps_.show(request.sweep); }
  void operator()(const ask::SetBaseline& request) const { a.sweeps_.set_baseline(request.sweep); }
  void operator()(const ask::ClearBaseline&) const { a.sweeps_.clear_baseline(); }
  void operator()(const ask::SetReference& request) const { a.sweeps_.set_reference(request.text); }
  void operator()(const ask::PinReference& request) const { a.sweeps_.pin_reference(request.measurement); }
  void operator()(const ask::Compare& request) const { a.sweeps_.compare(request.sweep); }
  void operator()(const ask::CompareBefore&) const { a.sweeps_.compare_before(); }
  void operator()(const ask::LeaveOtherDatabase&) const { a.sweeps_.leave_other(); }
  void operator()(const ask::CompareVersions& request) const { a.sweeps_.compare_versions(request.choice); }
  void operator()(const ask::LeaveVersions&) const { a.sweeps_.leave_versions(); }
  void operator()(const ask::SelectMeasurement& request) const {
    if (request.beside) return a.sweeps_.select_beside(request.measurement, request.sweep);
    a.sweeps_.select(request.measurement, request.sweep);
  }
  void operator()(const ask::SelectMeasurements& request) const {
    a.sweeps_.select_all(request.measurements, request.sweep);
  }
  void operator()(const ask::ClearSelection&) const {
    if (a.ui_.workspace == Workspace::attention) return a.ui_.attention.pinned.reset();
    a.sweeps_.clear_selection();
  }
  void operator()(const ask::Star& request) const { a.sweeps_.star(request.sweep); }
  void operator()(const ask::AskToDelete& request) const { a.sweeps_.ask_to_delete(request.sweep); }
  void operator()(const ask::DeleteSweep& request) const { a.sweeps_.remove(request.sweep); }
  void operator()(const ask::NoteSweep& request) const { a.sweeps_.note(request.sweep, request.note); }
  void operator()(const ask::NoteMeasurement& request) const {
    a.sweeps_.note_measurement(request.measurement, request.note);
  }

  void operator()(const ask::ShowPanel& request) const {
    a.ui_.show(request.panel);
    if (request.panel == Panel::mean) {
      AttentionUi& ui = a.ui_.attention;
      ui.mean_of_queries = true;
      ui.search.open = false;
      ui.column = AttentionColumn::figures;
    }
    if (const auto page = find_paper_page(request.page)) a.ui_.paper.page = *page;
  }
  void operator()(const ask::ShowMeasurements&) const { a.ui_.workspace = Workspace::measure; }
  void operator()(const ask::ShowLengths& request) const {
    a.ui_.show(Panel::lengths);
    if (request.view) a.ui_.length_view = *request.view;
    if (request.pass) {
      a.ui_.length_pass = *request.pass;
      a.ui_.length_followed = a.ui_.selection.shown_sweep;
    }
    if (request.pass || request.step) a.ui_.length_step = request.step;
  }
  void operator()(const ask::OfferFormBack& request) const {
    a.undo_.offer(
        request.text,
        [&app = a, before = a.ui_.form_before] {
          app.ui_.form = before;
          app.carry_out(ask::PreviewPlan{});
        },
        [] {});
  }
  void operator()(const ask::FilterTable& request) const {
    a.ui_.show(Panel::latency);
    if (!request.text.empty()) a.ui_.table_filter = request.text;
    a.ui_.focus_filter = true;
    a.ui_.keys_wait = kFramesToField;
  }
  void operator()(const ask::FitCharts&) const {
    a.ui_.fit_charts = true;
    a.ui_.attention.part.reset();
  }
  void operator()(const ask::InspectAgain&) const { a.attention_.ask_again(); }
  void operator()(const ask::OpenTensors&) const {
    a.ui_.show(Panel::attention);
    open_draft(a.ui_.attention, 0);
    a.ui_.attention.draft.source.kind = SourceKind::file;
  }
  void operator()(const ask::ShowMaps& request) const {
    a.ui_.show(Panel::attention);
    a.ui_.attention.show = request.show;
  }
  void operator()(const ask::FindTriples&) const {
    a.ui_.show(Panel::attention);
    a.attention_.find_triples();
  }
  void operator()(const ask::StopSearch&) const { a.attention_.stop_search(); }
  void operator()(const ask::StopFilm&) const { a.attention_.stop_film(); }
  void operator()(const ask::StopMeans&) const { a.attention_.stop_means(); }
  void operator()(const ask::ToggleTheme&) const { a.appearance_.toggle_theme(); }
  void operator()(const ask::ScaleUp&) const { a.appearance_.scale_by(kScaleStep); }
  void operator()(const ask::ScaleDown&) const { a.appearance_.scale_by(-kScaleStep); }
  void operator()(const ask::ScaleReset&) const { a.appearance_.scale_to(1); }
  void operator()(const ask::ResetLayout&) const { a.appearance_.reset_layout(); }
  void operator()(const ask::Undo&) const { a.undo_.take_back(); }
  void operator()(const ask::OpenPalette&) const {
    a.ui_.palette_open = true;
    a.ui_.keys_wait = kFramesToField;
  }
  void operator()(const ask::OpenHelp&) const { a.ui_.help_open = true; }
  void operator()(const ask::OpenDocument& request) const {
    a.ui_.document = request.page;
    a.ui_.document_heading = request.heading;
  }
  void operator()(const ask::OpenLicences&) const { a.ui_.licences_open = true; }
  void operator()(const ask::OpenSettings&) const { a.ui_.settings_open = true; }
  void operator()(const ask::DismissNotice& request) const {
    if (request.id == NoticeId::recorded_offer) a.ui_.settings.offer_recorded = false;
    a.messages_.dismiss(request.id);
  }
  void operator()(const ask::Quit&) const { a.quit_ = true; }
};

void Application::Handlers::operator()(FileRequest request) const {
  const FileAction action = std::visit(FileActions{a}, request);
  const std::string file = std::visit([](const auto& one) { return one.file; }, request);
  if (file.empty()) {
    const auto* chart = std::get_if<ask::SaveChart>(&request);
    const bool of_panel = chart != nullptr && chart->panel.has_value();
    const Panel panel = of_panel ? *chart->panel : Panel{};  // the request is given away
    a.files_.ask(std::move(request), action.proposal);
    if (of_panel) a.draft_picture(panel);
  } else {
    action.act(expand_home(file));
  }
}

void Application::carry_out(const Request& request) { std::visit(Handlers{*this}, request); }

}  // namespace triscope
