// `triscope paper`: the paper's numbers, recomputed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/commands/commands.hpp"
#include "app/cli/commands/section_options.hpp"
#include "app/cli/options/before_output.hpp"
#include "app/cli/options/database_option.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/paper/paper_sections.hpp"
#include "app/cli/paper/written.hpp"
#include "kernels/base/error.hpp"
#include "kernels/tensors/match3.hpp"
#include "profiler/paper/laws/losses_file.hpp"
#include "profiler/paper/part_names.hpp"
#include "profiler/plan/windows.hpp"

namespace triscope {
namespace {

struct PaperOptions {
  std::string section, id;
  ModelSizes sizes = kPrintedSizes;
  ScalingQuestion scaling;
  std::string losses, page;
  ModelShape model;
  Match3Request match3;
  std::shared_ptr<std::string> database;
  bool json = false;
};

std::vector<double> parse_sizes(const char* option, const std::string& text) {
  std::vector<double> sizes;
  for (const std::string& one : parse_list(option, text)) sizes.push_back(parse_parameters(one));
  return sizes;
}

GeneralLaw parse_law(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string& one : parse_list("--law", text)) numbers.push_back(parse_number("--law", one));
  if (numbers.size() != 5)
    refuse_value("--law", text, "these are not five numbers", "give E,A,alpha,B,beta of E + A / N^alpha + B / D^beta");
  const GeneralLaw law{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
  require_law(law);
  return law;
}

void add_scaling_options(CLI::App& command, ScalingQuestion& question) {
  add_text(command, "--forecast", "N,...", "Numbers of parameters at which the laws are continued, for scaling",
           [&question](const std::string& text) { question.forecasts = parse_sizes("--forecast", text); });
  add_text(command, "--law", "E,A,ALPHA,B,BETA", "L(N, D) = E + A / N^ALPHA + B / D^BETA is evaluated, for scaling",
           [&question](const std::string& text) { question.law = parse_law(text); });
  add_text(command, "--trained-on", "D", "Tokens of that law, such as 1T (default: no such term)",
           [&question](const std::string& text) { question.tokens = parse_parameters(text); });
  add_text(command, "--irreducible", "L", "Loss that no model gets below, taken off before a second fit, for scaling",
           [&question](const std::string& text) { question.irreducible = parse_number("--irreducible", text); });
}

void set_model_sizes(PaperOptions& options, const std::string& text) {
  const std::vector<double> sizes = parse_sizes("--sizes", text);
  if (sizes.size() != options.sizes.size())
    refuse_value("--sizes", text, "the paper has three model sizes", "give three, such as 1.06B,2.01B,3.39B");
  std::copy(sizes.begin(), sizes.end(), options.sizes.begin());
  if (!sizes_grow(options.sizes))
    refuse_value("--sizes", text, "they do not grow, and the rows of Table 2 do", "give the smallest size first");
}

Windows one_pair(const std::string& text) {
  const std::vector<Windows> all = parse_windows(text);
  if (all.size() != 1) refuse_value("--windows", text, "this is more than one pair", "name one, such as 284x32");
  return all.front();
}

void add_model_options(CLI::App& command, PaperOptions& options) {
  const auto count = [&](const char* name, const char* description, auto& value) {
    add_text(command, name, "N", description,
             [name, &value](const std::string& text) { value = parse_count(name, text); });
  };
  NamedLayer& layer = options.model.named;
  add_text(command, "--window,--windows", "N1xN2", "Windows, for the sections with layers (default: 512x32)",
           [&layer](const std::string& text) { layer.windows = one_pair(text); });
  count("--seq", "Sequence length, likewise (default: 32k)", layer.seq_len);
  count("--q-heads", "Query heads, likewise (default: 64, or those that the database has)", layer.q_heads);
  count("--kv-heads", "Key and value heads, likewise (default: 1)", layer.kv_heads);
  count("--head-dim", "Head dimension, likewise (default: 128)", layer.head_dim);
  add_text(command, "--form", "{trilinear,determinant}", "Form of the logit, likewise (default: trilinear)",
           [&layer](const std::string& text) { layer.form = parse_simplicial_form("--form", text); });
  const auto at_most = [&](const char* name, const char* description, std::int64_t most, std::int64_t& value) {
    add_text(command, name, "N", description, [name, most, &value](const std::string& text) {
      value = parse_count(name, text);
      if (value > most) refuse_value(name, text, "these are too many", fmt::format("give at most {}", most));
    });
  };
  at_most("--layers", "Attention layers of the model, for recipe (default: 32)", kMostLayers, options.model.layers);
  count("--every", "One layer of so many is 2-simplicial, for recipe (default: 4)", options.model.every);
  at_most("--sequences", "Sequences of a training step, for recipe (default: 1)", kMostSequences,
          options.model.sequences);
  add_text(command, "--budget", "TIME", "Time for attention in a step, such as 5s, for recipe",
           [&options](const std::string& text) {
             options.model.budget_ms = static_cast<double>(parse_duration_ns("--budget", text)) * 1e-6;
           });
  add_text(command, "--match", "ID",
           "Kernel of the global layers, likewise (default: baseline.fa3, or one that was measured)",
           [&layer](const std::string& text) { layer.dot_kernel = text; });
  options.database = add_database_option(command);
}

void add_match3_options(CLI::App& command, Match3Request& request) {
  Match3Question& question = request.question;
  add_text(command, "--numbers", "LIST", "Numbers, such as 3,8,0, for match3 (default: drawn)",
           [&question](const std::string& text) {
             const auto numbers = parse_match3_numbers(text);
             if (!numbers || numbers->empty())
               refuse_value("--numbers", text, "these are no whole numbers", "give some, such as 3,8,0");
             question.numbers = *numbers;
           });
  add_text(command, "--tokens", "N", "How many numbers are drawn, likewise (default: 8)",
           [&request](const std::string& text) {
             request.tokens = parse_count("--tokens", text);
             if (request.tokens > kMatch3MostNumbers)
               refuse_value("--tokens", text, "these are too many", fmt::format("draw at most {}", kMatch3MostNumbers));
           });
  add_text(command, "--modulus", "M", "Modulus, likewise (default: 53)", [&question](const std::string& text) {
    question.modulus = parse_count("--modulus", text);
    if (question.modulus > kMatch3LargestModulus)
      refuse_value("--modulus", text, "this is too large", fmt::format("choose 1 to {}", kMatch3LargestModulus));
  });
  add_text(command, "--c", "C", "Scale of the logits, likewise (default: safe where one is)",
           [&question](const std::string& text) {
             question.c = parse_number("--c", text);
             if (question.c <= 0) refuse_value("--c", text, "it must be above zero", "leave it out for a safe one");
           });
  add_text(command, "--precision", "{fp32,fp16,bf16}", "Of q, k1 and k2, likewise (default: fp32)",
           [&question](const std::string& text) {
             question.precision = parse_choice("--precision", text, parse_match3_precision, {"fp32", "fp16", "bf16"});
           });
  add_text(command, "--seed", "N", "Seed of drawn numbers and inputs, likewise (default: 1)",
           [&request](const std::string& text) { request.seed = parse_seed("--seed", text); });
}

int run(const CLI::App& command, PaperOptions options) {
  if (options.section.empty()) options.section = command.count("--db") > 0 ? "overview" : "results";
  const std::string asked = options.section;
  options.section = std::string(section_called(asked));
  const auto section = [&](std::string_view name) { return options.section == name; };
  if (std::ranges::find(paper_sections(), options.section) == paper_sections().end())
    refuse_choice("paper", options.section, "this is no part of it", paper_sections());
  if (!options.id.empty() && !section("errata") && !section("formulas"))
    refuse_value("paper", options.id, "only errata have names, and formulas",
                 "leave it out, or use `triscope paper errata`");
  refuse_unused_options(command, options.section, asked);
  write_before_output(named_part_text(asked, options.json));
  if (section("results")) {
    print_paper_results(options.sizes, options.json);
  } else if (section("scaling")) {
    if (options.losses.empty()) options.scaling.of_the_paper = options.sizes;
    print_scaling_laws(options.losses.empty() ? all_paper_losses(options.sizes) : read_losses_file(options.losses),
                       options.scaling, options.json);
  } else if (section("operator")) {
    print_operator(options.model.named, *options.database, options.json);
  } else if (section("table1")) {
    print_table1(*options.database, options.json);
  } else if (section("overview")) {
    print_overview(options.model.named, *options.database, options.json);
  } else if (section("lengths")) {
    print_lengths(options.model.named, *options.database, options.json);
  } else if (section("errata")) {
    print_errata(options.id, options.json);
  } else if (section("formulas")) {
    print_formulas(options.id, options.json);
  } else if (section("steps")) {
    print_steps(algorithm_called(asked), options.json);
  } else if (section("rotation")) {
    print_rotation(options.json);
  } else if (section("tiling")) {
    print_tiling(options.model.named, *options.database, options.json);
  } else if (section("recipe")) {
    print_recipe(options.model, *options.database, options.json);
  } else if (section("match3")) {
    print_match3(options.match3, options.json);
  } else {
    if (options.page.empty())
      refuse_value("paper", "page", "there is no file to write", "name one with -o, such as -o report.html");
    write_paper_page(options.model.named, *options.database, options.page);
  }
  return 0;
}

}  // namespace

void add_paper_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("paper", "The paper's tables and laws, recomputed, and its errata");
  auto options = std::make_shared<PaperOptions>();
  command
      ->add_option("SECTION", options->section,
                   "Which part (default: results; with --db overview), also as the paper numbers it: table1 to 4, "
                   "figure1 to 3, algorithm1 and 2, listing1 to 3, theorem1")
      ->type_name(fmt::format("{{{}}}", fmt::join(paper_sections(), ",")));
  command->add_option("ID", options->id, "One erratum, with its reason, or one part of the formulas")->type_name("ID");
  add_text(*command, "--sizes", "N,N,N", "Active parameters of the three models (default: 1B,2B,3.5B)",
           [options](const std::string& text) { set_model_sizes(*options, text); });
  command->add_option("--losses", options->losses, "CSV with losses of your own models, for scaling")
      ->type_name("FILE");
  command->add_option("-o,--out", options->page, "HTML file that page writes")->type_name("FILE");
  add_scaling_options(*command, options->scaling);
  add_model_options(*command, *options);
  add_match3_options(*command, options->match3);
  add_table_or_json(*command, options->json);
  command->footer(
      "Losses are lines \"benchmark,model,parameters,loss\", these names first; parameters may end in M, B or T.\n"
      "\n"
      "Examples:\n"
      "  triscope paper                                      which printed numbers follow from the others\n"
      "  triscope paper --db FILE                            what each part comes to, with these measurements\n"
      "  triscope paper results --sizes 1.06B,2.01B,3.39B    the same with other model sizes\n"
      "  triscope paper operator --window 284x32 --db FILE   the logit, its relatives, and where the costs cross\n"
      "  triscope paper table1                               its milliseconds beside those of an H100 and yours\n"
      "  triscope paper scaling --forecast 7B,70B            exponents with their intervals, continued\n"
      "  triscope paper scaling --irreducible 0.1            exponents of what lies above a loss that stays\n"
      "  triscope paper scaling --losses mine.csv            the same fits of your own models\n"
      "  triscope paper tiling --window 284x32               what of the tiles is useful, and what they cost\n"
      "  triscope paper recipe --sequences 4 --budget 13s    attention of a training step, from measured rows\n"
      "  triscope paper match3 --numbers 3,8,0,5 --modulus 11  Theorem 1 on these numbers, and how far its head goes\n"
      "  triscope paper formulas backward                    what the paper writes: here its seven formulas, mended\n"
      "  triscope paper algorithm2                           the two-stage backward as printed, and run line by line\n"
      "  triscope paper errata grad-k2-indices               one of the errata, with its reason");
  command->callback([command, options, &action] { action = [command, options] { return run(*command, *options); }; });
}

}  // namespace triscope
