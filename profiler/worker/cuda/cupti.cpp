#include "profiler/worker/cuda/cupti.hpp"

#include <cupti.h>
#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <mutex>

#include "kernels/base/error.hpp"
#include "profiler/record/clock.hpp"
#include "profiler/worker/cuda/cupti_library.hpp"
#include "profiler/worker/device/cupti_advice.hpp"

namespace triscope {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
constexpr std::size_t kBufferAlignment = 64;
constexpr auto kIdKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

// The calls whose records carry the external id to what runs on the GPU: a call that is missing here leaves its kernel
// without one, and the block is refused. cudaLaunchKernel is 505/506 since CUDA 13.
constexpr std::array kRuntimeCalls{CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
                                   CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
                                   CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_ptsz_v7000,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaMemset2DAsync_v3020,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaMemset2DAsync_ptsz_v7000,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000,
                                   CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000};
constexpr std::array kDriverCalls{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async_ptsz,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemsetD2D32Async,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
                                  CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch,
                                  CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz};

struct Functions {
  decltype(&cuptiSubscribe_v2) subscribe = nullptr;
  decltype(&cuptiActivityRegisterTimestampCallback) register_timestamp = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityEnableRuntimeApi) enable_runtime_api = nullptr;
  decltype(&cuptiActivityEnableDriverApi) enable_driver_api = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) push_id = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) pop_id = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
};

// What CUPTI's threads deliver. Their callbacks carry no user pointer, so this is the process's one instance.
struct Delivered {
  std::mutex mutex;
  Functions cupti;
  std::vector<ActivityRecord> records;
  std::vector<ExternalId> ids;
  std::int64_t dropped = 0;
};

Delivered& delivered() {
  static Delivered instance;
  return instance;
}

std::uint64_t CUPTIAPI timestamp() { return static_cast<std::uint64_t>(monotonic_raw_ns()); }

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;
}

template <typename Record>
ActivityRecord timed(const Record& record, std::string name) {
  ActivityRecord result;
  result.launch.name = std::move(name);
  result.launch.start_ns = static_cast<std::int64_t>(record.start);
  result.launch.end_ns = static_cast<std::int64_t>(record.end);
  result.correlation = record.correlationId;
  return result;
}

ActivityRecord from_kernel(const CUpti_ActivityKernel10& kernel) {
  ActivityRecord result = timed(kernel, kernel.name == nullptr ? "?" : demangled(kernel.name));
  LaunchRecord& launch = result.launch;
  launch.grid[0] = kernel.gridX, launch.grid[1] = kernel.gridY, launch.grid[2] = kernel.gridZ;
  launch.block[0] = kernel.blockX, launch.block[1] = kernel.blockY, launch.block[2] = kernel.blockZ;
  launch.cluster[0] = kernel.clusterX, launch.cluster[1] = kernel.clusterY, launch.cluster[2] = kernel.clusterZ;
  launch.registers_per_thread = kernel.registersPerThread;
  launch.static_shared_bytes = kernel.staticSharedMemory;
  launch.dynamic_shared_bytes = kernel.dynamicSharedMemory;
  launch.local_bytes_per_thread = kernel.localMemoryPerThread;
  return result;
}

void take_record(Delivered& to, const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      to.records.push_back(from_kernel(*reinterpret_cast<const CUpti_ActivityKernel10*>(record)));
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      to.records.push_back(timed(*reinterpret_cast<const CUpti_ActivityMemset4*>(record), "memset"));
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      to.records.push_back(timed(*reinterpret_cast<const CUpti_ActivityMemcpy6*>(record), "memcpy"));
      break;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      // Records are packed: copy the fields before their addresses are taken.
      const auto* external = reinterpret_cast<const CUpti_ActivityExternalCorrelation*>(record);
      ExternalId id;
      id.correlation = external->correlationId;
      id.id = external->externalId;
      to.ids.push_back(id);
      break;
    }
    default:
      break;
  }
}

// Runs on a thread of CUPTI's: nothing may be thrown out of it.
void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  Delivered& to = delivered();
  {
    const std::lock_guard lock(to.mutex);
    try {
      CUpti_Activity* record = nullptr;
      while (to.cupti.next_record(buffer, valid, &record) == CUPTI_SUCCESS) take_record(to, record);
    } catch (...) {
      ++to.dropped;  // out of memory: the block it belonged to is refused
    }
  }
  std::size_t dropped = 0;
  if (to.cupti.dropped_records(nullptr, 0, &dropped) == CUPTI_SUCCESS && dropped > 0) {
    const std::lock_guard lock(to.mutex);
    to.dropped += static_cast<std::int64_t>(dropped);
  }
  std::free(buffer);
}

