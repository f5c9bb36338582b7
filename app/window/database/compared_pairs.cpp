#include "app/window/database/compared_pairs.hpp"

#include <map>
#include <optional>
#include <utility>

#include "kernels/base/error.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {

ComparePairs compare_pairs_of(std::filesystem::path file, double tolerance, std::stop_token cancel) {
  return [file = std::move(file), tolerance, cancel = std::move(cancel)](const std::set<MeasurementPair>& pairs) {
    PairVerdicts verdicts;
    if (pairs.empty()) return verdicts;
    try {
      const Snapshot snapshot(file, kBusyTimeout, cancel);
      StoredSamples samples(snapshot);
      std::map<std::int64_t, std::optional<ResultRow>> rows;
      const auto row_of = [&](std::int64_t id) -> const std::optional<ResultRow>& {
        const auto [found, is_new] = rows.try_emplace(id);
        if (is_new) found->second = snapshot.result(id);
        if (is_new && found->second) samples.expect(*found->second);
        return found->second;
      };
      for (const auto& [a, b] : pairs) row_of(a), row_of(b);
      for (const auto& [a, b] : pairs) {
        const std::optional<ResultRow>&first = row_of(a), &second = row_of(b);
        if (!first || !second || first->status != Status::ok || second->status != Status::ok) continue;
        verdicts.emplace(MeasurementPair{a, b}, compare_rows(samples, *first, samples, *second, tolerance));
      }
    } catch (const Error&) {  // whoever reads the database tells why
      verdicts.clear();
    }
    return verdicts;
  };
}

}  // namespace triscope
