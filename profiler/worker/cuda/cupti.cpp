#include "profiler/worker/cuda/cupti.hpp"

#include <cupti.h>
#include <cxxabi.h>
#include <fmt/format.h>
#include <time.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "kernels/error.hpp"
#include "profiler/worker/cuda/shared_library.hpp"

namespace triscope {
namespace {

constexpr std::uint32_t kOldestVersion = 130001;  // 13.0 Update 1: earlier ones deadlock on disabling and lose records
constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
constexpr std::size_t kBufferAlignment = 64;
constexpr auto kIdKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

// The launch calls whose records carry the external id to the kernels. cudaLaunchKernel is 505/506 since CUDA 13.
constexpr std::array kRuntimeCalls{
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,        CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,     CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,         CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000};
constexpr std::array kDriverCalls{CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async,
                                  CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2};

struct Functions {
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
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

std::uint64_t CUPTIAPI monotonic_raw_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

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
    default: break;
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

// Folders that may hold libcupti.so.13, most specific first.
std::vector<std::filesystem::path> cupti_folders() {
  std::vector<std::filesystem::path> folders;
  const auto add = [&](const char* variable, const char* below) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') folders.push_back(std::filesystem::path(value) / below);
  };
  add("TRISCOPE_CUPTI", "");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    add(variable, "extras/CUPTI/lib64");
    add(variable, "lib64");
  }
  folders.emplace_back("/usr/local/cuda/extras/CUPTI/lib64");
  folders.emplace_back("/usr/local/cuda/lib64");
#ifdef TRISCOPE_TOOLKIT_LIBRARIES
  folders.emplace_back(TRISCOPE_TOOLKIT_LIBRARIES);
#endif
  add("VIRTUAL_ENV", "");
  if (const char* environment = std::getenv("VIRTUAL_ENV"); environment != nullptr) {
    folders.pop_back();
    std::error_code ignored;
    for (const auto& python : std::filesystem::directory_iterator(std::filesystem::path(environment) / "lib", ignored)) {
      folders.push_back(python.path() / "site-packages/nvidia/cu13/lib");
    }
  }
  return folders;
}

}  // namespace

struct ActivityTrace::Impl {
  SharedLibrary library;
  Functions cupti;
  CUpti_SubscriberHandle subscriber = nullptr;
  std::string where;
  std::uint32_t number = 0;

  void load();
  void find_functions();
  void check(CUptiResult result, const char* call) const;
  void subscribe();
  void enable();
};

void ActivityTrace::Impl::load() {
  constexpr const char* kName = "libcupti.so.13";
  std::string why;
  if (library.adopt(kName)) {
    where = "already loaded";
  } else {
    for (const std::filesystem::path& folder : cupti_folders()) {
      if (library.open(folder / kName, why)) {
        where = folder / kName;
        break;
      }
    }
    if (!library && library.open(kName, why)) where = "loader's path";
  }
  if (!library) {
    throw Error("kernels cannot be timed with CUPTI", why,
                "install the CUDA Toolkit 13 or set TRISCOPE_CUPTI to the folder of libcupti.so.13");
  }
}

void ActivityTrace::Impl::find_functions() {
  const auto find = [&](auto& function, const char* name) {
    function = library.symbol<std::remove_reference_t<decltype(function)>>(name);
    if (function == nullptr) {
      throw Error("kernels cannot be timed with CUPTI", fmt::format("{} ({}) has no {}", "libcupti.so.13", where, name),
                  "install CUPTI of CUDA 13.0 Update 1 or later");
    }
  };
  find(cupti.get_version, "cuptiGetVersion");
  find(cupti.get_result_string, "cuptiGetResultString");
  find(cupti.subscribe, "cuptiSubscribe_v2");
  find(cupti.register_timestamp, "cuptiActivityRegisterTimestampCallback");
  find(cupti.register_callbacks, "cuptiActivityRegisterCallbacks");
  find(cupti.enable, "cuptiActivityEnable");
  find(cupti.enable_runtime_api, "cuptiActivityEnableRuntimeApi");
  find(cupti.enable_driver_api, "cuptiActivityEnableDriverApi");
  find(cupti.push_id, "cuptiActivityPushExternalCorrelationId");
  find(cupti.pop_id, "cuptiActivityPopExternalCorrelationId");
  find(cupti.flush, "cuptiActivityFlushAll");
  find(cupti.next_record, "cuptiActivityGetNextRecord");
  find(cupti.dropped_records, "cuptiActivityGetNumDroppedRecords");
  check(cupti.get_version(&number), "cuptiGetVersion");
  if (number < kOldestVersion) {
    throw Error("kernels cannot be timed with CUPTI", fmt::format("{} is version {}", where, number),
                "install CUPTI of CUDA 13.0 Update 1 (130001) or later");
  }
}

void ActivityTrace::Impl::check(CUptiResult result, const char* call) const {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  cupti.get_result_string(result, &text);
  const char* fix = "measure without other profilers on a machine with a driver for CUDA 13";
  if (result == CUPTI_ERROR_NOT_COMPATIBLE) fix = "update the NVIDIA driver";
  if (result == CUPTI_ERROR_HARDWARE_BUSY) fix = "end the other program that profiles this GPU";
  throw Error("kernels cannot be timed with CUPTI",
              fmt::format("{} answers {} ({})", call, text == nullptr ? "?" : text, static_cast<int>(result)), fix);
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
    throw Error("kernels cannot be timed with CUPTI",
                fmt::format("another profiler is attached to the worker: {}", holder[0] == '\0' ? "it gives no name" : holder.data()),
                "start Triscope without it");
  }
  check(result, "cuptiSubscribe_v2");
}

void ActivityTrace::Impl::enable() {
  check(cupti.register_timestamp(monotonic_raw_ns), "cuptiActivityRegisterTimestampCallback");
  check(cupti.register_callbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
  for (CUpti_ActivityKind kind : {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                  CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION}) {
    check(cupti.enable(kind), "cuptiActivityEnable");
  }
  for (auto call : kRuntimeCalls) check(cupti.enable_runtime_api(call, 1), "cuptiActivityEnableRuntimeApi");
  for (auto call : kDriverCalls) check(cupti.enable_driver_api(call, 1), "cuptiActivityEnableDriverApi");
}

ActivityTrace::ActivityTrace() : impl_(std::make_unique<Impl>()) {
  impl_->load();
  impl_->find_functions();
  delivered().cupti = impl_->cupti;
  impl_->subscribe();
  impl_->enable();
}

// The process ends without unsubscribing or unloading: CUPTI cannot be taken down reliably.
ActivityTrace::~ActivityTrace() { impl_->library.keep(); }

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

std::string ActivityTrace::version() const {
  return fmt::format("{}.{}.{}", impl_->number / 10000, impl_->number / 100 % 100, impl_->number % 100);
}

std::string demangled(const char* symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  return name;
}

}  // namespace triscope
