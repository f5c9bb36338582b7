// Looks inside the attention tensor on the CPU. Keeps the sources it has opened.
#pragma once

#include <list>
#include <memory>

#include "profiler/inspect_jobs.hpp"

namespace triscope {

class InspectJob {
 public:
  SourceReply run(const SourceRequest& request);
  SliceReply run(const SliceRequest& request);
  OverviewReply run(const OverviewRequest& request);
  SheetReply run(const SheetRequest& request);

 private:
  struct Open {
    AttentionSource source;
    std::shared_ptr<const AttentionTensors> tensors;
  };
  const AttentionTensors& tensors_of(const AttentionSource& source);

  std::list<Open> open_;  // last used first
};

}  // namespace triscope
