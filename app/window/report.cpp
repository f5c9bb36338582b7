#include "app/window/report.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>

#include "app/window/offscreen.hpp"
#include "app/window/system.hpp"
#include "kernels/atomic_file.hpp"
#include "kernels/error.hpp"

namespace triscope {
namespace {

constexpr std::array kPictured{Panel::latency, Panel::tflops,  Panel::map,   Panel::scaling, Panel::lengths,
                               Panel::samples, Panel::compare, Panel::paper, Panel::details};
constexpr int kNarrowWidth = 380, kNarrowHeight = 1400;  ///< of Details, before its empty room is cut off
constexpr std::array kFormats{std::pair{TableFormat::csv, ".csv"}, std::pair{TableFormat::markdown, ".md"},
                              std::pair{TableFormat::latex, ".tex"}};

void write_picture(const std::filesystem::path& file, const Picture& picture) {
  const std::vector<std::uint8_t> png = encode_png(picture);
  write_whole_file(file, {reinterpret_cast<const char*>(png.data()), png.size()});
}

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

/// Lengths are often measured in several sweeps: all of the database are put together for this chart.
void compare_all_sweeps(Offscreen& offscreen) {
  Application& application = offscreen.application();
  std::vector<std::int64_t> missing;
  for (const SweepInfo& sweep : application.data().sweeps) {
    const auto& compared = application.ui().selection.compared;
    if (std::find(compared.begin(), compared.end(), sweep.id) == compared.end()) missing.push_back(sweep.id);
  }
  for (const std::int64_t sweep : missing) application.carry_out({CommandId::compare, sweep});
  offscreen.settle();
}

}  // namespace

std::vector<std::filesystem::path> write_report(const ReportOptions& options) {
  ApplicationOptions application_options;
  application_options.database = options.database;
  application_options.system_is_dark = !options.light;
  application_options.ask_machine = false;
  const auto scaled = [&](int pixels) { return static_cast<int>(static_cast<float>(pixels) * options.scale); };
  Offscreen offscreen(std::move(application_options), scaled(options.width), scaled(options.height), options.scale);
  Application& application = offscreen.application();
  offscreen.settle();
  const WindowData& data = application.data();
  if (data.database.empty())
    throw Error("The report was not written", data.problem, "check the database", ExitCode::usage);
  if (!data.shown || data.shown->rows.empty())
    throw Error("The report was not written", "the database holds no measurement", "run `triscope sweep` first",
                ExitCode::usage);
  if (options.sweep > 0) {
    application.carry_out({CommandId::show_sweep, options.sweep});
    offscreen.settle();
    if (!data.shown || data.shown->info.id != options.sweep)
      throw Error("The report was not written", fmt::format("there is no sweep {}", options.sweep),
                  "see `triscope list`", ExitCode::usage);
  }
  application.select_first();
  // Beside the one before it, where there is one.
  const auto before = std::find_if(data.sweeps.begin(), data.sweeps.end(),
                                   [&](const SweepInfo& sweep) { return sweep.id < data.shown->info.id; });
  if (before != data.sweeps.end()) application.carry_out({CommandId::compare, before->id});
  offscreen.settle();

  std::error_code failed;  // what is wrong with the folder shows when the files are written
  std::filesystem::create_directories(options.folder, failed);
  std::vector<std::filesystem::path> written;
  const auto path = [&](const std::string& name) { return written.emplace_back(options.folder / name); };
  const auto write_tables = [&](Panel panel, const std::string& name) {
    const TextTable table = application.text_of(panel);
    if (table.rows.empty()) return;
    for (const auto& [format, ending] : kFormats) {
      if (panel == Panel::samples && format != TableFormat::csv) continue;
      write_whole_file(path(name + ending), write_table(table, format));
    }
  };
  application.carry_out({CommandId::show_panel, static_cast<std::int64_t>(Panel::latency)});
  offscreen.settle();
  write_picture(path("window.png"), offscreen.picture());
  for (Panel panel : kPictured) {
    if (panel == Panel::compare && data.compared.size() < 2) continue;
    const std::string name = panel_info(panel).id;
    application.show_only(panel);
    // Facts in one column read best where the window has them too: in a narrow one.
    const bool narrow = panel == Panel::details;
    ImGui::GetIO().DisplaySize = ImVec2(static_cast<float>(scaled(narrow ? kNarrowWidth : options.width)),
                                        static_cast<float>(scaled(narrow ? kNarrowHeight : options.height)));
    offscreen.settle();
    write_picture(path(name + ".png"), without_empty_room(offscreen.picture(), scaled(16)));
    write_tables(panel, name);
  }
  ImGui::GetIO().DisplaySize =
      ImVec2(static_cast<float>(scaled(options.width)), static_cast<float>(scaled(options.height)));
  compare_all_sweeps(offscreen);
  if (application.text_of(Panel::lengths).rows.empty()) return written;
  application.show_only(Panel::lengths);
  for (const LengthPicture& one : kLengthPictures) {
    application.ui().length_view = one.view;
    application.ui().length_pass = one.pass;
    offscreen.settle();
    write_picture(path(std::string(one.name) + ".png"), offscreen.picture());
  }
  write_tables(Panel::lengths, "lengths");
  return written;
}

}  // namespace triscope
