// Looks inside the attention tensor on the worker's device. Keeps the sources it has opened.
#pragma once

#include <list>
#include <memory>

#include "profiler/protocol/inspect_jobs.hpp"
#include "profiler/worker/device/backend.hpp"
#include "profiler/worker/jobs/verify.hpp"

namespace triscope {

class InspectJob {
 public:
  InspectJob(Backend& backend, KernelList kernels) : backend_(backend), kernels_(kernels) {}

  SourceReply run(const SourceRequest& request);
  SliceReply run(const SliceRequest& request);
  OverviewReply run(const OverviewRequest& request);
  SheetReply run(const SheetRequest& request);
  KernelRowReply run(const KernelRowRequest& request);

 private:
  struct Open {
    AttentionSource source;
    std::shared_ptr<const AttentionTensors> tensors;
    bool looked_into = false;  // more than opened
  };
  Open& open(const AttentionSource& source);
  const AttentionTensors& tensors_of(const AttentionSource& source);
  SliceEngine& engine();

  Backend& backend_;
  KernelList kernels_;
  std::unique_ptr<SliceEngine> engine_;  // from the first look
  std::list<Open> open_;                 // last used first
};

}  // namespace triscope
