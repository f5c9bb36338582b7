#include "app/window/database/compared_pairs.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "kernels/base/error.hpp"
#include "profiler/store/store.hpp"
#include "profiler/verdict/row_verdicts.hpp"

namespace triscope {

ComparePairs compare_pairs_of(std::filesystem::path file, double tolerance, std::stop_token cancel) {
  return [file = std::move(file), tolerance, cancel = std::move(cancel)](const std::set<MeasurementPair>& pairs) {
    constexpr std::int64_t kMostSamples = 2'000'000;  // they stay in memory while they are compared
    PairVerdicts verdicts;
    if (pairs.empty()) return verdicts;
    try {
      const Snapshot snapshot(file, kBusyTimeout, cancel);
      StoredSamples samples(snapshot);
      std::map<std::int64_t, std::optional<ResultRow>> rows;
      std::int64_t taken = 0;
      const auto row_of = [&](std::int64_t id) -> const std::optional<ResultRow>& {
        const auto [found, is_new] = rows.try_emplace(id);
        if (is_new) found->second = snapshot.result(id);
        if (is_new && found->second) taken += found->second->samples;
        return found->second;
      };
      for (const auto& [a, b] : pairs) {
        const std::optional<ResultRow>&first = row_of(a), &second = row_of(b);
        if (taken > kMostSamples || cancel.stop_requested()) break;
        if (!first || !second || first->status != Status::ok || second->status != Status::ok) continue;
        try {
          verdicts.emplace(MeasurementPair{a, b}, compare_rows(samples, *first, samples, *second, tolerance));
        } catch (const Error&) {  // a row was deleted meanwhile, or is damaged: its pairs alone are not known
        }
      }
    } catch (const Error&) {  // it is busy, or no database any more: what was read before stands
    }
    return verdicts;
  };
}

}  // namespace triscope
