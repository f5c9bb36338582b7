// `triscope paper operator`: the logit and its relatives, the determinant as two einsums, what the windows cost and
// from which length on they cost less.
#include <fmt/format.h>

#include "app/cli/paper/asked_layer.hpp"
#include "app/cli/paper/counted_work.hpp"
#include "app/cli/paper/database_rows.hpp"
#include "app/cli/paper/layer_json.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/paper/einsum_logits.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"
#include "profiler/paper/layers/operator_work.hpp"
#include "profiler/paper/relatives.hpp"
#include "profiler/paper/rotary.hpp"
#include "profiler/plan/crossing.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/store/open/default_database.hpp"

namespace triscope {
namespace {

nlohmann::json as_json(const Relative& one) {
  return {{"type", "relative"},
          {"name", one.name},
          {"by", one.by},
          {"logit", one.logit},
          {"cost", one.cost},
          {"relation", one.relation},
          {"formula_from", one.formula_from}};
}

void print_relatives() {
  TerminalTable table;
  table.columns = {{"score", Align::left, 100, true},
                   {"logit", Align::left, 95, true},
                   {"cost", Align::left, 90, true},
                   {"by", Align::left, 30, true}};
  for (const Relative& one : relatives())
    table.rows.push_back({one.name + (one.formula_from == "paper" ? "" : " *"), one.logit, one.cost, one.by});
  print_output("{}\n* named by the paper, which gives no formula: this one is of the work that it cites.\n\n",
               render(table, terminal_width(stdout, kUnlimitedWidth)));
  for (const Relative& one : relatives()) print_output("{}: {}.\n", one.name, one.relation);
}

std::string vector_text(const Vector3& v) { return fmt::format("({:g}, {:g}, {:g})", v[0], v[1], v[2]); }

struct Sarrus {
  double added = 0, taken = 0;
};

Sarrus sarrus_of(const Chunk3& chunk) {
  const auto& [q, k1, k2] = chunk;
  return {trilinear_einsum(q, turned_chunks(k1, 1, 1), turned_chunks(k2, 1, 2), 1).front(),
          trilinear_einsum(q, turned_chunks(k1, 1, 2), turned_chunks(k2, 1, 1), 1).front()};
}

void print_determinant() {
  const Sarrus sums = sarrus_of(kExampleChunk);
  print_output(
      "\nThe determinant, by Sarrus' rule:\n\n"
      "  det(a, b)    = a1 b2 - a2 b1\n"
      "  det(a, b, c) = a1 b2 c3 + a2 b3 c1 + a3 b1 c2 - a1 b3 c2 - a2 b1 c3 - a3 b2 c1\n"
      "               = <a, (b2, b3, b1), (c3, c1, c2)> - <a, (b3, b1, b2), (c2, c3, c1)>\n\n"
      "So Algorithm 1 takes two einsums in place of one. With turn(X, m), each chunk of three turned to the left by "
      "m:\n\n"
      "  einsum(Q, turn(K, 1), turn(K', 2)) - einsum(Q, turn(K, 2), turn(K', 1))\n\n"
      "Of q = {}, k = {}, k' = {}: {:.6f} - ({:.6f}) = {:.6f}.\n",
      vector_text(kExampleChunk[0]), vector_text(kExampleChunk[1]), vector_text(kExampleChunk[2]), sums.added,
      sums.taken, sums.added - sums.taken);
}

nlohmann::json determinant_json() {
  const Sarrus sums = sarrus_of(kExampleChunk);
  return {{"type", "determinant"},
          {"q", kExampleChunk[0]},
          {"k1", kExampleChunk[1]},
          {"k2", kExampleChunk[2]},
          {"first_einsum", sums.added},
          {"second_einsum", sums.taken},
          {"determinant", sums.added - sums.taken}};
}

nlohmann::json as_json(const MeasuredCrossing& found) {
  const LatencyCrossing& crossing = found.crossing;
  const bool crosses = crossing.kind == LatencyCrossing::Kind::crosses && found.reason.empty();
  const bool interval = crosses || (crossing.kind == LatencyCrossing::Kind::not_decided && found.reason.empty());
  const auto where = [](bool known, double tokens) { return known ? nlohmann::json(tokens) : nlohmann::json(); };
  return {{"tokens", where(crosses && found.is_number(), crossing.seq_len)},
          {"low_tokens", where(interval && !crossing.open_below(), crossing.low)},
          {"high_tokens", where(interval && !crossing.open_above(), crossing.high)},
          {"text", crossing_text(found)},
          {"kernel", found.kernel},
          {"device", found.device},
          {"model", found.model},
          {"left_out", found.left_out}};
}

nlohmann::json all_as_json(const std::vector<MeasuredCrossing>& found) {
  nlohmann::json all = nlohmann::json::array();
  for (const MeasuredCrossing& one : found) all.push_back(as_json(one));
  return all;
}

void print_costs(const LayerMixRequest& layer, const std::vector<ResultRow>& rows, const WorkTable& table, bool named,
                 const std::string& database, bool json) {
  const OperatorWork work = operator_work(layer.seq_len, layer.windows);
  const Crossings told = measured_crossings(rows, layer, table);
  std::string sweep = crossing_sweep(rows, layer, told);
  if (!sweep.empty()) sweep += database_words(database);
  if (json) {
    nlohmann::json line{{"type", "operator_work"},
                        {"dot_product_kernel", layer.dot_kernel},
                        {"dot_product_paper_count", work.dot_paper},
                        {"windows_paper_count", work.windows_paper},
                        {"dot_product", work.dot_exact},
                        {"windows", work.windows_exact},
                        {"crossing_paper_count", crossing_by_paper_count(layer.windows)},
                        {"crossing_full_rows", crossing_by_full_rows(layer.windows)},
                        {"crossing_exact", crossing_by_exact_count(layer.windows)},
                        {"crossings_forward", all_as_json(told.forward)},
                        {"crossings_backward", all_as_json(told.backward)},
                        {"crossings_step", all_as_json(told.step)},
                        {"sweep_that_would_tell", sweep.empty() ? nlohmann::json() : nlohmann::json(sweep)}};
    line.update(layer_json(layer));
    line["form"] = to_string(layer.form);
    if (layer.form == Form::determinant) line["windows_two_einsums"] = two_einsum_work(work);
    write_json_line(dump_line(line));
    return;
  }
  print_output(
      "\nFLOPs of one head and dimension, forward, at {} tokens:\n\n"
      "  causal dot product   2 n^2      {:.4g}   exactly {:.4g}\n"
      "  {:<20} 6 n w1 w2  {:.4g}   exactly {:.4g}\n\n"
      "Tokens from which on {}x{} costs less than causal dot-product attention:\n\n"
      "  by the paper's count, 3 w1 w2   {}\n"
      "  by two products each, 2 w1 w2   {}\n"
      "  by the exact number of triples  {}\n",
      layer.seq_len, work.dot_paper, work.dot_exact, fmt::format("{}x{}", layer.windows.window1, layer.windows.window2),
      work.windows_paper, work.windows_exact, layer.windows.window1, layer.windows.window2,
      count_text(crossing_by_paper_count(layer.windows)), count_text(crossing_by_full_rows(layer.windows)),
      count_text(crossing_by_exact_count(layer.windows)));
  const std::string of_the_form =
      layer.form == Form::determinant ? "\n" + determinant_work_text(layer.seq_len, layer.windows) + "\n" : "";
  if (!named) {
    print_output("{}\nWith --db FILE a database of measurements says where they cross by the clock.\n", of_the_form);
    return;
  }
  print_output(
      "  by the clock, forward           {}\n  by the clock, backward          {}\n"
      "  by the clock, both              {}\n\nBy the clock beside {}, {}/{} heads of {}{}.\n",
      crossings_text(told.forward), crossings_text(told.backward), crossings_text(told.step), layer.dot_kernel,
      layer.q_heads, layer.kv_heads, layer.head_dim, layer.device.empty() ? "" : " on " + layer.device);
  if (!sweep.empty()) print_output("What is not known a sweep tells: {}\n", sweep);
  print_output("{}", of_the_form);
}

}  // namespace

void print_operator(const NamedLayer& named_layer, const std::string& database, bool json) {
  const std::optional<std::vector<ResultRow>> found = database_rows(database);
  const bool named = found.has_value();
  const std::vector<ResultRow> rows = found.value_or(std::vector<ResultRow>{});
  const LayerMixRequest layer = asked_layer(rows, named_layer);
  const WorkTable table = count_work(crossing_problems(rows, layer));
  if (json) {
    for (const Relative& one : relatives()) write_json_line(dump_line(as_json(one)));
    write_json_line(dump_line(determinant_json()));
  } else {
    print_relatives();
    print_determinant();
  }
  print_costs(layer, rows, table, named, database, json);
}

}  // namespace triscope
