// `triscope paper page`: everything of the paper beside a database, as one HTML file.
#include <filesystem>

#include "app/cli/options/database_option.hpp"
#include "app/cli/options/values.hpp"
#include "app/cli/paper/asked_layer.hpp"
#include "app/cli/paper/counted_work.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "kernels/base/files/output_file.hpp"
#include "profiler/report/paper_page.hpp"
#include "profiler/store/store.hpp"
#include "profiler/tiles/ask_tiles.hpp"

namespace triscope {

void write_paper_page(const NamedLayer& named, const std::string& database, const std::filesystem::path& file) {
  if (file == "-")  // as `export` takes it; here it would be a file of that name
    refuse_value("--out", "-", "the page is written into a file", "name one, such as report.html, or /dev/stdout");
  require_output(file, FileKind::page, "--out");
  PaperPageInput input;
  if (!database.empty() || std::filesystem::exists(database_path(database))) {
    const std::filesystem::path path = existing_database(database);
    input.database = path.filename().string();
    take_rows(input, Snapshot(path).results());
  }
  input.layer = asked_layer(input.rows, named);
  input.tiled = layer_problem(input.layer);
  input.tiles = ask_tiles({input.tiled, {}}).uses;
  input.work = count_work(page_problems(input));
  write_whole_file(file, paper_page(input));
  say_written(file);
}

}  // namespace triscope
