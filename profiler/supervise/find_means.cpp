#include "profiler/supervise/find_means.hpp"

namespace triscope {

MeanMaps find_means(Supervisor& worker, const OverviewRequest& request, const SourceReply& shape,
                    const std::stop_token& stop) {
  SliceRequest one{request.source, request.query, 1};
  MeanMapsMaker maker(one.query.problem, shape.seq_len, shape.q_heads, request.step);
  for (std::int64_t head = 0; head < shape.q_heads; ++head) {
    for (const std::int64_t query : averaged_queries(one.query.problem, shape.seq_len, request.step)) {
      one.query.head = head;
      one.query.query = query;
      maker.add(head, query, worker.slice(one, stop));
    }
  }
  return maker.finish();
}

}  // namespace triscope
