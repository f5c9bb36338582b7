// `triscope paper lengths`: what the paper's Figure 3 shows, windows beside dot-product attention by length.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/cli/options/database_option.hpp"
#include "app/cli/paper/asked_layer.hpp"
#include "app/cli/paper/counted_work.hpp"
#include "app/cli/paper/layer_json.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/paper/ratio_of_rows.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/attention/flops.hpp"
#include "profiler/paper/layers/by_length.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"
#include "profiler/paper/table1.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/statistics/statistics.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {
namespace {

double rate_of(const ResultRow& row) { return useful_flops(row.problem, row.pass) / *row.median_ms * 1e-9; }

nlohmann::json side_json(const ResultRow* row) {
  if (row == nullptr) return nullptr;
  return {{"kernel", row->kernel},    {"sweep", row->sweep},        {"ms", *row->median_ms},
          {"low_ms", row->ci_low_ms}, {"high_ms", row->ci_high_ms}, {"tflops", rate_of(*row)}};
}

void add_side(std::vector<std::string>& cells, const ResultRow* row) {
  cells.push_back(row == nullptr ? "" : known_ms_text(*row->median_ms, row->ci_low_ms, row->ci_high_ms));
  cells.push_back(row == nullptr ? "" : significant_text(rate_of(*row), 3));
}

/// Windows over dot-product attention, as `triscope show` has it: by their turns, or of the medians where they took
/// none. Nothing beside a row of another sweep: rows of two sweeps differ by more than their intervals.
std::optional<Comparison> time_at(StoredSamples& samples, const AtLength& at) {
  if (!at.took_turns()) return std::nullopt;
  return compare_rows(samples, *at.windows, samples, *at.dot_product);
}

std::string ratio_text(const AtLength& at, const std::optional<Comparison>& time) {
  if (at.windows == nullptr || at.dot_product == nullptr) return "";
  return time ? ratio_of_rows_text(*time) : "other sweeps";
}

nlohmann::json length_json(const LayerMixRequest& layer, Pass pass, const AtLength& at,
                           const std::optional<Comparison>& time) {
  nlohmann::json line{{"type", "length"},
                      {"pass", to_string(pass)},
                      {"windows", side_json(at.windows)},
                      {"dot_product", side_json(at.dot_product)}};
  line.update(ratio_of_rows_json(time));
  line.update(layer_json(layer));
  line["seq_len"] = at.seq_len;
  return line;
}

/// What was named of the layer, as options.
std::string named_words(const NamedLayer& named) {
  std::string words;
  const auto add = [&words](const char* option, const auto& value) {
    if (value) words += fmt::format(" {} {}", option, *value);
  };
  if (named.windows) words += fmt::format(" --windows {}x{}", named.windows->window1, named.windows->window2);
  add("--q-heads", named.q_heads);
  add("--kv-heads", named.kv_heads);
  add("--head-dim", named.head_dim);
  if (named.form) words += fmt::format(" --form {}", to_string(*named.form));
  add("--match", named.dot_kernel);
  return words;
}

}  // namespace

void print_lengths(const NamedLayer& named, const std::string& database, bool json) {
  if (database.empty() && !std::filesystem::exists(database_path(database))) {
    if (json) existing_database(database);  // refuses: there is nothing to print
    print_output("With --db FILE a database of measurements says what was measured by length.\n");
    return;
  }
  const Snapshot snapshot(existing_database(database));
  StoredSamples samples(snapshot);
  const std::vector<ResultRow> rows = snapshot.results();
  const LayerMixRequest layer = asked_layer(rows, named);
  bool medians = false;
  TerminalTable table;
  table.columns = {{"pass", Align::left, 100, false},
                   {"tokens", Align::right, 100, false},
                   {"windows, ms", Align::right, 100, false},
                   {"TFLOP/s", Align::right, 80, false},
                   {layer.dot_kernel + ", ms", Align::right, 95, false},
                   {"TFLOP/s", Align::right, 80, false},
                   {"windows / attention", Align::right, 90, false},
                   {"kernel", Align::left, 60, false}};
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    for (const AtLength& at : rows_by_length(rows, layer, pass)) {
      const std::optional<Comparison> time = time_at(samples, at);
      if (json) {
        write_json_line(dump_line(length_json(layer, pass, at, time)));
        continue;
      }
      std::vector<std::string> cells{std::string(to_string(pass)), count_text(at.seq_len)};
      add_side(cells, at.windows);
      add_side(cells, at.dot_product);
      cells.push_back(ratio_text(at, time));
      medians |= cells.back().ends_with('*');
      cells.push_back(at.windows == nullptr ? "" : at.windows->kernel);
      table.rows.push_back(std::move(cells));
    }
  }
  if (json) return;
  print_output("{}x{}, {}/{} heads of {}{}, {}:\n\n", layer.windows.window1, layer.windows.window2, layer.q_heads,
               layer.kv_heads, layer.head_dim, layer.device.empty() ? "" : " on " + layer.device,
               to_string(layer.regime));
  print_output("{}", table.rows.empty() ? "Nothing was measured of it.\n"
                                        : render(table, terminal_width(stdout, kUnlimitedWidth)));
  if (medians) print_output("{}", kNotInTurns);
  print_output(
      "\nRates count 4 x head_dim forward and 10 x head_dim backward for each pair of keys inside the windows.\n"
      "The paper's Figure 3 shows the same of its own kernels; its numbers are in no table. `triscope paper "
      "operator{}{}` says where the two cross.\n",
      named_words(named), database_words(database));
  const Crossings told = measured_crossings(rows, layer, count_work(crossing_problems(rows, layer)));
  const std::string sweep = crossing_sweep(rows, layer, told);
  if (!sweep.empty()) print_output("What is not known a sweep tells: {}{}\n", sweep, database_words(database));
}

}  // namespace triscope
