#include "app/cli/paper/written.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/options/shared_options.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "profiler/paper/laws/reproduction.hpp"
#include "profiler/paper/written_parts.hpp"
#include "profiler/record/json.hpp"

namespace triscope {
namespace {

std::string json_text(const nlohmann::json& line) { return dump_line(line) + '\n'; }

nlohmann::json as_json(const WrittenPart& part) {
  nlohmann::json blocks = nlohmann::json::array();
  for (const WrittenBlock& block : part.blocks) blocks.push_back({{"says", block.says}, {"lines", block.lines}});
  return {{"type", "written_part"}, {"id", part.id},         {"title", part.title},
          {"blocks", blocks},       {"errata", part.errata}, {"more", part.more}};
}

std::string as_text(const WrittenPart& part) {
  std::string text = part.title + "\n";
  for (const WrittenBlock& block : part.blocks) {
    text += "\n" + block.says + "\n";
    if (!block.lines.empty()) text += "\n";
    for (const std::string& line : block.lines) text += "  " + line + "\n";
  }
  text += "\n";
  if (!part.errata.empty()) text += errata_of(part) + " `triscope paper errata ID` gives the reason.\n";
  return text;
}

/// Table 3 (exponents) or 4 (how well they fit) as it is printed.
std::string printed_fits(int of_table, bool json) {
  const std::array<const char*, 2> columns = of_table == 3 ? std::array{"alpha", "beta"} : std::array{"R2", "residual"};
  TerminalTable table;
  table.columns = {{"model", Align::left, 100, false}};
  for (const char* benchmark : kBenchmarks) {
    for (const char* column : columns)
      table.columns.push_back({fmt::format("{} {}", benchmark, column), Align::right, 100, false});
  }
  std::string lines;
  for (std::size_t model = 0; model < kModels.size(); ++model) {
    std::vector<std::string> cells{kModels.at(model)};
    nlohmann::json line{{"type", "printed_fits"}, {"table", of_table}, {"model", kModels.at(model)}};
    for (const char* benchmark : kBenchmarks) {
      for (const char* column : columns) {
        const std::string name = fmt::format("{} {}", benchmark, column);
        const PrintedValue& cell = printed_value(of_table, static_cast<int>(model) + 1, name);
        cells.push_back(cell.printed);
        line[name] = cell.value;
      }
    }
    table.rows.push_back(std::move(cells));
    lines += json_text(line);
  }
  if (json) return lines;
  if (of_table == 3) {
    std::vector<std::string> cells{"change of alpha"};
    for (const char* benchmark : kBenchmarks) {
      cells.push_back(printed_value(3, 3, fmt::format("{} alpha", benchmark)).printed);
      cells.emplace_back();
    }
    table.rows.push_back(std::move(cells));
  }
  return fmt::format(
      "Table {} as printed:\n\n{}\n`triscope paper results` says which of these follow from Table 2. The fits:\n\n",
      of_table, render(table, terminal_width(stdout, kUnlimitedWidth)));
}

}  // namespace

std::string named_part_text(std::string_view name, bool json) {
  if (name == "table3") return printed_fits(3, json);
  if (name == "table4") return printed_fits(4, json);
  const WrittenPart* part = find_written_part(name);
  const bool numbered = !name.empty() && name.back() >= '0' && name.back() <= '9';
  if (part == nullptr || !numbered) return "";
  return json ? json_text(as_json(*part)) : as_text(*part) + "\n";
}

void print_formulas(const std::string& id, bool json) {
  std::vector<std::string> known;
  for (const WrittenPart& part : written_parts()) known.push_back(part.id);
  if (!id.empty() && find_written_part(id) == nullptr)
    refuse_choice("formulas", id, "the paper writes no such part", known);
  bool first = true;
  for (const WrittenPart& part : written_parts()) {
    if (!id.empty() && part.id != id) continue;
    if (json) {
      write_json_line(dump_line(as_json(part)));
      continue;
    }
    print_output("{}{}More: {}\n", first ? "" : "\n\n", as_text(part), part.more);
    first = false;
  }
}

}  // namespace triscope
