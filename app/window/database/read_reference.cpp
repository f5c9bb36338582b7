// What the rows of the window stand beside.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/window/database/database_reader.hpp"
#include "app/window/database/shown_steps.hpp"
#include "kernels/base/error.hpp"
#include "profiler/verdict/reference.hpp"

namespace triscope {
namespace {

/// The reference that is asked for, where its form is one.
std::optional<Reference> parsed(const std::string& text) {
  try {
    return parse_reference(text);
  } catch (const Error&) {  // it is told where rows are compared
    return std::nullopt;
  }
}

/// What verdicts of other sweeps are made of. A sweep that is done and was not resumed since is as it was.
std::string made_of(const std::vector<std::shared_ptr<const SweepResults>>& sweeps) {
  std::string of = "\n";
  for (const auto& sweep : sweeps)
    of += fmt::format("{}/{}/{};", sweep->info.uuid, sweep->info.finished, sweep->rows.size());
  return of;
}

}  // namespace

std::shared_ptr<const Verdicts> DatabaseReader::beside(const SweepResults& sweep, const ReadRequest& request) {
  const std::optional<Reference> form = parsed(request.reference);
  std::string side_of = fmt::format("{}/{}/{}", request.reference, request.hidden, form ? state_of_file(*form) : "");
  // The other database is not read again where this one is written to; all else that rows stand beside is in this one.
  if (!form || form->kind != Reference::Kind::database) side_of += fmt::format("/{}", version_);
  // Turns and pooled spreads come after the samples: of as many the verdicts are the same only in the same version.
  std::string of = fmt::format("{}/{}/{}/{}/{}/{}", file_.string(), version_, sweep.info.uuid, sweep.rows.size(),
                               side_of, request.tolerance);
  for (const ResultRow& row : sweep.rows) of += fmt::format("/{}:{}", row.measurement, row.samples);
  if (beside_ && beside_of_.substr(0, beside_of_.find('\n')) == of) return beside_;  // with others or without
  beside_.reset();
  if (std::exchange(side_of_, side_of) != side_of) side_.reset();
  try {
    const Reference asked = parse_reference(request.reference);
    require_kept(asked, *snapshot_, request.hidden);
    if (!side_) side_.emplace(*snapshot_, file_, asked, cancel_);
    Verdicts verdicts = side_->beside_or_usual(sweep.rows, request.tolerance);
    judge_shown_steps(verdicts, sweep, {}, *snapshot_, request);
    beside_ = std::make_shared<const Verdicts>(std::move(verdicts));
  } catch (const Error& error) {
    side_.reset();
    // What is wrong with the open file is told as ever.
    if (cancel_.stop_requested() || !is_of_reference(error)) throw;
    Verdicts none;
    none.problem = error.what();
    beside_ = std::make_shared<const Verdicts>(std::move(none));
  }
  beside_of_ = std::move(of);
  return beside_;
}

// Those of the shown sweep with those of others, the newest, on rows beside the same reference. Of a sweep that is
// damaged nothing is said: whoever shows it is told why.
void DatabaseReader::add_others(ReadResult& read, const ReadRequest& request) {
  const std::string of = beside_of_.substr(0, beside_of_.find('\n')) + made_of(read.same_device);
  read.beside_reference = beside_;
  if (std::exchange(beside_of_, of) == of) return;
  const Verdicts& known = *beside_;
  Verdicts all = known;
  all.by_measurement.clear();
  all.rates.clear();
  all.partners.clear();
  all.steps.clear();
  const auto take = [&all](const Verdicts& verdicts, std::int64_t row) {
    if (const auto time = verdicts.by_measurement.find(row); time != verdicts.by_measurement.end())
      all.by_measurement.insert(*time);
    if (const auto other = verdicts.partners.find(row); other != verdicts.partners.end()) all.partners.insert(*other);
    if (const auto rate = verdicts.rates.find(row); rate != verdicts.rates.end()) all.rates.insert(*rate);
  };
  for (const ResultRow& row : read.shown->rows) take(known, row.measurement);
  std::int64_t samples = 0;
  for (const auto& sweep : read.same_device) {
    std::int64_t own = 0;
    for (const ResultRow& row : sweep->rows) own += row.samples;
    if (known.baseline.empty()) break;
    if (samples + own > kMostSamplesOfOthers) continue;
    samples += own;
    try {
      const Verdicts verdicts = side_->beside_or_usual(sweep->rows, request.tolerance);
      if (verdicts.baseline != all.baseline) continue;
      all.themselves.insert(verdicts.themselves.begin(), verdicts.themselves.end());
      for (const ResultRow& row : sweep->rows) take(verdicts, row.measurement);
    } catch (const Error&) {
      continue;
    }
  }
  judge_shown_steps(all, *read.shown, read.same_device, *snapshot_, request);
  read.beside_reference = beside_ = std::make_shared<const Verdicts>(std::move(all));
}

}  // namespace triscope
