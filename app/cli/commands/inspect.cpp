// `triscope inspect`: one query's slice of the attention tensor as a picture, table or array.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/commands/commands.hpp"
#include "app/cli/commands/inspect_heads.hpp"
#include "app/cli/film/film_making.hpp"
#include "app/cli/options/shared_options.hpp"
#include "app/cli/text/terminal.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/error.hpp"
#include "kernels/base/files/output_file.hpp"
#include "kernels/inspect/counted_queries.hpp"
#include "kernels/inspect/triple_search.hpp"
#include "profiler/export/head_means.hpp"
#include "profiler/export/slice_export.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/plan/windows.hpp"
#include "profiler/record/json.hpp"
#include "profiler/supervise/find_triples.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "profiler/supervise/worker_jobs.hpp"

namespace triscope {
namespace {

constexpr std::array kRoles{"q", "k1", "k2", "v1", "v2", "sink", "do"};

struct InspectOptions {
  AttentionSource source;
  SliceQuery query;
  SliceExport format;
  std::string out, device = "auto", kernel, film;
  FilmQueries queries;
  std::int64_t top = 8;
  TripleSearch search;
  bool linear = false, windows_given = false, json = false, heads = false;
};

/// Tokens and heads are counted from 0, so `parse_count` will not do.
std::int64_t parse_index(const char* option, const std::string& text) {
  if (text == "0") return 0;
  if (text.empty() || text.find_first_not_of("0123456789kKmM") != std::string::npos) {
    refuse_value(option, text, "this is not a position", "give a whole number from 0 on, such as 0 or 900");
  }
  return parse_count(option, text);
}

void set_windows(InspectOptions& options, const std::string& text) {
  const std::vector<Windows> windows = parse_windows(text);
  if (windows.size() != 1) refuse_value("--windows", text, "a slice has one pair of windows", "write it as 512x32");
  options.query.problem.window1 = windows.front().window1;
  options.query.problem.window2 = windows.front().window2;
  options.windows_given = true;
}

std::string token(const SourceReply& source, std::int64_t position) {
  return source.labels.empty() ? fmt::format("{}", position)
                               : fmt::format("{} \"{}\"", position, source.labels[static_cast<std::size_t>(position)]);
}

double norm(const std::vector<float>& vector) {
  double squares = 0;
  for (float x : vector) squares += static_cast<double>(x) * x;
  return std::sqrt(squares);
}

/// False where it is too large for fp32 as well: then it has neither a length nor shares.
bool has_output(const SourceReply& source, const Slice& slice) {
  return source.values && std::isfinite(norm(slice.output));
}

/// ", 12.34 % of the output"; empty: there is no output that it could be a part of.
std::string share_text(const SourceReply& source, const Slice& slice, const Triple& triple) {
  constexpr double kShown = 0.005;
  if (!has_output(source, slice) || !std::isfinite(triple.output_share)) return "";
  const double percent = 100 * triple.output_share;
  return fmt::format(", {:.2f} % of the output", std::abs(percent) < kShown ? 0 : percent);
}

void print_facts(const InspectOptions& options, const SourceReply& source, const Slice& slice) {
  print_output("query {}, head {} of {}: {} x {} pairs, {}\n", token(source, options.query.query), options.query.head,
               source.q_heads, slice.count1, slice.count2, to_string(options.query.problem.form));
  if (slice.top.empty() && slice.nan_count + slice.infinite_count > 0) {
    print_output("no logit is finite ({} NaN, {} infinite): there is no distribution over pairs, and no output\n",
                 slice.nan_count, slice.infinite_count);
    return;
  }
  if (!std::isfinite(slice.lse)) {
    print_output("the sink of this head is NaN or infinite: there is no distribution over pairs, and no output\n");
    return;
  }
  print_output("entropy {:.4g} nats, largest p {:.4g}, sink {}, mean distance {:.4g} and {:.4g} tokens\n",
               slice.entropy, slice.largest_p, source.sink ? fmt::format("{:.4g}", slice.sink_p) : "none",
               slice.distance1, slice.distance2);
  if (source.sink) print_output("entropy and distances are those of the pairs, without the sink\n");
  if (slice.nan_count + slice.infinite_count > 0) {
    print_output(
        "{} logits are NaN and {} infinite: p is over the others; NaN or +infinity makes a kernel's whole row NaN\n",
        slice.nan_count, slice.infinite_count);
  }
  if (has_output(source, slice)) {
    print_output("output of length {:.4g}\n", norm(slice.output));
  } else if (source.values) {
    print_output("the output is beyond the largest fp32 number, or NaN: it has no length, and no pair a share of it\n");
  }
  for (const Triple& triple : slice.top) {
    const std::string share = share_text(source, slice, triple);
    print_output("  j {:<16} k {:<16} logit {:<10.5g} p {:.5g}{}\n", token(source, triple.j), token(source, triple.k),
                 triple.logit, triple.p, share);
  }
}

nlohmann::json json_of(const std::vector<WrongPair>& wrong) {
  nlohmann::json pairs = nlohmann::json::array();
  for (const WrongPair& pair : wrong)
    pairs.push_back({{"j", pair.j},
                     {"k", pair.k},
                     {"kind", to_string(pair.kind)},
                     {"share", pair.share},
                     {"c", pair.c},
                     {"p", pair.p},
                     {"times", pair.kind == WrongPairKind::weighed ? nlohmann::json(pair.times) : nlohmann::json()}});
  return pairs;
}

/// The same facts as one object; what is NaN is null.
void print_json(const InspectOptions& options, const SourceReply& source, const Slice& slice,
                const std::optional<KernelRow>& row) {
  nlohmann::json top = nlohmann::json::array();
  for (const Triple& triple : slice.top)
    top.push_back({{"j", triple.j},
                   {"k", triple.k},
                   {"logit", triple.logit},
                   {"p", triple.p},
                   {"output_share", source.values ? nlohmann::json(triple.output_share) : nlohmann::json()}});
  nlohmann::json object = {{"type", "slice"},
                           {"query", options.query.query},
                           {"head", options.query.head},
                           {"batch", options.query.batch},
                           {"form", to_string(options.query.problem.form)},
                           {"keys1", slice.count1},
                           {"keys2", slice.count2},
                           {"lse", slice.lse},
                           {"entropy", slice.entropy},
                           {"largest_p", slice.largest_p},
                           {"sink_p", source.sink ? nlohmann::json(slice.sink_p) : nlohmann::json()},
                           {"distance1", slice.distance1},
                           {"distance2", slice.distance2},
                           {"nan_logits", slice.nan_count},
                           {"infinite_logits", slice.infinite_count},
                           {"output_length", source.values ? nlohmann::json(norm(slice.output)) : nlohmann::json()},
                           {"top", top}};
  if (row)
    object["kernel_row"] = {{"kernel", options.kernel},     {"instance", row->instance},
                            {"error", row->error},          {"bound", row->bound},
                            {"wrong", json_of(row->wrong)}, {"lse_error", std::abs(row->lse - row->exact_lse)}};
  write_json_line(dump_line(object));
}

/// Beside an empty answer.
std::string nothing_found_text(const TripleSearch& search) {
  const int asked = search.token.has_value() + search.back.has_value() + search.has_least_distances();
  return asked > 1 ? "no query has a triple of which all that is asked holds, with a finite logit"
                   : "no query has a finite logit for such a triple";
}

/// Each with the options that show its slice.
void print_found(const InspectOptions& options, const SourceReply& source, const std::vector<FoundTriple>& found) {
  const std::string left_out =
      left_out_sentence(counted_queries(options.query.problem, source.seq_len), options.search.all_queries);
  if (!left_out.empty()) print_output("{}\n", left_out);
  if (found.empty()) print_output("{}\n", nothing_found_text(options.search));
  for (const FoundTriple& one : found)
    print_output("--head {:<3} --query {:<16} j {:<16} k {:<16} logit {:<10.5g} p {:.5g}\n", one.head,
                 token(source, one.query), token(source, one.triple.j), token(source, one.triple.k), one.triple.logit,
                 one.triple.p);
}

void print_found_json(const std::vector<FoundTriple>& found) {
  for (const FoundTriple& one : found)
    write_json_line(dump_line({{"type", "triple"},
                               {"head", one.head},
                               {"query", one.query},
                               {"j", one.triple.j},
                               {"k", one.triple.k},
                               {"logit", one.triple.logit},
                               {"p", one.triple.p}}));
}

void print_kernel_row(const std::string& kernel, const SourceReply& source, const KernelRow& row) {
  const double lse_error = std::abs(row.lse - row.exact_lse);
  const auto error = [](double value, const char* what) {
    return std::isfinite(value) ? fmt::format("{} of {:.3g}", what, value) : "no error that can be said";
  };
  const bool said = std::isfinite(row.error) && std::isfinite(lse_error);
  print_output("{} ({}) on {} inputs: its output has {}, its LSE {}{}\n", kernel, row.instance, to_string(row.element),
               error(row.error, "a relative error"), error(lse_error, "an error"),
               said ? "" : ": the kernel's value or the exact one is NaN or infinite");
  if (!(row.error > row.bound)) return;
  print_output("a right kernel is within {:.2g}{}\n", row.bound,
               row.wrong.empty() ? ": no single pair explains the error" : ":");
  for (const WrongPair& pair : row.wrong)
    print_output("  j {:<16} k {:<16} {}; {}\n", token(source, pair.j), token(source, pair.k), done_text(pair),
                 share_text(pair));
}

/// A worker on the device that was asked for. "auto" is the first GPU or else the CPU, and the kernel's if one is run.
WorkerOptions worker_on(const std::string& device, const std::string& kernel) {
  if (device == "cpu") return {};
  const Catalog catalog = query_catalog();
  return worker_for({}, catalog, device_for(device, kernel, catalog));
}

/// The output must not overwrite the tensors or the labels.
void refuse_to_overwrite(const std::filesystem::path& out, const AttentionSource& source) {
  std::vector<std::filesystem::path> inputs{source.file, source.labels_file};
  if (std::filesystem::path(source.file).extension() == ".npy") {
    for (const char* role : kRoles)
      inputs.push_back(std::filesystem::path(source.file).replace_filename(role) += ".npy");
  }
  for (const std::filesystem::path& input : inputs) {
    std::error_code missing;  // then it is not the same file
    if (!std::filesystem::equivalent(out, input, missing)) continue;
    throw Error(fmt::format("'{}' is not written", out.string()), "it is one of the files that are inspected",
                "choose another name for --out", ExitCode::usage);
  }
}

SliceExport format_for(const InspectOptions& options, const SourceReply& source) {
  SliceExport format = options.format;
  format.labels = source.labels;
  format.style.scale = options.linear ? HeatmapStyle::Scale::probability : HeatmapStyle::Scale::logarithmic;
  if (options.query.problem.mask == Mask::causal) {
    format.frame1 = std::min(options.query.problem.window1, source.seq_len);
    format.frame2 = std::min(options.query.problem.window2, source.seq_len);
  }
  return format;
}

int run(const InspectOptions& given) {
  InspectOptions options = given;
  if (!options.out.empty()) require_output(options.out, slice_format(options.out), "--out");
  if (options.source.kind == SourceKind::file)
    options.source.file = std::filesystem::absolute(options.source.file).string();
  if (!options.source.labels_file.empty())
    options.source.labels_file = std::filesystem::absolute(options.source.labels_file).string();
  if (!options.out.empty()) refuse_to_overwrite(options.out, options.source);
  options.source.form = options.query.problem.form;
  std::optional<FilmMaking> film;
  if (!options.film.empty()) film.emplace(options.film);
  Supervisor worker{worker_on(options.device, options.kernel)};
  const SourceReply source = worker.source({options.source}, film ? film->stop() : std::stop_token());
  if (!source.problem.empty()) {
    print_error("triscope: {}", source.problem);
    return static_cast<int>(ExitCode::usage);
  }
  if (!options.windows_given && options.query.problem.mask == Mask::causal) {
    throw Error("--windows is missing", "the causal mask needs a pair of windows", "add one such as --windows 512x32",
                ExitCode::usage);
  }
  if (options.heads) {
    print_heads(worker, options.source, options.query, source, options.json);
    return 0;
  }
  if (options.search.most > 0) {
    const auto found = find_triples(worker, options.source, options.query, source, options.search);
    if (options.json && found.empty()) say_aside(nothing_found_text(options.search), true);
    options.json ? print_found_json(found) : print_found(options, source, found);
    return 0;
  }
  if (film) {
    if (options.queries.last >= source.seq_len)
      refuse_value("--queries", fmt::format("{}..{}", options.queries.first, options.queries.last),
                   fmt::format("the tensors have {} tokens", source.seq_len), "end before that");
    return film->make(worker, {options.source, options.query, options.queries, format_for(options, source)},
                      options.json);
  }
  const Slice slice = worker.slice({options.source, options.query, options.top});
  std::optional<KernelRow> row;
  if (!options.kernel.empty()) row = worker.kernel_row({options.source, options.query, options.kernel});
  if (options.json) {
    print_json(options, source, slice, row);
  } else {
    print_facts(options, source, slice);
    if (row) print_kernel_row(options.kernel, source, *row);
  }
  if (options.out.empty()) return 0;
  write_slice(options.out, slice, format_for(options, source));
  if (!options.json) print_output("written to {}\n", options.out);
  return 0;
}

/// Refuses what would be ignored: options of a file beside generated tensors and the reverse, and those of another
/// kind of output.
void refuse_ignored(const CLI::App& command, const InspectOptions& options) {
  const auto given = [&command](const char* option) { return command.count(option) > 0; };
  const auto refuse = [&given](std::initializer_list<const char*> names, const std::string& why, const char* fix) {
    for (const char* name : names) {
      if (given(name)) throw Error(fmt::format("{} cannot be used", name), why, fix, ExitCode::usage);
    }
  };
  if (!given("--in") && !given("--source"))
    throw Error("there is nothing to inspect", "neither --in nor --source is given", "add --in FILE", ExitCode::usage);
  if (given("--in")) {
    if (options.source.file.empty())
      refuse_value("--in", "", "the name is empty", "name a .safetensors, .npy, .npz or .pt file");
    refuse({"--source", "--seq", "--q-heads", "--kv-heads", "--head-dim", "--seed", "--rotary"},
           "it belongs to generated tensors, and --in names a file", "leave one of the two out");
  } else {
    refuse({"--names", "--heads-first", "--labels"}, "it belongs to --in, and the tensors are generated",
           "leave it out, or name a file with --in");
  }
  if (given("--find")) {
    refuse({"--query", "--head", "--out", "--kernel", "--top"}, "it belongs to one slice, and --find searches all",
           "leave one of the two out");
  } else {
    refuse({"--token", "--back", "--apart", "--away", "--all-queries"}, "it belongs to a search", "add --find N");
  }
  if (given("--heads"))
    refuse({"--query", "--head", "--out", "--kernel", "--top", "--find", "--film"},
           "it belongs to one slice, a search or a film, and --heads prints means of all queries",
           "leave one of the two out");
  if (given("--film")) {
    refuse({"--query", "--out", "--kernel", "--top", "--find"},
           "it belongs to one slice or a search, and --film draws many", "leave one of the two out");
    if (options.film.empty()) refuse_value("--film", "", "the name is empty", "name a folder");
    if (!given("--queries"))
      throw Error("--queries is missing", "a film goes through queries", "add some such as --queries 100..900/4",
                  ExitCode::usage);
  } else {
    refuse({"--queries"}, "it belongs to a film", "add --film DIR");
  }
  const std::string ending = std::filesystem::path(options.out).extension().string();
  if (ending != ".npy") refuse({"--logits"}, "it belongs to an array", "name a .npy file with --out");
  if (ending != ".png" && !given("--film"))
    refuse({"--linear", "--colours"}, "it belongs to a picture", "name a .png file with --out");
}

void add_source_options(CLI::App& command, const std::shared_ptr<InspectOptions>& options) {
  AttentionSource& source = options->source;
  add_text(command, "--in", "FILE",
           ".safetensors, .npz or .pt with q, k1, k2[, v1, v2, sink], or q.npy with k1.npy, k2.npy beside it",
           [options](const std::string& text) {
             options->source.kind = SourceKind::file;
             options->source.file = text;
           });
  add_text(command, "--source", "{random,peaked,induction}", "Generated tensors instead of a file",
           [options](const std::string& text) {
             options->source.kind =
                 parse_choice<SourceKind>("--source", text, parse_source_kind, {"random", "peaked", "induction"});
             if (options->source.kind == SourceKind::file || options->source.kind == SourceKind::match3) {
               refuse_value("--source", text, "--source cannot choose it", "choose from random, peaked, induction");
             }
           });
  add_text(command, "--names", "q=NAME,...",
           "Which tensor of the file is which, when the names do not show it; v1= says that there is no v1",
           [&source](const std::string& text) { source.mapping.names = parse_tensor_names(text); });
  command.add_flag("--heads-first", source.mapping.heads_first,
                   "Tensors are [batch, heads, seq, dim] (default: [batch, seq, heads, dim])");
  command.add_option("--labels", source.labels_file, "Text file with one token per line")->type_name("FILE");
  add_text(command, "--seq", "N", "Tokens of generated tensors (default: 1024)",
           [&source](const std::string& text) { source.seq_len = parse_count("--seq", text); });
  add_text(command, "--q-heads", "N", "Query heads of generated tensors (default: 8)",
           [&source](const std::string& text) { source.q_heads = parse_count("--q-heads", text); });
  add_text(command, "--kv-heads", "N", "Key heads of generated tensors (default: 1)",
           [&source](const std::string& text) { source.kv_heads = parse_count("--kv-heads", text); });
  add_text(command, "--head-dim", "N", "Dimensions of generated tensors (default: 64)",
           [&source](const std::string& text) { source.head_dim = parse_count("--head-dim", text); });
  add_text(command, "--seed", "N", "Seed of generated tensors (default: 1)",
           [&source](const std::string& text) { source.seed = parse_seed("--seed", text); });
  command.add_flag("--rotary", source.rotary, "Apply rotary embedding to generated tensors");
}

void add_query_options(CLI::App& command, const std::shared_ptr<InspectOptions>& options) {
  SliceQuery& query = options->query;
  add_text(command, "--query", "I", "Position of the query, from 0 (default: 0)",
           [&query](const std::string& text) { query.query = parse_index("--query", text); });
  add_text(command, "--head", "H", "Query head, from 0 (default: 0)",
           [&query](const std::string& text) { query.head = parse_index("--head", text); });
  add_text(command, "--batch", "B", "Batch, from 0 (default: 0)",
           [&query](const std::string& text) { query.batch = parse_index("--batch", text); });
  add_text(command, "--windows", "W1xW2", "Windows of the causal mask, such as 512x32",
           [options](const std::string& text) { set_windows(*options, text); });
  add_logit_options(command, query.problem);
  add_text(command, "--arithmetic", "{exact,bf16_inputs,bf16_kernel}",
           "What is rounded to bf16 (default: exact, which rounds nothing)", [&query](const std::string& text) {
             query.arithmetic = parse_choice<Arithmetic>("--arithmetic", text, parse_arithmetic,
                                                         {"exact", "bf16_inputs", "bf16_kernel"});
           });
}

void add_search_options(CLI::App& command, const std::shared_ptr<InspectOptions>& options) {
  TripleSearch& search = options->search;
  add_text(command, "--find", "N", "The N strongest triples of all queries and heads, instead of one slice",
           [&search](const std::string& text) { search.most = parse_count("--find", text); });
  add_text(command, "--token", "I", "Find only triples with this position as j or k",
           [&search](const std::string& text) { search.token = parse_index("--token", text); });
  add_text(command, "--back", "A,B", "Find only triples whose j and k are A and B tokens before their query",
           [&search](const std::string& text) {
             const std::vector<std::string> pair = parse_list("--back", text);
             if (pair.size() != 2) refuse_value("--back", text, "this is not a pair of distances", "write it as 1,2");
             search.back = {parse_index("--back", pair[0]), parse_index("--back", pair[1])};
           });
  add_text(command, "--apart", "N", "Find only triples whose keys lie at least N tokens from each other",
           [&search](const std::string& text) { search.apart = parse_index("--apart", text); });
  add_text(command, "--away", "N", "Find only triples whose keys both lie at least N tokens from their query",
           [&search](const std::string& text) { search.away = parse_index("--away", text); });
  command.add_flag(
      "--heads", options->heads,
      "Means of every head over the queries, beside those of even weights, and where p is largest on average");
  command.add_flag("--all-queries", search.all_queries,
                   "Search the first queries, too, which see few pairs and have a large p by nature");
}

void add_film_options(CLI::App& command, const std::shared_ptr<InspectOptions>& options) {
  command
      .add_option("--film", options->film,
                  "A picture for each of --queries as 0001.png, 0002.png, ... in a new or empty folder")
      ->type_name("DIR");
  add_text(command, "--queries", "A..B[/STEP]", "Queries of a film: from A to B, every STEP-th",
           [options](const std::string& text) { options->queries = parse_film_queries("--queries", text); });
}

void add_output_options(CLI::App& command, const std::shared_ptr<InspectOptions>& options) {
  command
      .add_option("-o,--out", options->out,
                  "Picture (.png), table (.csv) or array (.npy); without it, only the figures are printed")
      ->type_name("FILE");
  command.add_flag("--logits", options->format.logits, "npy: write logits instead of p");
  command.add_flag("--linear", options->linear, "PNG, film: colours follow p (default: six decades of log p)");
  add_text(command, "--colours", "{viridis,cividis,inferno}", "PNG, film: colour map (default: viridis)",
           [options](const std::string& text) {
             options->format.style.map =
                 parse_choice<ColourMap>("--colours", text, parse_colour_map, {"viridis", "cividis", "inferno"});
           });
  command
      .add_option("--device", options->device,
                  "auto (the first GPU, else the CPU; with --kernel, that kernel's device), cpu, or a GPU's number")
      ->type_name("ID");
  command
      .add_option(
          "--kernel", options->kernel,
          "Also run this kernel of the device, such as cuda.portable, and compare its output row with the exact one")
      ->type_name("ID");
  add_table_or_json(command, options->json);
  add_text(command, "--top", "N", "Strongest triples printed (default: 8)",
           [options](const std::string& text) { options->top = parse_count("--top", text); });
}

}  // namespace

void add_inspect_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("inspect", "One query's attention as a picture, table or array");
  auto options = std::make_shared<InspectOptions>();
  add_source_options(*command, options);
  add_query_options(*command, options);
  add_output_options(*command, options);
  add_search_options(*command, options);
  add_film_options(*command, options);
  command->footer(
      "Computed in fp64; a file is memory-mapped, so its size does not matter. The picture of all queries, Match3 "
      "and\n"
      "comparisons of two sources are in the window only (triscope gui, key A).\n"
      "\n"
      "Examples:\n"
      "  triscope inspect --in layer12.safetensors --query 1023 --head 5 --windows 512x32 -o slice.png\n"
      "  triscope inspect --in t.safetensors --names q=query,k1=key_a,k2=key_b --query 40 --windows 64x16 -o p.npy\n"
      "  triscope inspect --source induction --query 900 --head 7 --windows 512x32\n"
      "  triscope inspect --in t.safetensors --windows 64x16 --find 10 --token 40\n"
      "  triscope inspect --in t.safetensors --windows 64x16 --heads\n"
      "  triscope inspect --in t.safetensors --windows 64x16 --film scrub --queries 100..900/4");
  command->callback([command, options, &action] {
    refuse_ignored(*command, *options);
    action = [options] { return run(*options); };
  });
}

}  // namespace triscope
