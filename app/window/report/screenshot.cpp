#include "app/window/report/screenshot.hpp"

#include <fmt/format.h>

#include "app/window/report/offscreen.hpp"
#include "app/window/report/told_error.hpp"
#include "kernels/base/atomic_file.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/output_file.hpp"
#include "profiler/record/recorded_database.hpp"
#include "profiler/supervise/supervisor.hpp"

namespace triscope {
namespace {

std::string known_panels() {
  std::string names;
  for (const PanelInfo& info : panels()) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.id);
  return names;
}

bool has_worker() {
  try {
    find_worker();
    return true;
  } catch (const Error&) {
    return false;
  }
}

void show_tensors(Offscreen& offscreen, const ScreenshotOptions& options) {
  Application& application = offscreen.application();
  application.ui().attention.query = options.query.value_or(application.ui().attention.query);
  application.ui().attention.head = options.head.value_or(application.ui().attention.head);
  constexpr double kPatience = 120;  // a slice of long sequences on a CPU
  offscreen.settle(kPatience);
  const AttentionSideData& side = application.data().attention.sides[0];
  if (!side.problem.empty()) throw told_error("The picture was not made", side.problem, "check the file of --in");
  if (!side.slice)
    throw Error("The picture was not made", fmt::format("the slice was not ready after {:.0f} s", kPatience),
                "try shorter sequences, or again when the machine is idle");
}

}  // namespace

void take_screenshot(const ScreenshotOptions& options) {
  require_output(options.file, FileKind::picture, "--screenshot");
  const PanelInfo* panel = options.panel.empty() ? nullptr : find_panel(options.panel);
  if (!options.panel.empty() && !panel) {
    throw Error(fmt::format("--panel {} cannot be shown", options.panel), "there is no such panel",
                fmt::format("choose one of {}", known_panels()), ExitCode::usage);
  }
  ApplicationOptions application_options;
  application_options.database = options.database;
  application_options.recorded_database = recorded_database();
  application_options.system_is_dark = !options.light;
  application_options.engine = real_engine();
  application_options.ask_machine = has_worker();
  if (!options.tensors.empty()) application_options.tensors = std::filesystem::absolute(options.tensors);

  Offscreen offscreen(std::move(application_options), options.width, options.height, options.scale);
  Application& application = offscreen.application();
  offscreen.settle();
  const WindowData& data = application.data();
  if (data.database.empty() || !data.problem.empty())
    throw told_error("The picture was not made", data.problem, "check the database");
  if (options.sweep != 0) {
    application.carry_out(ask::ShowSweep{options.sweep});
    offscreen.settle();
    const auto& shown = application.data().shown;
    if (!shown || shown->info.id != options.sweep)
      throw Error("The picture was not made", fmt::format("there is no sweep {}", options.sweep), "see `triscope list`",
                  ExitCode::usage);
  }
  application.select_first();
  if (!options.tensors.empty()) show_tensors(offscreen, options);
  if (panel) application.carry_out(ask::ShowPanel{panel->panel});
  offscreen.settle();
  const std::vector<std::uint8_t> png = encode_png(offscreen.picture());
  write_whole_file(options.file, {reinterpret_cast<const char*>(png.data()), png.size()});
}

}  // namespace triscope
