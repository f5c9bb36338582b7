#include "app/window/explore/explored_database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernels/base/error.hpp"
#include "profiler/verdict/reference.hpp"
#include "views/data/chart_conditions.hpp"

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

}  // namespace

ExploredDatabase::ExploredDatabase(const std::filesystem::path& file, const std::stop_token& closing)
    : file_(file), snapshot_(file, kBusyTimeout, closing) {}

ExploredDatabase::State ExploredDatabase::state() const {
  try {
    return snapshot_.data_version() == version_ ? State::unchanged : State::changed;
  } catch (const Error&) {
    return State::replaced;
  }
}

bool ExploredDatabase::read(const std::stop_token& newer) {
  const std::int64_t version = snapshot_.data_version();
  version_ = -1;  // until all of it was read
  infos_ = snapshot_.sweeps();
  notes_.clear();
  precisions_.clear();
  counters_.clear();
  std::map<std::int64_t, Sweep> kept;
  for (const SweepInfo& info : infos_) {
    notes_.emplace(info.id, info.note);
    if (const std::optional<double> asked = precision_asked(info)) precisions_.emplace(info.id, *asked);
    const auto known = sweeps_.find(info.id);
    if (known != sweeps_.end() && !known->second.state.empty() && known->second.state == state_of(info))
      kept.insert(sweeps_.extract(known));
  }
  sweeps_ = std::move(kept);
  for (const SweepInfo& info : infos_) {
    if (newer.stop_requested()) return false;
    if (!sweeps_.contains(info.id)) sweeps_[info.id] = {state_of(info), snapshot_.results(info.id), {}, {}};
  }
  version_ = version;
  return true;
}

void ExploredDatabase::read_counters(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!counters_.contains(name)) counters_.emplace(name, snapshot_.counter_values(name));
  }
}

ExploredDatabase::Compared ExploredDatabase::compare(const std::string& reference, std::int64_t hidden,
                                                     const std::stop_token& newer) {
  Compared compared = Compared::as_before;
  try {
    const Reference asked = parse_reference(reference);
    require_kept(asked, snapshot_, hidden);
    // A kernel stands in the sweep itself. Rows of other sweeps and files change while the sweep does not.
    const bool elsewhere = asked.kind == Reference::Kind::row || asked.kind == Reference::Kind::sweep;
    const std::string of = fmt::format("{}\n{}\n{}", reference, state_of_file(asked), elsewhere ? version_ : 0);
    std::optional<ReferenceSide> side;
    for (auto& [id, sweep] : sweeps_) {
      if (newer.stop_requested()) return Compared::stopped;
      if (sweep.reference == of) continue;
      compared = Compared::anew;
      if (!side) side.emplace(snapshot_, file_, asked, newer);
      const bool measured = asked.kind != Reference::Kind::kernel || holds(sweep.rows, reference);
      sweep.beside = measured ? side->beside(sweep.rows).by_measurement : std::map<std::int64_t, Comparison>();
      sweep.reference = of;
    }
  } catch (const Error&) {
    for (auto& [id, sweep] : sweeps_) {
      sweep.beside.clear();
      sweep.reference.clear();
    }
    throw;
  }
  return compared;
}

void ExploredDatabase::add_to(std::vector<ExploreSource>& sources, const std::string& name, std::int64_t hidden,
                              bool beside) const {
  for (const SweepInfo& info : infos_) {
    if (info.id == hidden) continue;
    const Sweep& sweep = sweeps_.at(info.id);
    sources.push_back({name, sweep.rows, beside ? &sweep.beside : nullptr, &notes_, &counters_, &precisions_});
  }
}

}  // namespace triscope