void CUPTIAPI ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

}  // namespace

struct ActivityTrace::Impl {
  CuptiLibrary library{"kernels cannot be timed with CUPTI"};
  Functions cupti;
  CUpti_SubscriberHandle subscriber = nullptr;

  void find_functions();
  void check(CUptiResult result, const char* call) const { library.check(result, call); }
  void subscribe();
  void enable();
};

void ActivityTrace::Impl::find_functions() {
  library.find(cupti.subscribe, "cuptiSubscribe_v2");
  library.find(cupti.register_timestamp, "cuptiActivityRegisterTimestampCallback");
  library.find(cupti.register_callbacks, "cuptiActivityRegisterCallbacks");
  library.find(cupti.enable, "cuptiActivityEnable");
  library.find(cupti.enable_runtime_api, "cuptiActivityEnableRuntimeApi");
  library.find(cupti.enable_driver_api, "cuptiActivityEnableDriverApi");
  library.find(cupti.push_id, "cuptiActivityPushExternalCorrelationId");
  library.find(cupti.pop_id, "cuptiActivityPopExternalCorrelationId");
  library.find(cupti.flush, "cuptiActivityFlushAll");
  library.find(cupti.next_record, "cuptiActivityGetNextRecord");
  library.find(cupti.dropped_records, "cuptiActivityGetNumDroppedRecords");
}

void ActivityTrace::Impl::subscribe() {
  std::array<char, CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN> holder{};
  CUpti_SubscriberParams parameters{};
  parameters.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  parameters.subscriberName = "triscope";
  parameters.oldSubscriberName = holder.data();
  parameters.oldSubscriberSize = holder.size();
  const CUptiResult result = cupti.subscribe(&subscriber, ignore_callback, nullptr, &parameters);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    throw Error(library.purpose(),
                fmt::format("another profiler is attached to the worker: {}",
                            holder[0] == '\0' ? "it gives no name" : holder.data()),
                cupti_advice(result).fix);
  }
  check(result, "cuptiSubscribe_v2");
}

void ActivityTrace::Impl::enable() {
  check(cupti.register_timestamp(timestamp), "cuptiActivityRegisterTimestampCallback");
  check(cupti.register_callbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
  for (CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                  CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION}) {
    check(cupti.enable(kind), "cuptiActivityEnable");
  }
  for (auto call : kRuntimeCalls) check(cupti.enable_runtime_api(call, 1), "cuptiActivityEnableRuntimeApi");
  for (auto call : kDriverCalls) check(cupti.enable_driver_api(call, 1), "cuptiActivityEnableDriverApi");
}

ActivityTrace::ActivityTrace() : impl_(std::make_unique<Impl>()) {
  impl_->find_functions();
  delivered().cupti = impl_->cupti;
  impl_->subscribe();
  impl_->enable();
}

// The process ends without unsubscribing or unloading: CUPTI cannot be taken down reliably.
ActivityTrace::~ActivityTrace() = default;

void ActivityTrace::begin(std::uint64_t id) {
  impl_->check(impl_->cupti.push_id(kIdKind, id), "cuptiActivityPushExternalCorrelationId");
}

void ActivityTrace::end() {
  std::uint64_t last = 0;
  impl_->check(impl_->cupti.pop_id(kIdKind, &last), "cuptiActivityPopExternalCorrelationId");
}

std::vector<ActivityRecord> ActivityTrace::take() {
  impl_->check(impl_->cupti.flush(0), "cuptiActivityFlushAll");
  Delivered& from = delivered();
  std::vector<ActivityRecord> records;
  std::vector<ExternalId> ids;
  {
    const std::lock_guard lock(from.mutex);
    records.swap(from.records);
    ids.swap(from.ids);
  }
  join_external_ids(records, ids);
  return records;
}

std::int64_t ActivityTrace::dropped() const {
  const std::lock_guard lock(delivered().mutex);
  return delivered().dropped;
}

std::string ActivityTrace::version() const { return impl_->library.version(); }

std::string demangled(const char* symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  return name;
}

}  // namespace triscope
