#include "app/window/report/report.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/window/report/offscreen.hpp"
#include "app/window/report/told_error.hpp"
#include "app/window/report/usable_row.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "kernels/base/files/made_folder.hpp"
#include "kernels/base/files/output_file.hpp"
#include "profiler/paper/layers/measured_layer.hpp"
#include "profiler/report/paper_page.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"
#include "profiler/tiles/ask_tiles.hpp"
#include "views/model/charts/step_model.hpp"

namespace triscope {
namespace {

constexpr std::array kPictured{Panel::latency, Panel::tflops,  Panel::map,   Panel::scaling,
                               Panel::samples, Panel::compare, Panel::paper, Panel::details};
constexpr int kNarrowWidth = 380, kNarrowHeight = 1400;  ///< of Details, before it has its own height
struct Format {
  TableFormat format;
  const char* ending;
  FileKind kind;
};
constexpr std::array kFormats{Format{TableFormat::csv, ".csv", FileKind::csv},
                              Format{TableFormat::markdown, ".md", FileKind::markdown},
                              Format{TableFormat::latex, ".tex", FileKind::latex}};

/// Without the empty room below what was drawn; `margin` pixels of it stay.
Picture without_empty_room(Picture picture, int margin) {
  const std::size_t row = static_cast<std::size_t>(picture.width) * 3;
  const auto line = [&](int y) {
    return picture.rgb.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y) * row);
  };
  int last = picture.height - 1;
  while (last > 0 && std::equal(line(last), line(last) + static_cast<std::ptrdiff_t>(row), line(picture.height - 1)))
    --last;
  picture.height = std::min(picture.height, last + 1 + margin);
  picture.rgb.resize(static_cast<std::size_t>(picture.height) * row);
  return picture;
}

/// How many pixels of what was drawn last lie below the lower edge of their window.
float below_edge() {
  float most = 0;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->WasActive) most = std::max(most, window->ScrollMax.y);
  }
  return most;
}

/// The views of the chart by sequence length, each a picture of its own.
struct LengthPicture {
  const char* name;
  LengthView view;
  Pass pass;
};
constexpr std::array kLengthPictures{LengthPicture{"lengths", LengthView::latency, Pass::forward},
                                     LengthPicture{"lengths_backward", LengthView::latency, Pass::backward},
                                     LengthPicture{"lengths_flops", LengthView::counted, Pass::forward},
                                     LengthPicture{"lengths_budget", LengthView::budget, Pass::forward}};

ApplicationOptions application_options(const ReportOptions& options) {
  ApplicationOptions result;
  result.database = options.database;
  result.system_is_dark = !options.light;
  result.ask_machine = false;
  return result;
}

/// One database, drawn into memory, and the files made from it.
class Report {
 public:
  explicit Report(const ReportOptions& options)
      : options_(options),
        offscreen_(application_options(options), scaled(options.width), scaled(options.height), options.scale),
        application_(offscreen_.application()),
        data_(application_.data()) {
    settle();
  }

  /// Shows the sweep that is asked for, beside the one before it where there is one.
  void open() {
    const auto refuse = [this](const std::string& why, const char* fix) {
      throw Error("The report was not written", why, with_database(fix, options_.database), ExitCode::usage);
    };
    if (data_.database.empty() || !data_.problem.empty())
      throw told_error("The report was not written", data_.problem, "check the database");
    if (data_.sweeps.empty())
      refuse("the database holds no sweep",
             "run `triscope sweep` first; `triscope paper page -o FILE` writes what needs no measurement");
    if (options_.sweep != 0) {
      application_.carry_out(ask::ShowSweep{options_.sweep});
      settle();
      if (!data_.shown || data_.shown->info.id != options_.sweep)
        refuse(fmt::format("there is no sweep {}", options_.sweep), "see `triscope list`");
    }
    if (!data_.shown || data_.shown->rows.empty())
      refuse(fmt::format("sweep {} holds no measurement", data_.shown ? data_.shown->info.id : data_.sweeps.front().id),
             "name another one with --sweep, see `triscope list`");
    written_.passed_over = select_usable(application_);
    application_.carry_out(ask::CompareBefore{});
    settle();
    refuse_database_files(options_.folder, end_of_links(options_.folder));
    std::error_code failed;
    folder_.emplace(options_.folder, MadeFolder::Parents::there, failed);  // nobody asked for others
    if (failed)
      throw Error("The report was not written",
                  fmt::format("the folder {} cannot be created: {}", options_.folder.string(), failed.message()),
                  "name another one with -o, in a folder that is there");
  }

  void write_window() {
    application_.carry_out(ask::ShowPanel{Panel::latency});
    write_picture("window");
  }

  void write_panel(Panel panel) {
    application_.show_only(panel);
    // Facts in one column read best where the window has them too: in a narrow one.
    const bool narrow = panel == Panel::details;
    resize(narrow ? kNarrowWidth : options_.width, narrow ? kNarrowHeight : options_.height);
    if (narrow) make_room();
    write_picture(panel_info(panel).id, true);
    write_vectors(panel, panel_info(panel).id);
    write_tables(panel);
  }

  /// The chart by sequence length, as the window draws it.
  void write_lengths() {
    if (application_.text_of(Panel::lengths).rows.empty()) return;
    application_.show_only(Panel::lengths);
    resize(options_.width, options_.height);
    UiState& ui = application_.ui();
    ui.length_followed = data_.shown->info.id;  // the pictures name their passes
    for (const LengthPicture& one : kLengthPictures) {
      ui.length_view = one.view;
      ui.length_pass = one.pass;
      settle();
      if (ui.length_pass != one.pass) continue;  // that pass was not measured
      write_picture(one.name);
      write_vectors(Panel::lengths, one.name);
    }
    write_tables(Panel::lengths);
  }

