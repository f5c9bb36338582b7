#include "app/window/report.hpp"

#include <array>
#include <string>

#include "app/window/offscreen.hpp"
#include "app/window/system.hpp"
#include "kernels/atomic_file.hpp"
#include "kernels/error.hpp"

namespace triscope {
namespace {

constexpr std::array kPictured{Panel::latency, Panel::tflops, Panel::map, Panel::scaling, Panel::lengths, Panel::samples, Panel::compare, Panel::paper, Panel::details};
constexpr std::array kFormats{std::pair{TableFormat::csv, ".csv"}, std::pair{TableFormat::markdown, ".md"}, std::pair{TableFormat::latex, ".tex"}};

void write_picture(const std::filesystem::path& file, const Picture& picture) {
  const std::vector<std::uint8_t> png = encode_png(picture);
  write_whole_file(file, {reinterpret_cast<const char*>(png.data()), png.size()});
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
  if (data.database.empty()) throw Error("The report was not written", data.problem, "check the database", ExitCode::usage);
  if (!data.shown || data.shown->rows.empty()) throw Error("The report was not written", "the database holds no measurement", "run `triscope sweep` first", ExitCode::usage);
  application.select_first();
  if (data.sweeps.size() > 1) application.carry_out({CommandId::compare, data.sweeps[1].id});
  offscreen.settle();

  std::vector<std::filesystem::path> written;
  const auto path = [&](const std::string& name) { return written.emplace_back(options.folder / name); };
  application.carry_out({CommandId::show_panel, static_cast<std::int64_t>(Panel::latency)});
  offscreen.settle();
  write_picture(path("window.png"), offscreen.picture());
  for (Panel panel : kPictured) {
    if (panel == Panel::compare && data.compared.size() < 2) continue;
    const std::string name = panel_info(panel).id;
    application.show_only(panel);
    offscreen.settle();
    write_picture(path(name + ".png"), offscreen.picture());
    const TextTable table = application.text_of(panel);
    if (table.rows.empty()) continue;
    for (const auto& [format, ending] : kFormats) {
      if (panel == Panel::samples && format != TableFormat::csv) continue;
      write_whole_file(path(name + ending), write_table(table, format));
    }
  }
  return written;
}

}  // namespace triscope
