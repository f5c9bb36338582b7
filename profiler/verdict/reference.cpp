#include "profiler/verdict/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "kernels/attention/paper.hpp"
#include "kernels/base/error.hpp"
#include "profiler/record/words/problem_facts.hpp"
#include "profiler/verdict/pairing.hpp"

namespace triscope {
namespace {

using Kind = Reference::Kind;

[[noreturn]] void refuse(std::string_view text, std::string why, std::string advice = kReferenceForms) {
  throw Error(fmt::format("reference '{}'", text), std::move(why), std::move(advice), ExitCode::usage);
}

/// What follows `prefix`; none: it begins otherwise.
std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

std::int64_t parse_number(std::string_view whole, std::string_view digits, const char* what) {
  std::int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [read, fault] = std::from_chars(digits.data(), end, number);
  if (fault != std::errc() || read != end || number <= 0)
    refuse(whole, fmt::format("'{}' is not the number of a {}", digits, what));
  return number;
}

std::string name_of(const ResultRow& row) { return row.card.short_label.empty() ? row.kernel : row.card.short_label; }

/// "Another problem: 512x32 beside 128x128, tokens 4096 beside 8192."; empty where it is the same.
std::string problem_difference(const Problem& ours, const Problem& theirs) {
  std::string text;
  const auto add = [&](std::string_view what, const std::string& here, const std::string& there) {
    if (here != there) text += fmt::format("{}{}{} beside {}", text.empty() ? "" : ", ", what, here, there);
  };
  add("", windows_text(ours), windows_text(theirs));
  for (const ProblemFact& fact : problem_facts())
    add(fmt::format("{} ", fact.name), fact.value(ours), fact.value(theirs));
  return text.empty() ? text : fmt::format("Another problem: {}.", text);
}

std::vector<ResultRow> ok_rows(std::vector<ResultRow> rows) {
  std::erase_if(rows, [](const ResultRow& row) { return row.status != Status::ok || !row.median_ms; });
  return rows;
}

std::vector<ResultRow> without_instances(std::vector<ResultRow> rows) {
  for (ResultRow& row : rows) row.instance.clear();
  return rows;
}

/// The partner of a row among `theirs`: of the same instance, or of the only one that both sides have of a question,
/// since a kernel's instance is named anew when it changes.
class SameQuestions {
 public:
  SameQuestions(const std::vector<ResultRow>& ours, const std::vector<ResultRow>& theirs)
      : ours_(ours),
        theirs_(theirs),
        exact_(theirs, false),
        of_ours_(without_instances(ours), false),
        of_theirs_(without_instances(theirs), false) {}

  const ResultRow* of(const ResultRow& row) const {
    if (const std::optional<std::size_t> place = exact_.best_of(row)) return &theirs_[*place];
    ResultRow any = row;
    any.instance.clear();
    if (!is_one_instance(of_ours_.of(any), ours_)) return nullptr;
    const std::vector<std::size_t> places = of_theirs_.of(any);
    if (places.empty() || !is_one_instance(places, theirs_)) return nullptr;
    const std::optional<std::size_t> best = of_theirs_.best_of(any);
    return best ? &theirs_[*best] : nullptr;
  }

 private:
  static bool is_one_instance(const std::vector<std::size_t>& places, const std::vector<ResultRow>& rows) {
    return std::ranges::all_of(
        places, [&](std::size_t place) { return rows[place].instance == rows[places.front()].instance; });
  }

