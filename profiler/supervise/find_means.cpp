#include "profiler/supervise/find_means.hpp"

#include <chrono>
#include <vector>

namespace triscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenTold{500};

}  // namespace

MeanMaps find_means(Supervisor& worker, const OverviewRequest& request, const SourceReply& shape,
                    const std::stop_token& stop, const std::function<void(const MeansProgress&)>& tell) {
  SliceRequest one{request.source, request.query, 1};
  MeanMapsMaker maker(one.query.problem, shape.seq_len, shape.q_heads, request.step);
  const std::vector<std::int64_t> queries = averaged_queries(one.query.problem, shape.seq_len, request.step);
  MeansProgress progress{0, shape.q_heads * std::ssize(queries), 0};
  const Clock::time_point start = Clock::now();
  Clock::time_point told = start;
  for (std::int64_t head = 0; head < shape.q_heads; ++head) {
    for (const std::int64_t query : queries) {
      one.query.head = head;
      one.query.query = query;
      maker.add(head, query, worker.slice(one, stop));
      ++progress.done;
      const Clock::time_point now = Clock::now();
      if (!tell || now - told < kBetweenTold) continue;
      const double each = std::chrono::duration<double>(now - start).count() / static_cast<double>(progress.done);
      progress.seconds_left = each * static_cast<double>(progress.total - progress.done);
      tell(progress);
      told = now;
    }
  }
  return maker.finish();
}

}  // namespace triscope
