#include "profiler/sweep/elsewhere.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kernels/base/text/number_of.hpp"
#include "profiler/record/environment_difference.hpp"
#include "profiler/store/store.hpp"

namespace triscope {
namespace {

std::string counted(const std::set<std::int64_t>& rows, const char* noun) {
  return number_of(static_cast<std::int64_t>(rows.size()), noun);
}

std::set<std::int64_t> in_both(const std::set<std::int64_t>& a, const std::set<std::int64_t>& b) {
  std::set<std::int64_t> rows;
  std::ranges::set_intersection(a, b, std::inserter(rows, rows.end()));
  return rows;
}

}  // namespace

std::set<std::int64_t> Elsewhere::read(const std::filesystem::path& database, std::int64_t sweep,
                                       const Environment& here) {
  for (const auto& [environment, rows] : Snapshot(database).environments(sweep)) {
    if (environment == here) continue;
    rows_.insert(rows.begin(), rows.end());
    places_.emplace_back(environment_difference(environment, here), std::set<std::int64_t>(rows.begin(), rows.end()));
  }
  return rows_;
}

std::string Elsewhere::words(const std::set<std::int64_t>& rows) const {
  for (const auto& [difference, of_place] : places_) {
    if (of_place.contains(*rows.begin())) return fmt::format("measured in another environment ({})", difference);
  }
  return "measured in another environment";
}

void Elsewhere::begin_anew(const std::set<std::int64_t>& rows) {
  begun_ = rows;
  if (rows.empty()) return;
  tell_(fmt::format("{} begun anew: what is there of {} restarts was {}", counted(rows, "measurement"),
                    rows.size() == 1 ? "its" : "their", words(rows)));
}

void Elsewhere::leave_changed(const std::set<std::int64_t>& rows) {
  changed_ = rows;
  if (rows.empty()) return;
  tell_(fmt::format("{} as {}: kernels have changed since. A new sweep measures them as they are now.",
                    counted(rows, "measurement") + (rows.size() == 1 ? " stays" : " stay"),
                    rows.size() == 1 ? "it is" : "they are"));
}

void Elsewhere::tell_no_restart(const std::set<std::int64_t>& asked) const {
  if (const std::set<std::int64_t> rows = in_both(asked, changed_); !rows.empty()) {
    tell_(fmt::format("No restart is added to {}: {} changed since. Start a sweep.", counted(rows, "row"),
                      rows.size() == 1 ? "its kernel has" : "their kernels have"));
  }
  if (const std::set<std::int64_t> rows = in_both(asked, rows_); !rows.empty()) {
    tell_(fmt::format("No restart is added to {}: {} {}. Start a sweep here.", counted(rows, "row"),
                      rows.size() == 1 ? "it was" : "they were", words(rows)));
  }
}

std::vector<StoredMeasurement> Elsewhere::to_follow_up(std::vector<StoredMeasurement> stored, const Catalog& catalog,
                                                       const char* noun) {
  std::set<std::int64_t> rows;  // left out
  std::erase_if(stored, [&](const StoredMeasurement& one) {
    const KernelInfo* kernel = find_kernel(catalog, one.key.kernel);
    if (kernel == nullptr || kernel->source_hash.of(one.key.pass) != one.source_hash) return true;
    if (!rows_.contains(one.row)) return false;
    if (!begun_.contains(one.row)) rows.insert(one.row);
    return true;
  });
  if (rows.empty() || !told_.insert(noun).second) return stored;
  tell_(fmt::format("{} {} left out: {} {}", counted(rows, noun), rows.size() == 1 ? "is" : "are",
                    rows.size() == 1 ? "its row was" : "their rows were", words(rows)));
  return stored;
}

}  // namespace triscope
