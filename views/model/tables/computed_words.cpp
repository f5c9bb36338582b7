#include "views/model/tables/computed_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/attention/flops.hpp"
#include "profiler/paper/computed_triples.hpp"
#include "profiler/record/columns.hpp"
#include "views/data/format.hpp"
#include "views/data/unbroken.hpp"
#include "views/model/tables/beside_model.hpp"
#include "views/model/tables/tensor_gap.hpp"

namespace triscope {
namespace {

/// One of the selected rows, and what is known of its tiles.
struct Side {
  const ResultRow& row;
  ComputedTriples computed;
  double all() const { return *computed.per_useful * useful_flops(row.problem, row.pass); }
};

Side side_of(const WindowData& data, const ResultRow& row) {
  if (!has_counted_tiles(row)) return {row, computed_triples(row, {})};
  if (const CountedProblem* counted = find_counted(*data.work.table, row.problem)) {
    // A build without CUDA counts none: there it is no news of this row.
    return {row, counted->uses.empty() ? ComputedTriples() : computed_triples(row, counted->uses)};
  }
  return {row,
          {std::nullopt, !data.work.problem.empty() ? data.work.problem
                         : data.run.running         ? "tiles are counted once the sweep has ended"
                                                    : "they are being counted"}};
}

bool is_silent(const Side& side) { return !side.computed.per_useful && side.computed.unknown.empty(); }

std::string times_text(const Side& side) { return format_fixed(*side.computed.per_useful, 3) + "×"; }

std::string version_of(const std::string& hash) {
  constexpr std::size_t kDigits = 12;
  return hash.substr(0, kDigits);
}

/// That the tiles are of another version than the row; empty: they are of the same, or the version is not known.
std::string other_version(const WindowData& data, const Side& side, const char* subject) {
  const Catalog* catalog = data.machine.catalog.get();
  const KernelInfo* kernel = catalog == nullptr ? nullptr : find_kernel(*catalog, side.row.kernel);
  if (!side.computed.per_useful || kernel == nullptr) return {};
  const std::string& counted = kernel->source_hash.of(side.row.pass);
  if (counted.empty() || side.row.source_hash.empty() || counted == side.row.source_hash) return {};
  return fmt::format("Counted as this build's {} cuts its tiles, version {}; {} is of version {}.", side.row.card.label,
                     version_of(counted), subject, version_of(side.row.source_hash));
}

void add(std::string& text, const std::string& sentence) {
  if (!sentence.empty()) text += (text.empty() ? "" : " ") + sentence;
}

ComputedWords words_of_one(const WindowData& data, const Side& side) {
  if (is_silent(side)) return {};
  if (!side.computed.per_useful)
    return {"", fmt::format("What its tiles compute beside the useful work is not known: {}.", side.computed.unknown)};
  const double masked = 100 * (1 - 1 / *side.computed.per_useful);
  return {fmt::format("Its tiles compute {} the useful work: {} of that is masked.", times_text(side),
                      unbroken(fmt::format("{:.1f} %", masked))),
          other_version(data, side, "the row")};
}

ComputedWords words_of_two(const WindowData& data, const Side& a, const Side& b) {
  ComputedWords words;
  if (a.computed.per_useful && b.computed.per_useful) {
    // Of two versions of a kernel this build's tiles say the same, whatever theirs are.
    const bool versions = a.row.kernel == b.row.kernel && a.row.problem == b.row.problem && a.row.pass == b.row.pass &&
                          a.row.source_hash != b.row.source_hash;
    if (versions && !other_version(data, a, "A").empty() && !other_version(data, b, "B").empty()) return {};
    words.text = fmt::format("A's tiles compute {} the useful work, B's {}", times_text(a), times_text(b));
    words.text += a.row.pass == b.row.pass
                      ? fmt::format(": all in all A computes {}× as much as B.", significant_text(a.all() / b.all()))
                      : ".";
    add(words.remark, other_version(data, a, "A"));
    if (a.row.source_hash != b.row.source_hash || a.row.kernel != b.row.kernel)
      add(words.remark, other_version(data, b, "B"));
    return words;
  }
  for (const auto& [side, letter] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
    if (side->computed.per_useful) {
      words.text = fmt::format("{}'s tiles compute {} the useful work.", letter, times_text(*side));
      add(words.remark, other_version(data, *side, letter));
    }
  }
  if (words.text.empty() && (is_silent(a) || is_silent(b))) return words;
  for (const auto& [side, letter] : {std::pair(&a, "A's"), std::pair(&b, "B's")}) {
    if (side->computed.per_useful || is_silent(*side)) continue;
    const bool alike = a.computed.unknown == b.computed.unknown;
    add(words.remark,
        fmt::format("What {} tiles compute is not known: {}.", alike ? "their" : letter, side->computed.unknown));
    if (alike) break;
  }
  return words;
}

}  // namespace

ComputedWords computed_words(const WindowData& data) {
  if (!data.selected || data.selected->row.status != Status::ok) return {};
  const ResultRow& row = data.selected->row;
  const ResultRow* other = data.beside ? &data.beside->of->row : nullptr;
  if (!has_counted_tiles(row) && (other == nullptr || !has_counted_tiles(*other))) return {};
  const Side side = side_of(data, row);
  return other == nullptr ? words_of_one(data, side) : words_of_two(data, side, side_of(data, *other));
}

std::string tensor_gap_words(const WindowData& data) {
  if (!data.selected || !data.beside) return {};
  const SelectedMeasurement &one = *data.selected, &other = *data.beside->of;
  const Comparison& time = data.beside->time;
  const bool judged = time.verdict != Verdict::not_comparable && time.verdict != Verdict::unclear;
  if (!judged || !interval_known(time) || one.row.pass != other.row.pass) return {};
  const Side a = side_of(data, one.row), b = side_of(data, other.row);
  for (const Side* side : {&a, &b}) {
    if (!side->computed.per_useful || !other_version(data, *side, "").empty()) return {};
  }
  const auto use_of = [](const SelectedMeasurement& row, const Side& side) {
    const auto busy = std::ranges::find(row.measurement.counters, kTensorBusy, &Counter::name);
    return TensorUse{busy == row.measurement.counters.end() ? 0 : busy->value / 100, 1 / *side.computed.per_useful};
  };
  const double work = useful_flops(a.row.problem, a.row.pass) / useful_flops(b.row.problem, b.row.pass);
  return tensor_gap_words(use_of(one, a), use_of(other, b),
                          {work / time.ratio, {work / time.interval.high, work / time.interval.low}, time.same_within});
}

std::vector<Problem> selected_to_count(const WindowData& data) {
  std::vector<Problem> problems;
  for (const SelectedMeasurement* one : {data.selected.get(), data.beside ? data.beside->of.get() : nullptr}) {
    if (one == nullptr || !has_counted_tiles(one->row)) continue;
    const Problem& problem = one->row.problem;
    if (find_counted(*data.work.table, problem) == nullptr && std::ranges::find(problems, problem) == problems.end())
      problems.push_back(problem);
  }
  return problems;
}

}  // namespace triscope
