#include "profiler/paper/rotary_cost.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "kernels/base/error.hpp"
#include "paper_data.hpp"

namespace triscope {
namespace {

constexpr std::size_t kColumns = 13;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

template <typename Number>
Number number_of(const std::string& cell) {
  Number value{};
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !(value > 0)) {
    throw Error("the cost of the rotary prologue cannot be read", fmt::format("\"{}\" is no number above 0", cell),
                "write the line again with rotary_prologue_check row");
  }
  return value;
}

}  // namespace

std::vector<RotaryCost> parse_rotary_costs(std::string_view text) {
  std::vector<RotaryCost> costs;
  std::istringstream lines{std::string(text)};
  std::string line;
  std::getline(lines, line);  // names
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != kColumns) {
      throw Error("the cost of the rotary prologue cannot be read",
                  fmt::format("a line has {} columns in place of {}", cells.size(), kColumns),
                  "write the line again with rotary_prologue_check row");
    }
    RotaryCost cost{cells[0], cells[1]};
    cost.seq_len = number_of<std::int64_t>(cells[2]);
    cost.q_heads = number_of<std::int64_t>(cells[3]);
    cost.kv_heads = number_of<std::int64_t>(cells[4]);
    cost.head_dim = number_of<std::int64_t>(cells[5]);
    cost.windows = cells[6];
    cost.ms = number_of<double>(cells[7]);
    cost.least_ms = number_of<double>(cells[8]);
    cost.most_ms = number_of<double>(cells[9]);
    cost.forward_kernel = cells[10];
    cost.forward_ms = number_of<double>(cells[11]);
    cost.both_ms = number_of<double>(cells[12]);
    costs.push_back(std::move(cost));
  }
  return costs;
}

const std::vector<RotaryCost>& rotary_costs() {
  static const std::vector<RotaryCost> all = parse_rotary_costs(paper_data::kRotaryCost);
  return all;
}

std::vector<std::string> rotary_cost_sentences(const std::vector<RotaryCost>& costs) {
  if (costs.empty())
    return {
        "What such a rotation costs on a GPU was not measured; rotary_prologue_check of a build with CUDA does it."};
  std::vector<std::string> sentences;
  for (const RotaryCost& cost : costs) {
    sentences.push_back(
        fmt::format("On an {} ({}) a kernel that rotates q, k1 and k2 in place takes {:.3f} ms ({:.3f} to {:.3f}) for "
                    "{} tokens and {} heads of {} on {}, {:.0f} GB/s. That is {:.1f} % of the {:.2f} ms of the forward "
                    "with determinants, {}, by {}; one after the other they take {:.2f} ms.",
                    cost.device, cost.date, cost.ms, cost.least_ms, cost.most_ms, cost.seq_len, cost.q_heads,
                    cost.head_dim, cost.kv_heads, cost.gigabytes_a_second(), 100 * cost.share(), cost.forward_ms,
                    cost.windows, cost.forward_kernel, cost.both_ms));
  }
  return sentences;
}

}  // namespace triscope
