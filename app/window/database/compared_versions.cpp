#include "app/window/database/compared_versions.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "app/window/database/read_sweep.hpp"
#include "kernels/base/error.hpp"
#include "profiler/explore/version_pairs.hpp"
#include "profiler/verdict/pairing.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {
namespace {

/// One side: its rows as if they were of one sweep, the newest of those that they are of.
ComparedSweep side_of(std::vector<ResultRow> rows, const std::string& hash, const std::vector<SweepInfo>& sweeps) {
  std::set<std::int64_t> ids;
  for (const ResultRow& row : rows) ids.insert(row.sweep);
  ComparedSweep side;
  for (const SweepInfo& sweep : sweeps) {
    if (ids.contains(sweep.id)) side.sweeps.push_back(sweep);
  }
  SweepResults results;
  if (!side.sweeps.empty()) results.info = side.sweeps.front();
  results.rows = std::move(rows);
  side.results = std::make_shared<const SweepResults>(std::move(results));
  side.name = short_hash(hash);
  side.aligned = true;
  return side;
}

void add_sentence(std::string& text, const std::string& sentence) {
  if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
}

/// Of the kernel and pass that are named the newest version, beside that with which it shares most; where there is
/// none, the two that share most.
const VersionChoice& usual_change(const std::vector<VersionChange>& changes, const VersionChoice& named) {
  const VersionChange* usual = nullptr;
  for (const VersionChange& change : changes) {  // those that share most first
    if (change.choice.kernel != named.kernel || change.choice.pass != named.pass) continue;
    if (usual == nullptr || change.after.first > usual->after.first) usual = &change;
  }
  return usual == nullptr ? changes.front().choice : usual->choice;
}

}  // namespace

const VersionsAnswer& ComparedVersions::answer(const Snapshot& snapshot, const VersionsQuestion& question,
                                               const std::vector<SweepInfo>& sweeps) {
  if (asked_ == question) return answer_;
  asked_.reset();
  std::vector<ResultRow> rows = snapshot.results();
  std::erase_if(rows, [&](const ResultRow& row) { return row.sweep == question.hidden; });
  VersionsAnswer answer{question.choice, version_changes(rows, kernel_histories(rows)), {}};
  if (answer.choice.before.empty() && !answer.changes.empty())
    answer.choice = usual_change(answer.changes, answer.choice);
  if (answer.choice.before.empty())
    throw Error("No versions of a kernel were compared",
                "no configuration was measured with two texts of one kernel on one device",
                "change a kernel, build, and run the same sweep again");
  StoredSamples samples(snapshot);
  std::vector<ChosenPair> pairs = chosen_pairs(rows, answer.choice,
                                               {[&](const ResultRow& row) { return samples.gpu(row); },
                                                [&](const ResultRow& row) { return samples.companions(row); }});
  for (const ChosenPair& pair : pairs) {
    samples.expect(pair.before);
    samples.expect(pair.after);
  }
  Comparisons comparisons;
  std::vector<ResultRow> before, after;
  std::map<std::int64_t, std::size_t> newest_of;
  std::set<SweepPair> compared_sweeps;
  const auto put_beside = [&](ResultRow of_after, ResultRow of_before, Comparison comparison) {
    comparisons[of_after.measurement] = {of_before.measurement, std::move(comparison)};
    cut_texts(of_before);
    cut_texts(of_after);
    before.push_back(std::move(of_before));
    after.push_back(std::move(of_after));
  };
  for (ChosenPair& pair : pairs) {
    newest_of[pair.before.measurement] = pair.of_before;
    newest_of[pair.after.measurement] = pair.of_after;
    compared_sweeps.insert({pair.after.sweep, pair.before.sweep});
    Comparison comparison = compare_rows(samples, pair.after, samples, pair.before, question.tolerance);
    add_sentence(comparison.explanation, chosen_words(pair));
    put_beside(std::move(pair.after), std::move(pair.before), std::move(comparison));
  }
  UnchangedKernels unchanged;
  for (RowPair& pair : unchanged_pairs(rows, rows, compared_sweeps)) {
    Comparison comparison = compare_rows(samples, pair.a, samples, pair.b, question.tolerance);
    if (!(comparison.ratio > 0) || comparisons.contains(pair.a.measurement)) continue;
    unchanged.add(pair.a, comparison);
    put_beside(std::move(pair.a), std::move(pair.b), std::move(comparison));
  }
  answer.compared.push_back(side_of(std::move(before), answer.choice.before, sweeps));
  answer.compared.push_back(side_of(std::move(after), answer.choice.after, sweeps));
  answer.compared.back().against_first = std::move(comparisons);
  answer.compared.back().unchanged = std::move(unchanged);
  for (ComparedSweep& side : answer.compared) {
    side.newest_of = newest_of;
    side.places = places_of(snapshot, side.results->rows);
  }
  answer_ = std::move(answer);
  asked_ = question;
  return answer_;
}

}  // namespace triscope
