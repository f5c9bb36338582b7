#include "app/cli/text/compared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "app/cli/text/number_text.hpp"
#include "app/cli/text/terminal_table.hpp"
#include "kernels/base/text/markup_text.hpp"
#include "profiler/export/export.hpp"
#include "profiler/export/text_table.hpp"
#include "profiler/record/columns.hpp"
#include "profiler/record/json.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/statistics/verdicts.hpp"

namespace triscope {
namespace {

using nlohmann::json;

std::string name_of(const ResultRow& row) {
  return fmt::format("{} {} {}", row.kernel, to_string(row.pass), windows_text(row.problem));
}

/// What kernel, pass, windows and length leave open about a row, each fact in its place.
std::vector<std::string> other_facts(const ResultRow& row) {
  const Problem& p = row.problem;
  const auto if_set = [](std::string_view name, double value) {
    return value == 0 ? std::string() : fmt::format("{} {}", name, significant_text(value));
  };
  return {std::string(to_string(p.form)),
          std::string(to_string(row.regime)),
          fmt::format("{} mask", to_string(p.mask)),
          fmt::format("batch {}", p.batch),
          fmt::format("heads {}/{}", p.q_heads, p.kv_heads),
          fmt::format("dim {}", p.head_dim),
          std::string(to_string(p.element)),
          p.deterministic ? "deterministic" : "",
          p.scale ? fmt::format("scale {}", significant_text(*p.scale)) : "",
          if_set("k2 bias", p.k2_bias),
          if_set("v2 bias", p.v2_bias),
          p.sink ? fmt::format("sink {}", significant_text(*p.sink)) : "",
          fmt::format("by {}", to_string(row.timing_source)),
          row.instance};
}

/// Of each pair those facts of A in which the pairs' A differ: rows that read alike otherwise.
std::vector<std::string> telling_facts(const std::vector<ComparedPair>& pairs) {
  std::vector<std::set<std::string>> values;  // of each fact
  for (const ComparedPair& pair : pairs) {
    const std::vector<std::string> facts = other_facts(pair.rows.a);
    values.resize(facts.size());
    for (std::size_t n = 0; n < facts.size(); ++n) values[n].insert(facts[n]);
  }
  std::vector<std::string> texts;
  for (const ComparedPair& pair : pairs) {
    std::vector<std::string> telling = other_facts(pair.rows.a);
    for (std::size_t n = 0; n < telling.size(); ++n)
      if (values[n].size() == 1) telling[n].clear();
    std::erase(telling, "");
    texts.push_back(fmt::format("{}", fmt::join(telling, ", ")));
  }
  return texts;
}

/// "time A / B, 99 %", or which interval has how much where they differ.
std::string ratio_title(const std::vector<ComparedPair>& pairs) {
  std::set<double> confidences;
  for (const ComparedPair& pair : pairs) {
    if (pair.comparison.ratio > 0) confidences.insert(pair.confidence);
  }
  if (confidences.size() > 1) return "time A / B, 99 %; 95 % in turns or without restarts";
  return fmt::format("time A / B, {:.0f} %",
                     100 * (confidences.empty() ? ComparedPair{}.confidence : *confidences.begin()));
}

/// A bound of a ratio; beyond a factor of a thousand the digits mean nothing.
std::string bound_text(double ratio) {
  if (ratio > 1000) return ">1000";
  return ratio < 0.001 ? "<0.001" : significant_text(ratio, 4);
}

std::string ratio_interval_text(const Comparison& comparison) {
  if (!(comparison.ratio > 0)) return "";
  if (!interval_known(comparison)) return "unknown";
  return fmt::format("{} .. {}", bound_text(comparison.interval.low), bound_text(comparison.interval.high));
}

std::string ms_text(const ResultRow& row) {
  return row.status == Status::ok && row.median_ms ? milliseconds_text(*row.median_ms)
                                                   : std::string(to_string(row.status));
}

/// What all pairs say beside their verdicts: those without one by their ratios, and what did not change.
std::vector<std::string> words_on_all(const Compared& compared) {
  Unjudged unjudged;
  BandTally tally;
  for (const ComparedPair& pair : compared.pairs) {
    unjudged.add(pair.comparison);
    if (pair.band) tally.add(*pair.band);
  }
  std::vector<std::string> lines{unjudged_text(unjudged), unchanged_text(compared.unchanged),
                                 band_text(compared.unchanged), compared.band ? tally_text(*compared.band, tally) : ""};
  std::erase(lines, "");
  return lines;
}

/// The sentences below a table: why a verdict is what it is, and what differs between A and B.
std::vector<std::string> sentences(const Compared& compared) {
  std::vector<std::string> lines;
  std::map<std::string, std::vector<std::string>> open;  // ids of the pairs of which a side did not converge, by side
  for (const ComparedPair& pair : compared.pairs) {
    const std::string ids = fmt::format("m{} with m{}", pair.rows.a.measurement, pair.rows.b.measurement);
    if (!pair.comparison.explanation.empty()) lines.push_back(fmt::format("{}: {}", ids, pair.comparison.explanation));
    if (!pair.chosen.empty()) lines.push_back(fmt::format("{}: {}", ids, pair.chosen));
    if (!pair.converged_a || !pair.converged_b)
      open[pair.converged_a ? "B" : pair.converged_b ? "A" : "both"].push_back(ids);
  }
  for (const auto& [side, pairs] : open) {
    const std::string count = pairs.size() == 1 ? "" : fmt::format(" in {} pairs", pairs.size());
    lines.push_back(
        fmt::format("{}: {} did not converge{}: measure longer (--budget).", fmt::join(pairs, ", "), side, count));
  }
  for (const PlaceDifference& difference : compared.differences)
    lines.push_back(fmt::format("A and B differ in {} of {} pairs: {}{}", difference.pairs, compared.pairs.size(),
                                difference.text, difference.allowed ? " (allowed)" : ""));
  return lines;
}

/// What did not change, as a line.
std::string unchanged_json(const Compared& compared) {
  const UnchangedKernels& unchanged = compared.unchanged;
  if (unchanged.times.empty()) return {};
  return dump_line({{"type", "unchanged"},
                    {"kernels", unchanged.labels},
                    {"ratios", unchanged.times},
                    {"cycle_ratios", unchanged.cycles},
                    {"average", compared.band ? json(compared.band->middle) : json(nullptr)},
                    {"factor", compared.band ? json(compared.band->factor) : json(nullptr)}}) +
         "\n";
}

json side_json(const ResultRow& row, bool converged) {
  json object = json::parse(export_rows(std::span(&row, 1), ExportFormat::json)).at(0);
  object["converged"] = converged;
  return object;
}

}  // namespace

void judge_beside_unchanged(Compared& compared) {
  compared.band = unchanged_band(compared.unchanged);
  for (ComparedPair& pair : compared.pairs) {
    if (compared.band && !is_unchanged(pair.rows.a, pair.rows.b))
      pair.band = judge(*compared.band, pair.comparison, pair.rows.a, pair.rows.b);
  }
}

Tally count_pairs(const std::vector<ComparedPair>& pairs, const Pairing& pairing) {
  Tally tally;
  tally.compared = pairs.size();
  for (const ComparedPair& pair : pairs) {
    const Verdict verdict = pair.comparison.verdict;
    tally.faster += verdict == Verdict::faster;
    tally.slower += verdict == Verdict::slower;
    tally.same += verdict == Verdict::same;
    tally.unclear += verdict == Verdict::unclear;
    tally.not_comparable += verdict == Verdict::not_comparable;
    tally.violations += pair.violated;
    tally.open += pair.open;
    tally.unclear_violations += pair.violated && verdict == Verdict::unclear;
    tally.not_converged += !pair.converged_a || !pair.converged_b;
    tally.failed_b += pair.rows.b.status != Status::ok && pair.rows.b.status != Status::skipped;
    tally.measured += pair.rows.a.status == Status::ok && pair.rows.b.status == Status::ok;
  }
  tally.only_a = pairing.only_a.size();
  tally.only_b = pairing.only_b.size();
  for (const ResultRow& row : pairing.only_b) tally.missing += row.status == Status::ok;
  return tally;
}

std::string tally_text(const Tally& tally) {
  std::string text = fmt::format("{} compared", tally.compared);
  const auto add = [&](std::size_t number, std::string_view words) {
    if (number > 0) text += fmt::format(", {} {}", number, words);
  };
  add(tally.faster, "shorter");
  add(tally.slower, "longer");
  add(tally.same, "the same");
  add(tally.unclear, "unclear");
  add(tally.not_comparable, "not comparable");
  if (tally.only_a + tally.only_b > 0)
    text += fmt::format("; without a partner: {} of A, {} of B", tally.only_a, tally.only_b);
  return text;
}

std::string compared_table(const Compared& compared, std::size_t width) {
  TerminalTable table;
  table.columns = {{"A", Align::right, 60, false},
                   {"", Align::left, 90, true},
                   {"B", Align::right, 60, false},
                   {"", Align::left, 85, true},
                   {"seq", Align::right, 50, false},
                   {"", Align::left, 88, true},
                   {"A ms", Align::right, 75, false},
                   {"B ms", Align::right, 75, false},
                   {"A is", Align::left, 100, false},
                   {ratio_title(compared.pairs), Align::left, 70, false},
                   {"in cycles", Align::point, 30, false},
                   {compared.band ? "beside unchanged" : "", Align::left, 80, false},
                   {"doubts", Align::left, 25, false},
                   {"in turns", Align::left, 20, false},
                   {"", Align::left, 95, false}};
  const std::vector<std::string> telling = telling_facts(compared.pairs);
  for (std::size_t n = 0; n < compared.pairs.size(); ++n) {
    const ComparedPair& pair = compared.pairs[n];
    const Comparison& comparison = pair.comparison;
    table.rows.push_back(
        {fmt::format("m{}", pair.rows.a.measurement), name_of(pair.rows.a), fmt::format("m{}", pair.rows.b.measurement),
         name_of(pair.rows.b), fmt::format("{}", pair.rows.a.problem.seq_len), telling[n], ms_text(pair.rows.a),
         ms_text(pair.rows.b), time_text(comparison), ratio_interval_text(comparison), cycle_ratio_text(comparison),
         pair.band ? band_brief(*pair.band) : "", doubts_text(pair.rows.a, pair.rows.b),
         comparison.ratio > 0 ? (comparison.paired ? "yes" : "no") : "",
         pair.violated ? "FAILS"
         : pair.open   ? "open"
                       : ""});
  }
  std::string text = fmt::format("A: {}\nB: {}\n\n{}", compared.a, compared.b, render(table, width));
  const auto apart = [](const ComparedPair& pair) {  // from what a reader divides
    const ResultRow &a = pair.rows.a, &b = pair.rows.b;
    const Interval& interval = pair.comparison.interval;
    if (pair.comparison.ratio <= 0 || !a.median_ms || !b.median_ms) return false;
    const double quotient = *a.median_ms / *b.median_ms;
    return quotient < interval.low || quotient > interval.high;
  };
  if (std::any_of(compared.pairs.begin(), compared.pairs.end(), apart))
    text +=
        "A / B is made of neighbouring turns or of the medians of processes; the quotient of the two medians may lie "
        "outside it.\n";
  for (const std::string& line : sentences(compared)) text += line + "\n";
  for (const std::string& line : words_on_all(compared)) text += line + "\n";
  return text + tally_text(compared.tally) + "\n";
}

std::string compared_json(const Compared& compared) {
  std::string text;
  for (const ComparedPair& pair : compared.pairs) {
    const Comparison& comparison = pair.comparison;
    text += dump_line({{"type", "comparison"},
                       {"a", pair.rows.a.measurement},
                       {"b", pair.rows.b.measurement},
                       {"verdict", to_string(comparison.verdict)},
                       {"ratio", comparison.ratio > 0 ? json(comparison.ratio) : json(nullptr)},
                       {"same_within", comparison.same_within},
                       {"ratio_low", interval_known(comparison) ? json(comparison.interval.low) : json(nullptr)},
                       {"ratio_high", interval_known(comparison) ? json(comparison.interval.high) : json(nullptr)},
                       {"confidence", pair.confidence},
                       {"cycle_ratio", comparison.cycle_ratio ? json(*comparison.cycle_ratio) : json(nullptr)},
                       {"paired", comparison.paired},
                       {"beside_unchanged", pair.band ? json(to_string(pair.band->is)) : json(nullptr)},
                       {"change_beside_unchanged", pair.band ? json(pair.band->change) : json(nullptr)},
                       {"chosen", pair.chosen},
                       {"fails", pair.violated},
                       {"open", pair.open},
                       {"explanation", comparison.explanation},
                       {"of_a", side_json(pair.rows.a, pair.converged_a)},
                       {"of_b", side_json(pair.rows.b, pair.converged_b)}}) +
            "\n";
  }
  for (const PlaceDifference& difference : compared.differences)
    text += dump_line({{"type", "difference"},
                       {"group", difference.group},
                       {"text", difference.text},
                       {"pairs", difference.pairs},
                       {"allowed", difference.allowed}}) +
            "\n";
  text += compared_steps_json(compared.steps);
  text += unchanged_json(compared);
  const Tally& tally = compared.tally;
  return text +
         dump_line({{"type", "summary"},
                    {"a", compared.a},
                    {"b", compared.b},
                    {"compared", tally.compared},
                    {"shorter", tally.faster},
                    {"longer", tally.slower},
                    {"same", tally.same},
                    {"unclear", tally.unclear},
                    {"not_comparable", tally.not_comparable},
                    {"not_converged", tally.not_converged},
                    {"only_a", tally.only_a},
                    {"only_b", tally.only_b},
                    {"violations", tally.violations},
                    {"open", tally.open},
                    {"fails", !compared.faults.empty()},
                    {"faults", compared.faults}}) +
         "\n";
}

std::string compared_markdown(const Compared& compared) {
  TextTable table;
  for (const char* name : {"A", "B", "kernel", "pass", "windows", "problem"}) table.add_column(name, false);
  for (const char* name : {"seq", "A ms", "B ms"}) table.add_column(name, true);
  table.add_column("A is", false);
  table.add_column(ratio_title(compared.pairs), false);
  table.add_column("in cycles", true);
  table.add_column("beside unchanged", false);
  table.add_column("doubts", false);
  table.add_column("", false);
  const std::vector<std::string> telling = telling_facts(compared.pairs);
  for (std::size_t n = 0; n < compared.pairs.size(); ++n) {
    const ComparedPair& pair = compared.pairs[n];
    const ResultRow &a = pair.rows.a, &b = pair.rows.b;
    table.rows.push_back({fmt::format("m{}", a.measurement), fmt::format("m{}", b.measurement),
                          a.kernel == b.kernel ? a.kernel : a.kernel + " / " + b.kernel, std::string(to_string(a.pass)),
                          windows_text(a.problem), telling[n], fmt::format("{}", a.problem.seq_len), ms_text(a),
                          ms_text(b), time_text(pair.comparison), ratio_interval_text(pair.comparison),
                          cycle_ratio_text(pair.comparison), pair.band ? band_brief(*pair.band) : "",
                          doubts_text(a, pair.rows.b), pair.violated ? "fails" : ""});
  }
  const auto escaped = [](const std::string& text) { return escape_text(text, TableFormat::markdown); };
  std::string text = fmt::format("A: {}  \nB: {}\n\n", escaped(compared.a), escaped(compared.b));
  if (!table.rows.empty()) text += write_table(table, TableFormat::markdown) + "\n";
  text += fmt::format("**{}**\n", tally_text(compared.tally));
  for (const std::string& fault : compared.faults) text += fmt::format("\n* **fails**: {}", escaped(fault));
  for (const auto& lines : {words_on_all(compared), sentences(compared)}) {
    for (const std::string& line : lines) text += fmt::format("\n* {}", escaped(line));
  }
  return text.ends_with('\n') ? text : text + "\n";
}

std::string compared_junit(const Compared& compared) {
  std::string cases;
  std::size_t failures = 0, skipped = 0;
  const std::vector<std::string> telling = telling_facts(compared.pairs);
  for (std::size_t n = 0; n < compared.pairs.size(); ++n) {
    const ComparedPair& pair = compared.pairs[n];
    const ResultRow& a = pair.rows.a;
    const std::string words =
        fmt::format("{} ms against {} ms: A is {}, time A / B {}{}", ms_text(a), ms_text(pair.rows.b),
                    time_text(pair.comparison), ratio_interval_text(pair.comparison),
                    pair.comparison.explanation.empty() ? "" : ". " + pair.comparison.explanation);
    const Verdict verdict = pair.comparison.verdict;
    const bool undecided = compared.gate.empty() ? verdict == Verdict::unclear : pair.open;
    const bool open = !pair.violated && (undecided || verdict == Verdict::not_comparable);
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{}\">",
                         markup_text(fmt::format("{}.{}", a.kernel, to_string(a.pass))),
                         markup_text(fmt::format("{} of {}{}{}", windows_text(a.problem), describe(a.problem),
                                                 telling[n].empty() ? "" : "; ", telling[n])),
                         a.median_ms ? *a.median_ms / 1000 : 0.0);
    if (pair.violated) cases += fmt::format("<failure message=\"{}\"/>", markup_text(words));
    if (open) cases += fmt::format("<skipped message=\"{}\"/>", markup_text(words));
    if (!pair.violated && !open) cases += fmt::format("<system-out>{}</system-out>", markup_text(words));
    cases += "</testcase>\n";
    failures += pair.violated;
    skipped += open;
  }
  cases += "  <testcase classname=\"triscope.compare\" name=\"the gate as a whole\">";
  if (!compared.faults.empty())
    cases += fmt::format("<failure message=\"{}\"/>", markup_text(fmt::format("{}", fmt::join(compared.faults, "; "))));
  for (const std::string& line : sentences(compared))
    cases += fmt::format("<system-out>{}</system-out>", markup_text(line));
  cases += "</testcase>\n";
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" errors=\"0\">\n{}</testsuite>\n",
      markup_text(fmt::format("triscope compare: {} against {}", compared.a, compared.b)), compared.pairs.size() + 1,
      failures + !compared.faults.empty(), skipped, cases);
}

}  // namespace triscope
