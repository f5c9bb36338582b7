#include "app/window/report/screenshot.hpp"

#include <fmt/format.h>

#include "app/window/report/offscreen.hpp"
#include "app/window/report/told_error.hpp"
#include "app/window/report/usable_row.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "kernels/base/files/output_file.hpp"
#include "profiler/record/recorded_database.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "views/model/paper/named_part.hpp"

namespace triscope {
namespace {

/// The start of `--panel paper:match3`.
constexpr std::string_view kPageOf = "paper:";

std::string known_panels() {
  std::string names;
  for (const PanelInfo& info : panels()) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.id);
  return names;
}

std::string known_pages() {
  std::string names;
  for (int n = 0; n < static_cast<int>(PaperPage::count); ++n)
    names += fmt::format("{}{}{}", n == 0 ? "" : ", ", kPageOf, paper_page_id(static_cast<PaperPage>(n)));
  return names;
}

/// What `--panel` names: a panel, or one page of the paper.
struct Shown {
  const PanelInfo* panel = nullptr;  ///< null: as the window opens
  std::string page;                  ///< of the paper, as it was named; empty: none
};

Shown find_shown(const std::string& name) {
  Shown shown;
  if (name.empty()) return shown;
  const auto refuse = [&](const char* why, const std::string& names) {
    throw Error(fmt::format("--panel {} cannot be shown", name), why, "choose one of " + names, ExitCode::usage);
  };
  if (!name.starts_with(kPageOf)) {
    shown.panel = find_panel(name);
    if (shown.panel == nullptr) refuse("there is no such panel", known_panels() + "; or a page: " + known_pages());
    return shown;
  }
  shown.panel = find_panel("paper");
  shown.page = name.substr(kPageOf.size());
  if (!find_paper_page(shown.page)) refuse("the paper has no such page", known_pages());
  return shown;
}

bool has_worker() {
  try {
    find_worker();
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Waits until nothing changes any more. Throws `Error` when the database could not be read, also in part.
void settle(Offscreen& offscreen) {
  offscreen.settle();
  const std::string& problem = offscreen.application().read_problem();
  if (!problem.empty()) throw told_error("The picture was not made", problem, "check the database");
}

/// The window would show the nearest one that there is.
void require_inside(const char* what, std::optional<std::int64_t> asked, std::int64_t count) {
  if (!asked || (*asked >= 0 && *asked < count)) return;
  throw Error("The picture was not made", fmt::format("there is no {} {}", what, *asked),
              fmt::format("choose one from 0 to {}", count - 1), ExitCode::usage);
}

void show_tensors(Offscreen& offscreen, const ScreenshotOptions& options) {
  Application& application = offscreen.application();
  application.ui().attention.query = options.query.value_or(application.ui().attention.query);
  application.ui().attention.head = options.head.value_or(application.ui().attention.head);
  constexpr double kPatience = 120;  // a slice of long sequences on a CPU
  offscreen.settle(kPatience);
  const AttentionSideData& side = application.data().attention.sides[0];
  if (side.source && side.source->problem.empty()) {
    require_inside("query", options.query, side.source->seq_len);
    require_inside("query head", options.head, side.source->q_heads);
  }
  if (side.source && !side.source->problem.empty())
    throw told_error("The picture was not made", side.source->problem,
                     "name a file of q, k1 and k2, of fitting shapes");
  if (!side.problem.empty()) throw told_error("The picture was not made", side.problem, "check the file of --in");
  if (!side.slice)
    throw Error("The picture was not made", fmt::format("the slice was not ready after {:.0f} s", kPatience),
                "try shorter sequences, or again when the machine is idle");
}

}  // namespace

std::string take_screenshot(const ScreenshotOptions& options) {
  const bool svg = options.file.extension() == ".svg";
  if (options.for_print && !svg && options.file.extension() != ".pdf")
    throw Error(fmt::format("--picture {} cannot be written", options.file.string()),
                "its name ends in neither .svg nor .pdf", "name a file such as figure.pdf", ExitCode::usage);
  require_output(options.file,
                 !options.for_print ? FileKind::picture
                 : svg              ? FileKind::svg
                                    : FileKind::pdf,
                 options.for_print ? "--picture" : "--screenshot");
  const auto [panel, page] = find_shown(options.panel);
  ApplicationOptions application_options;
  application_options.database = options.database;
  application_options.recorded_database = recorded_database();
  application_options.system_is_dark = !options.light;
  application_options.engine = real_engine();
  application_options.ask_machine = has_worker();
  if (!options.tensors.empty()) application_options.tensors = std::filesystem::absolute(options.tensors);

  Offscreen offscreen(std::move(application_options), options.width, options.height, options.scale);
  Application& application = offscreen.application();
  settle(offscreen);
  const WindowData& data = application.data();
  if (data.database.empty() || !data.problem.empty())
    throw told_error("The picture was not made", data.problem, "check the database");
  if (options.sweep != 0) {
    application.carry_out(ask::ShowSweep{options.sweep});
    settle(offscreen);
    const auto& shown = application.data().shown;
    if (!shown || shown->info.id != options.sweep)
      throw Error("The picture was not made", fmt::format("there is no sweep {}", options.sweep),
                  with_database("see `triscope list`", options.database), ExitCode::usage);
  }
  std::string passed_over = select_usable(application);
  if (!options.tensors.empty()) show_tensors(offscreen, options);
  if (panel) application.carry_out(ask::ShowPanel{panel->panel});
  if (!page.empty()) turn_to(application.ui().paper, page);
  if (options.explore) {
    application.ui().explore.query = *options.explore;
    application.ui().explore.filter = options.explore->where;
  }
  settle(offscreen);
  if (options.for_print) {
    const Panel shown = panel ? panel->panel : application.ui().chart_in_front();
    write_whole_file(options.file,
                     application.vectors_of(shown, svg ? VectorFormat::svg : VectorFormat::pdf, options.print));
    return passed_over;
  }
  const std::vector<std::uint8_t> png = encode_png(offscreen.picture());
  write_whole_file(options.file, {reinterpret_cast<const char*>(png.data()), png.size()});
  return passed_over;
}

}  // namespace triscope