  const std::vector<ResultRow>&ours_, &theirs_;
  Partners exact_, of_ours_, of_theirs_;
};

}  // namespace

Reference parse_reference(std::string_view text) {
  if (text.empty()) refuse(text, "it is empty");
  if (text == "auto") return {};
  if (text == "none") return {Kind::none};
  if (text == "paper") return {Kind::paper};
  if (auto number = after(text, "row:")) {
    if (number->starts_with('m')) number->remove_prefix(1);  // as `show` names it
    return {Kind::row, {}, parse_number(text, *number, "row")};
  }
  if (const auto number = after(text, "sweep:")) return {Kind::sweep, {}, parse_number(text, *number, "sweep")};
  if (const auto file = after(text, "database:")) {
    if (file->empty()) refuse(text, "it names no file");
    return {Kind::database, std::string(*file)};
  }
  return {Kind::kernel, std::string(text)};
}

std::string to_string(const Reference& reference) {
  switch (reference.kind) {
    case Kind::usual:
      return "auto";
    case Kind::none:
      return "none";
    case Kind::kernel:
      return reference.name;
    case Kind::row:
      return fmt::format("row:{}", reference.id);
    case Kind::sweep:
      return fmt::format("sweep:{}", reference.id);
    case Kind::database:
      return "database:" + reference.name;
    case Kind::paper:
      return "paper";
  }
  return {};
}

ReferenceSide::ReferenceSide(const Snapshot& snapshot, const std::filesystem::path& file, Reference reference,
                             std::stop_token cancel)
    : snapshot_(snapshot), reference_(std::move(reference)) {
  if (reference_.kind != Kind::database) return;
  std::error_code missing;  // then it is not the same file
  if (std::filesystem::equivalent(reference_.name, file, missing))
    refuse(to_string(reference_), "it is the open database", "name another file, or sweep:N of this one");
  other_.emplace(reference_.name, kBusyTimeout, std::move(cancel));
}

Verdicts ReferenceSide::beside(const std::vector<ResultRow>& rows, double tolerance) {
  switch (reference_.kind) {
    case Kind::usual:
    case Kind::none:
    case Kind::kernel:
      return compare_with_baseline(snapshot_, rows, to_string(reference_), tolerance);
    case Kind::row:
      return beside_row(rows, tolerance);
    case Kind::sweep:
    case Kind::database:
      return beside_same_questions(rows, tolerance);
    case Kind::paper:
      return beside_paper(rows);
  }
  return {};
}

Verdicts ReferenceSide::beside_row(const std::vector<ResultRow>& rows, double tolerance) {
  const std::string text = to_string(reference_);
  const std::optional<ResultRow> other = snapshot_.result(reference_.id);
  if (!other) refuse(text, fmt::format("the database has no row {}", reference_.id));
  if (other->status != Status::ok || !other->median_ms)
    refuse(text, fmt::format("row {} has no time: it is {}", reference_.id, to_string(other->status)));
  Verdicts verdicts{text,
                    fmt::format("row {}: {} {} {}", reference_.id, windows_text(other->problem), name_of(*other),
                                to_string(other->pass)),
                    fmt::format("row {}", reference_.id)};
  verdicts.of_kernel = false;
  verdicts.without_partner =
      fmt::format("Row {} is a {} {} by {}: a row of another pass, regime or clock does not stand beside it.",
                  reference_.id, to_string(other->regime), to_string(other->pass), to_string(other->timing_source));
  StoredSamples samples(snapshot_);
  std::vector<const ResultRow*> compared;
  for (const ResultRow& row : rows) {
    if (row.measurement == other->measurement) verdicts.themselves.insert(row.measurement);
    const bool stands_beside = row.status == Status::ok && row.median_ms && row.pass == other->pass &&
                               row.regime == other->regime && row.timing_source == other->timing_source &&
                               (row.problem.form == Form::gemm) == (other->problem.form == Form::gemm) &&
                               row.measurement != other->measurement;
    if (!stands_beside) continue;
    compared.push_back(&row);
    samples.expect(row);
  }
  for (const ResultRow* row : compared) {
    Comparison& time = add_verdict(verdicts, samples, *row, samples, *other, tolerance);
    if (const std::string difference = problem_difference(row->problem, other->problem); !difference.empty())
      time.explanation = difference + (time.explanation.empty() ? "" : " ") + time.explanation;
  }
  return verdicts;
}

void ReferenceSide::read_theirs() {
  if (theirs_) return;
  if (reference_.kind == Kind::sweep) {
    if (!snapshot_.sweep(reference_.id))
      refuse(to_string(reference_), fmt::format("the database has no sweep {}", reference_.id));
    theirs_ = newest_of_each(ok_rows(snapshot_.results(reference_.id)));
  } else {
    theirs_ = newest_of_each(ok_rows(other_->results()));
  }
}

Verdicts ReferenceSide::beside_same_questions(const std::vector<ResultRow>& rows, double tolerance) {
  read_theirs();
  const std::string name = reference_.kind == Kind::sweep ? fmt::format("sweep {}", reference_.id)
                                                          : std::filesystem::path(reference_.name).filename().string();
  Verdicts verdicts{to_string(reference_), name, name};
  verdicts.of_kernel = false;
  verdicts.without_partner = fmt::format("The same question of this kernel has no time in {}.", name);
  const std::vector<ResultRow> ours = ok_rows(rows);
  const SameQuestions partners(ours, *theirs_);
  StoredSamples samples(snapshot_);
  std::optional<StoredSamples> of_other;
  if (other_) of_other.emplace(*other_);
  StoredSamples& their_samples = of_other ? *of_other : samples;
  std::vector<std::pair<const ResultRow*, const ResultRow*>> pairs;
  for (const ResultRow& row : ours) {
    if (!other_ && row.sweep == reference_.id) {
      verdicts.themselves.insert(row.measurement);
      continue;
    }
    const ResultRow* other = partners.of(row);
    if (other == nullptr) continue;
    pairs.emplace_back(&row, other);
    samples.expect(row);
    their_samples.expect(*other);
  }
  for (const auto& [row, other] : pairs) add_verdict(verdicts, samples, *row, their_samples, *other, tolerance);
  return verdicts;
}

Verdicts ReferenceSide::beside_paper(const std::vector<ResultRow>& rows) const {
  Verdicts verdicts{to_string(reference_), "the paper", "the paper"};
  verdicts.of_kernel = false;
  verdicts.without_partner = "The paper publishes no time of this problem.";
  for (const ResultRow& row : rows) {
    if (row.status != Status::ok || !row.median_ms || row.pass != Pass::forward || !has_paper_shape(row.problem))
      continue;
    const PaperRow* published = find_paper_row(row.problem);
    if (published == nullptr) continue;
    Comparison& time = verdicts.by_measurement[row.measurement];
    time.verdict = Verdict::not_comparable;
    time.published = true;
    time.a_ms = *row.median_ms;
    time.b_ms = published->latency_ms;
    time.ratio = time.a_ms / time.b_ms;
    time.explanation =
        "Published for a GPU, a length and heads that the paper does not name: no interval, and no verdict.";
  }
  return verdicts;
}

}  // namespace triscope
