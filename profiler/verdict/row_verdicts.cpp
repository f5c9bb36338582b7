#include "profiler/verdict/row_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/base/error.hpp"
#include "profiler/statistics/comparison_facts.hpp"
#include "profiler/verdict/pairing.hpp"

namespace triscope {
namespace {

// Each of `ours` with its partner; `samples` will be asked for both.
std::vector<std::pair<const ResultRow*, const ResultRow*>> partners_of(const std::vector<ResultRow>& ours,
                                                                       const std::vector<ResultRow>& theirs,
                                                                       StoredSamples& samples) {
  std::vector<std::pair<const ResultRow*, const ResultRow*>> pairs;
  const Partners partners(theirs, true);
  for (const ResultRow& row : ours) {
    const std::optional<std::size_t> partner = partners.best_of(row);
    if (!partner) continue;
    pairs.emplace_back(&row, &theirs[*partner]);
    samples.expect(row);
    samples.expect(theirs[*partner]);
  }
  return pairs;
}

}  // namespace

const SampleSeries& StoredSamples::of(const ResultRow& row) {
  constexpr std::size_t kFewMeasurements = 8;
  OfSweep& sweep = sweeps_[row.sweep];
  if (const auto known = sweep.series.find(row.measurement); known != sweep.series.end()) return known->second;
  if (!sweep.whole && sweep.expected.size() > kFewMeasurements) {
    sweep.whole = true;
    sweep.series.merge(snapshot_.series_of_sweep(row.sweep));
    if (const auto known = sweep.series.find(row.measurement); known != sweep.series.end()) return known->second;
  }
  SampleSeries series = snapshot_.series(row.measurement);
  if (series.samples.empty() && !snapshot_.result(row.measurement)) {
    throw Error(fmt::format("m{} cannot be compared", row.measurement), "it has been deleted", "run the command again");
  }
  return sweep.series.emplace(row.measurement, std::move(series)).first->second;
}

const SweepSpread& StoredSamples::spread(std::int64_t sweep) {
  std::optional<SweepSpread>& known = sweeps_[sweep].spread;
  if (!known) known = snapshot_.spread(sweep);
  return *known;
}

const std::string& StoredSamples::gpu(const ResultRow& row) {
  auto& gpus = sweeps_[row.sweep].gpus;
  if (!gpus) {
    gpus.emplace();
    for (const auto& [environment, measurements] : snapshot_.environments(row.sweep)) {
      for (const std::int64_t measurement : measurements) gpus->emplace(measurement, environment.device_uuid);
    }
  }
  return (*gpus)[row.measurement];
}

const std::set<std::string>& StoredSamples::companions(const ResultRow& row) {
  auto& companions = sweeps_[row.sweep].companions;
  if (!companions) companions = snapshot_.companions(row.sweep);
  return (*companions)[row.measurement];
}

Comparison compare_rows(StoredSamples& of_a, const ResultRow& a, StoredSamples& of_b, const ResultRow& b,
                        double tolerance, bool across_gpus) {
  const SampleSeries &first = of_a.of(a), &second = of_b.of(b);
  const std::vector<Sample>*of_first = &first.samples, *of_second = &second.samples;
  bool interleaved = &of_a == &of_b && a.measurement == b.measurement;
  if (&of_a == &of_b && a.sweep == b.sweep && !interleaved) {
    // A reference took turns with several groups: what counts is what it did beside the other's.
    if (const auto* beside = second.in_turns_with(first.group)) {
      of_second = beside;
      interleaved = true;
    } else if (const auto* turns = first.in_turns_with(second.group)) {
      of_first = turns;
      interleaved = true;
    }
  }
  // What took turns was on one.
  const bool two_gpus = !interleaved && on_two_gpus(of_a.gpu(a), of_b.gpu(b));
  CompareInput of_one{*of_first, a.regime, a.timing_source, of_a.spread(a.sweep), first.companions},
      of_another{*of_second, b.regime, b.timing_source, of_b.spread(b.sweep), second.companions};
  // Their interval is that of the samples: what else two runs differ by is seen in kernels that did not change.
  if (two_gpus && !across_gpus) of_another.companions = of_one.companions;
  Comparison comparison = compare(of_one, of_another, interleaved, tolerance);
  if (two_gpus && !across_gpus) return not_judged_on_two_gpus(std::move(comparison));
  if (two_gpus)
    comparison.explanation += std::string(comparison.explanation.empty() ? "" : " ") +
                              "A and B were measured on two GPUs: what differs between the cards is in the ratio, and "
                              "not in its interval.";
  return comparison;
}

Comparison& add_verdict(Verdicts& verdicts, StoredSamples& of_a, const ResultRow& a, StoredSamples& of_b,
                        const ResultRow& b, double tolerance) {
  Comparison& times =
      verdicts.by_measurement.try_emplace(a.measurement, compare_rows(of_a, a, of_b, b, tolerance)).first->second;
  if (!a.tflops || !b.tflops) return times;
  // In turns the times are those of the same moments, so the rate is that of the work times the ratio of times.
  const double medians = *a.median_ms / *b.median_ms;
  verdicts.rates.try_emplace(a.measurement, *a.tflops / *b.tflops * (times.paired ? medians / times.ratio : 1.0));
  return times;
}

std::string usual_reference(const std::vector<ResultRow>& rows) {
  const ResultRow* best = nullptr;
  const auto rank = [](const ResultRow& row) {
    return row.card.rank.value_or(std::numeric_limits<std::int64_t>::max());
  };
  for (const ResultRow& row : rows) {
    if (row.problem.form != Form::dot_product || row.status != Status::ok) continue;
    if (best == nullptr || rank(row) < rank(*best)) best = &row;
  }
  return best == nullptr ? std::string() : best->kernel;
}

Verdicts compare_with_baseline(const Snapshot& snapshot, const std::vector<ResultRow>& rows,
                               const std::string& baseline, double tolerance) {
  Verdicts verdicts;
  if (baseline == "none") return verdicts;
  const std::string kernel = baseline == "auto" ? usual_reference(rows) : baseline;
  const auto first = std::find_if(rows.begin(), rows.end(), [&](const ResultRow& row) { return row.kernel == kernel; });
  if (first == rows.end()) {
    if (baseline == "auto") return verdicts;
    throw Error(fmt::format("reference '{}'", baseline), "no measurement in the table is of that kernel",
                "give a kernel of the table, row:N, sweep:N, database:FILE, paper, auto or none", ExitCode::usage);
  }
  verdicts.baseline = first->kernel;
  verdicts.label = first->card.label;
  verdicts.short_label = first->card.short_label;
  std::vector<ResultRow> ours, theirs;
  for (const ResultRow& row : rows) {
    if (row.status == Status::ok) (row.kernel == verdicts.baseline ? theirs : ours).push_back(row);
  }
  StoredSamples samples(snapshot);
  for (const auto& [row, other] : partners_of(ours, theirs, samples)) {
    add_verdict(verdicts, samples, *row, samples, *other, tolerance);
    verdicts.partners.emplace(row->measurement, other->measurement);
  }
  return verdicts;
}

}  // namespace triscope