  /// The training steps of the shown sweep's windows, as the map and By area show them.
  void write_steps() {
    (void)application_.models().step_table(data_);  // where it was not drawn it is made beside the frames
    settle();
    const LatencyModel* steps = application_.models().step_table(data_);
    if (steps == nullptr) return;
    const TextTable table = steps_text(*steps, data_.beside_reference.get());
    for (const auto& [format, ending, kind] : kFormats)
      write_whole_file(path(std::string("steps") + ending, kind), write_table(table, format));
  }

  /// The paper beside all sweeps on the shown one's device, as one page.
  void write_page() {
    PaperPageInput input;
    input.database = std::filesystem::path(data_.database).filename().string();
    take_rows(input, all_rows(), data_.shown->info.environment.device_name);
    input.layer = measured_layer(input.rows);
    input.work = ask_work(page_problems(input));
    input.tiled = layer_problem(input.layer);
    input.tiles = ask_tiles({input.tiled, {}}).uses;
    write_whole_file(path("report.html", FileKind::page), paper_page(input));
  }

  /// The report is whole. Without this the folder goes again, when it was made for it.
  void keep() { folder_->keep(); }

  const WindowData& data() const { return data_; }
  const WrittenReport& written() const { return written_; }

 private:
  /// Waits until nothing changes any more. Throws `Error` when the database could not be read, also in part.
  void settle() {
    offscreen_.settle();
    if (!application_.read_problem().empty())
      throw told_error("The report was not written", application_.read_problem(), "check the database");
  }
  /// The rows of all sweeps in their order. Most of them the window has read.
  std::vector<ResultRow> all_rows() const {
    std::map<std::int64_t, std::shared_ptr<const SweepResults>> read{{data_.shown->info.id, data_.shown}};
    for (const auto& sweep : data_.same_device) read[sweep->info.id] = sweep;
    std::vector<ResultRow> rows;
    const auto add = [&](const std::vector<ResultRow>& more) { rows.insert(rows.end(), more.begin(), more.end()); };
    std::optional<Snapshot> snapshot;
    for (const SweepInfo& sweep : data_.sweeps) {
      if (const auto found = read.find(sweep.id); found != read.end()) {
        add(found->second->rows);
        continue;
      }
      if (!snapshot) snapshot.emplace(data_.database);
      add(snapshot->results(sweep.id));
    }
    std::ranges::sort(rows, {}, &ResultRow::measurement);
    return rows;
  }
  /// As high as Details needs, however many counters it has.
  void make_room() {
    constexpr int kMost = 8000;  // as high as a picture is still looked at
    settle();
    const int more = static_cast<int>(std::ceil(below_edge() / options_.scale));
    resize(kNarrowWidth, std::min(kMost, kNarrowHeight + more));
    if (kNarrowHeight + more > kMost)
      written_.passed_over += std::string(written_.passed_over.empty() ? "" : " ") +
                              "details.png ends before the last of what Details says: it would be too high.";
  }
  int scaled(int pixels) const { return static_cast<int>(static_cast<float>(pixels) * options_.scale); }
  void resize(int width, int height) {
    ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(scaled(width)), static_cast<float>(scaled(height)));
  }
  const std::filesystem::path& path(const std::string& name, FileKind kind) {
    require_output(options_.folder / name, kind, "the report");
    folder_->will_hold(options_.folder / name);
    return written_.files.emplace_back(options_.folder / name);
  }
  void write_picture(const std::string& name, bool cut = false) {
    settle();
    const Picture drawn = offscreen_.picture();
    const std::vector<std::uint8_t> png = encode_png(cut ? without_empty_room(drawn, scaled(16)) : drawn);
    write_whole_file(path(name + ".png", FileKind::picture), {reinterpret_cast<const char*>(png.data()), png.size()});
  }
  /// The same for print.
  void write_vectors(Panel panel, const std::string& name) {
    for (const auto& [format, ending, kind] :
         {std::tuple(VectorFormat::svg, ".svg", FileKind::svg), std::tuple(VectorFormat::pdf, ".pdf", FileKind::pdf)}) {
      std::string vectors;
      try {
        vectors = application_.vectors_of(panel, format, {options_.print_size, {}, {}});
      } catch (const Error& error) {
        // Of charts there is nothing to draw; a table that has rows has no room.
        const bool is_refused = panel == Panel::latency && !application_.text_of(panel).rows.empty();
        if (is_refused) written_.not_drawn.push_back(fmt::format("{}.svg, {}.pdf: {}", name, name, error.what()));
        return;
      }
      write_whole_file(path(name + ending, kind), vectors);
    }
  }
  void write_tables(Panel panel) {
    const TextTable table = application_.text_of(panel);
    if (table.rows.empty()) return;
    for (const auto& [format, ending, kind] : kFormats) {
      if (panel == Panel::samples && format != TableFormat::csv) continue;
      write_whole_file(path(std::string(panel_info(panel).id) + ending, kind), write_table(table, format));
    }
  }

  const ReportOptions& options_;
  Offscreen offscreen_;
  Application& application_;
  const WindowData& data_;
  std::optional<MadeFolder> folder_;
  WrittenReport written_;
};

}  // namespace

WrittenReport write_report(const ReportOptions& options) {
  Report report(options);
  report.open();
  report.write_window();
  for (const Panel panel : kPictured) {
    if (panel != Panel::compare || report.data().compared.size() >= 2) report.write_panel(panel);
  }
  report.write_lengths();
  report.write_steps();
  report.write_page();
  report.keep();
  return report.written();
}

}  // namespace triscope
