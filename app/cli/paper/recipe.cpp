// `triscope paper recipe`: how the paper's models were made, and what such layers cost here.
#include "profiler/paper/recipe.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/cli/options/database_option.hpp"
#include "app/cli/paper/asked_layer.hpp"
#include "app/cli/paper/counted_work.hpp"
#include "app/cli/paper/layer_json.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/text/number_text.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/text/number_of.hpp"
#include "profiler/paper/layers/measured_crossing.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/words/count_text.hpp"
#include "profiler/store/open/default_database.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

void print_card(bool json) {
  TerminalTable table;
  table.columns = {
      {"what", Align::left, 100, true}, {"the paper says", Align::left, 100, true}, {"where", Align::left, 50, true}};
  for (const RecipeFact& fact : recipe()) {
    if (json) {
      write_json_line(dump_line({{"type", "recipe"},
                                 {"name", fact.name},
                                 {"value", fact.value},
                                 {"where", fact.where},
                                 {"stated", fact.stated}}));
    } else {
      table.rows.push_back({fact.name, fact.value, fact.where});
    }
  }
  if (!json) print_output("{}", render(table, terminal_width(stdout, kUnlimitedWidth)));
}

/// What "comparable" comes to; `triscope paper operator` has it as JSON.
void print_comparable(const std::vector<ResultRow>& rows, const LayerMixRequest& layer, const WorkTable& work,
                      const std::string& database) {
  const auto [counted, measured] = comparable_text(rows, layer, work);
  print_output("\n{}\n{}\n`triscope paper operator{}` tells the same of other windows.\n", counted,
               rows.empty() ? "With --db FILE a database of measurements says where by the clock." : measured,
               database_words(database));
}

nlohmann::json as_json(const LayerTime& time) {
  return {{"ms", time.is_number() ? nlohmann::json(time.ms) : nlohmann::json()},
          {"low_ms", time.low_ms},
          {"high_ms", time.high_ms},
          {"kernel", time.kernel},
          {"basis", time.basis_text()},
          {"measured", time.kind == LayerBasis::measured}};
}

std::string range_text(const MsRange& range) {
  return fmt::format("{} to {}", milliseconds_text(range.low), milliseconds_text(range.high));
}

/// "84.2", or "152 to 181" where only an interval is known.
std::string time_text(const LayerTime& time) {
  return time.is_number() ? milliseconds_text(time.ms) : range_text(time.interval());
}

nlohmann::json as_json(const ModelShape& model, const LayerMixRequest& layer, const LayerCosts& costs) {
  const std::int64_t simplicial = every_nth(model.layers, model.every);
  nlohmann::json j{{"type", "layer_mix"},
                   {"layers", model.layers},
                   {"simplicial_layers", simplicial},
                   {"sequences", model.sequences},
                   {"simplicial_forward", as_json(costs.simplicial.forward)},
                   {"simplicial_backward", as_json(costs.simplicial.backward)},
                   {"global_forward", as_json(costs.global.forward)},
                   {"global_backward", as_json(costs.global.backward)},
                   {"mix_ms", mix_ms(costs, model.layers, simplicial, model.sequences)},
                   {"mix_low_ms", mix_range(costs, model.layers, simplicial, model.sequences).low},
                   {"mix_high_ms", mix_range(costs, model.layers, simplicial, model.sequences).high},
                   {"global_only_ms", mix_ms(costs, model.layers, 0, model.sequences)}};
  j.update(layer_json(layer));
  if (model.budget_ms > 0) {
    const BudgetMixes mixes = mixes_within(costs, model.layers, model.budget_ms, model.sequences);
    j["budget_ms"] = model.budget_ms;
    j["fewest_simplicial_layers"] = mixes.none() ? std::optional<std::int64_t>() : mixes.fewest;
    j["most_simplicial_layers"] = mixes.none() ? std::optional<std::int64_t>() : mixes.most;
  }
  return j;
}

