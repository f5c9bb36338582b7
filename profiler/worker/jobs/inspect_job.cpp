#include "profiler/worker/jobs/inspect_job.hpp"

#include <algorithm>

#include "kernels/base/error.hpp"
#include "profiler/worker/jobs/kernel_row.hpp"
#include "profiler/worker/jobs/measure_job.hpp"

namespace triscope {
namespace {

constexpr std::size_t kMostOpen = 3;  // two that are compared, and the one before or the one that is tried

}  // namespace

InspectJob::Open& InspectJob::open(const AttentionSource& source) {
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Open& one) { return one.source == source; });
  if (found != open_.end()) {
    open_.splice(open_.begin(), open_, found);
  } else {
    if (open_.size() >= kMostOpen) open_.pop_back();  // first: two large sources need not fit into memory at once
    open_.push_front({source, open_source(source)});
  }
  return open_.front();
}

const AttentionTensors& InspectJob::tensors_of(const AttentionSource& source) {
  Open& one = open(source);
  one.looked_into = true;
  return *one.tensors;
}

SliceEngine& InspectJob::engine() {
  if (!engine_) engine_ = backend_.make_slices();
  return *engine_;
}

SourceReply InspectJob::run(const SourceRequest& request) {
  // Read anew. What was only tried makes room, so that trying never costs what is being looked at.
  std::erase_if(open_, [&](const Open& one) { return one.source == request.source || !one.looked_into; });
  SourceReply reply;
  if (request.source.kind == SourceKind::file) {
    reply.tensors = list_tensors(request.source.file);
    reply.names = guess_names(reply.tensors, request.source.mapping.names);
  }
  try {
    const AttentionTensors& tensors = *open(request.source).tensors;
    reply.batch = tensors.batch;
    reply.seq_len = tensors.seq_len;
    reply.q_heads = tensors.q_heads;
    reply.kv_heads = tensors.kv_heads;
    reply.head_dim = tensors.head_dim;
    reply.sink = !tensors.sink.empty();
    reply.values = tensors.has_values();
    reply.labels = tensors.labels;
  } catch (const Error& error) {
    reply.problem = error.what();
  }
  return reply;
}

SliceReply InspectJob::run(const SliceRequest& request) {
  return {engine().slice(tensors_of(request.source), request.query, request.top)};
}

OverviewReply InspectJob::run(const OverviewRequest& request) {
  return {engine().overview(tensors_of(request.source), request.query, request.step)};
}

SheetReply InspectJob::run(const SheetRequest& request) {
  return {engine().sheet(tensors_of(request.source), request.query, request.width, request.height)};
}

KernelRowReply InspectJob::run(const KernelRowRequest& request) {
  const Kernel& kernel = require_kernel_on(kernels_, request.kernel, backend_.device());
  return {run_kernel_row(kernel, tensors_of(request.source), request.query, backend_, engine())};
}

}  // namespace triscope
