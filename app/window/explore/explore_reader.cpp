#include "app/window/explore/explore_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/base/error.hpp"
#include "profiler/explore/exploration.hpp"
#include "profiler/verdict/row_verdicts.hpp"
#include "views/model/explore_chart.hpp"

namespace triscope {
namespace {

/// Changes when a sweep gets rows or they get samples; empty where that cannot be told.
std::string state_of(const SweepInfo& sweep) {
  if (sweep.finished.empty()) return {};
  return fmt::format("{} {} {} {} {}", sweep.uuid, sweep.finished, sweep.ok, sweep.failed, sweep.skipped);
}

bool holds(const std::vector<ResultRow>& rows, const std::string& kernel) {
  return std::any_of(rows.begin(), rows.end(), [&](const ResultRow& row) { return row.kernel == kernel; });
}

/// The revision says only that something may have changed.
bool same_question(ExploreQuestion a, const ExploreQuestion& b) {
  a.revision = b.revision;
  return a == b;
}

}  // namespace

/// Returns whether the content is another than that which was read.
bool ExploreReader::open(const std::filesystem::path& file) {
  if (snapshot_ && file == file_) {
    try {
      return snapshot_->data_version() != version_;
    } catch (const Error&) {
      snapshot_.reset();  // another file stands in its place
    }
  }
  sweeps_.clear();
  answered_.reset();
  snapshot_.emplace(file, kBusyTimeout, closing_);
  file_ = file;
  return true;
}

/// Returns false after a stop.
bool ExploreReader::read(const std::stop_token& newer) {
  const std::int64_t version = snapshot_->data_version();
  answered_.reset();
  infos_ = snapshot_->sweeps();
  notes_.clear();
  std::map<std::int64_t, Sweep> kept;
  for (const SweepInfo& info : infos_) {
    notes_.emplace(info.id, info.note);
    const auto known = sweeps_.find(info.id);
    if (known != sweeps_.end() && !known->second.state.empty() && known->second.state == state_of(info))
      kept.insert(sweeps_.extract(known));
  }
  sweeps_ = std::move(kept);
  version_ = -1;  // until all of it was read
  for (const SweepInfo& info : infos_) {
    if (newer.stop_requested()) return false;
    if (!sweeps_.contains(info.id)) sweeps_[info.id] = {state_of(info), snapshot_->results(info.id), {}, {}};
  }
  version_ = version;
  return true;
}

/// As the table beside compares them. Returns false after a stop.
bool ExploreReader::compare(const std::string& reference, const std::stop_token& newer) {
  for (auto& [id, sweep] : sweeps_) {
    if (newer.stop_requested()) return false;
    if (sweep.reference == reference) continue;
    const bool measured = reference == "auto" || reference == "none" || holds(sweep.rows, reference);
    sweep.beside = measured ? compare_with_baseline(*snapshot_, sweep.rows, reference).by_measurement
                            : std::map<std::int64_t, Comparison>();
    sweep.reference = reference;
  }
  return true;
}

std::shared_ptr<const ExploreChart> ExploreReader::answer(const ExploreQuestion& question,
                                                          const std::stop_token& newer) {
  if (open(question.database) && !read(newer)) return nullptr;
  if (answered_ && same_question(*answered_, question)) return chart_;
  const bool beside = needs_reference(question.query);
  if (beside && !compare(question.reference, newer)) return nullptr;
  const std::string name = file_.filename().string();
  std::vector<ExploreSource> sources;
  for (const SweepInfo& info : infos_) {
    if (info.id == question.hidden) continue;
    const Sweep& sweep = sweeps_.at(info.id);
    sources.push_back({name, sweep.rows, beside ? &sweep.beside : nullptr, &notes_});
  }
  const Exploration made = explore(sources, question.query);
  if (newer.stop_requested()) return nullptr;
  chart_ = std::make_shared<const ExploreChart>(explore_chart(made, question.query, sources));
  answered_ = question;
  return chart_;
}

}  // namespace triscope