void print_layers(const LayerMixRequest& layer, const LayerCosts& costs) {
  TerminalTable table;
  table.columns = {{"layer", Align::left, 100, false},
                   {"pass", Align::left, 100, false},
                   {"ms", Align::right, 100, false},
                   {"kernel", Align::left, 80, false},
                   {"basis", Align::left, 70, false}};
  const auto add = [&](const std::string& name, const char* pass, const LayerTime& time) {
    table.rows.push_back({name, pass, time_text(time), time.kernel, time.basis_text()});
  };
  const std::string windows = fmt::format("2-simplicial {}x{}", layer.windows.window1, layer.windows.window2);
  add(windows, "forward", costs.simplicial.forward);
  add("", "backward", costs.simplicial.backward);
  add("global", "forward", costs.global.forward);
  add("", "backward", costs.global.backward);
  print_output("\nOne layer on one sequence of {} tokens, {}/{} heads of {}{}:\n\n{}", count_text(layer.seq_len),
               layer.q_heads, layer.kv_heads, layer.head_dim, layer.device.empty() ? "" : " on " + layer.device,
               render(table, terminal_width(stdout, kUnlimitedWidth)));
}

void print_mix(const ModelShape& model, const LayerCosts& costs) {
  const std::int64_t simplicial = every_nth(model.layers, model.every);
  const MsRange mixed = mix_range(costs, model.layers, simplicial, model.sequences);
  const MsRange global = mix_range(costs, model.layers, 0, model.sequences);
  const MsRange ratio = mix_ratio(costs, model.layers, simplicial);
  if (simplicial == 0) {
    print_output(
        "\nNo layer of {} is 2-simplicial, since one of {} would be: nothing is mixed. Attention in a training step of "
        "global layers only, {}: {} ms.\n",
        model.layers, model.every, number_of(model.sequences, "sequence"), range_text(global));
  } else {
    print_output(
        "\nAttention in a training step of {} layers, {} of them 2-simplicial, {}: {} ms.\nWith global "
        "layers only: {} ms. The mix takes {:.3f} to {:.3f} times as long. {}\n",
        model.layers, simplicial, number_of(model.sequences, "sequence"), range_text(mixed), range_text(global),
        ratio.low, ratio.high, kMixRatioCaveat);
  }
  if (model.budget_ms <= 0) return;
  const BudgetMixes mixes = mixes_within(costs, model.layers, model.budget_ms, model.sequences);
  if (mixes.none()) {
    print_output("No mix of {} layers stays within {} ms, by 95 % intervals.\n", model.layers,
                 milliseconds_text(model.budget_ms));
  } else {
    print_output("Within {} ms, by 95 % intervals: {} to {} of {} layers may be 2-simplicial.\n",
                 milliseconds_text(model.budget_ms), mixes.fewest, mixes.most, model.layers);
  }
}

struct LayerSum {
  std::optional<LayerCosts> costs;
  std::string why_not;
};

/// Where no database was named, that the usual one cannot answer is no mistake of the request.
LayerSum sum_of(const std::vector<ResultRow>& rows, const LayerMixRequest& layer, const WorkTable& work, bool named) {
  try {
    return {layer_costs(rows, layer, work), ""};
  } catch (const Error& error) {
    if (named) throw;
    return {std::nullopt, error.what()};
  }
}

}  // namespace

void print_recipe(const ModelShape& model, const std::string& database, bool json) {
  if (database.empty() && !std::filesystem::exists(database_path(database))) {
    print_card(json);
    if (!json) print_comparable({}, asked_layer({}, model.named), {}, database);
    if (!json) print_output("\nWith --db FILE it also says what such layers cost.\n");
    return;
  }
  const std::vector<ResultRow> rows = Snapshot(existing_database(database)).results();
  const LayerMixRequest layer = asked_layer(rows, model.named);
  ProblemList wanted;
  wanted.add(problems_to_count(rows, layer));
  wanted.add(crossing_problems(rows, layer));
  const WorkTable work = count_work(wanted.list());
  const LayerSum sum = sum_of(rows, layer, work, !database.empty());  // refuses before anything is printed
  print_card(json);
  if (!json) print_comparable(rows, layer, work, database);
  if (json && sum.costs) write_json_line(dump_line(as_json(model, layer, *sum.costs)));
  if (json) return;
  if (!sum.costs) return print_output("\n{}\n", sum.why_not);
  const LayerCosts& costs = *sum.costs;
  print_layers(layer, costs);
  print_mix(model, costs);
  print_output(
      "\nNot in it: other kinds of layers, projections, experts, communication. Times are those of {} rows; each pass "
      "is that of\nthe kernel that is surely done earliest.\n",
      to_string(layer.regime));
}

}  // namespace triscope
