// libcupti_record.so: loaded by the CUDA driver into any process that has CUDA_INJECTION64_PATH set to it. A witness
// beside Triscope's own times, so it shares no code with them. cupti_record_write writes what ran on the GPU since the
// last one, one line each: start and end in ns, kernel name ("set" for memset). CUPTI is the one that the process has
// loaded already, or libcupti.so.13 of the loader's path or of the folder $TRISCOPE_CUPTI.
#include <cupti.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct Record {
  std::uint64_t start, end;
  std::string name;
};

struct Witness {
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
  std::mutex mutex;
  std::vector<Record> records;
};
Witness& witness() {
  static auto* one = new Witness;  // CUPTI's threads may outlive the destructors
  return *one;
}

void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *size = std::size_t{4} << 20;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(64, *size));
  *most_records = 0;
}

void take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  const std::lock_guard lock(witness().mutex);
  CUpti_Activity* one = nullptr;
  while (witness().next(buffer, valid, &one) == CUPTI_SUCCESS) {
    if (one->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(one);
      witness().records.push_back({kernel->start, kernel->end, kernel->name == nullptr ? "?" : kernel->name});
    } else if (one->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      const auto* set = reinterpret_cast<const CUpti_ActivityMemset4*>(one);
      witness().records.push_back({set->start, set->end, "set"});
    }
  }
  std::free(buffer);
}

template <typename Function>
bool find(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

/// 0 when the file was written. Synchronise first: what still runs is not in it.
extern "C" __attribute__((visibility("default"))) int cupti_record_write(const char* path) {
  std::FILE* file = witness().flush == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) return 1;
  witness().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  const std::lock_guard lock(witness().mutex);
  for (const Record& one : witness().records) {
    std::fprintf(file, "%llu %llu %s\n", static_cast<unsigned long long>(one.start),
                 static_cast<unsigned long long>(one.end), one.name.c_str());
  }
  witness().records.clear();
  return std::fclose(file) == 0 ? 0 : 1;
}

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  void* library = dlopen("libcupti.so.13", RTLD_NOW);
  if (const char* folder = std::getenv("TRISCOPE_CUPTI"); library == nullptr && folder != nullptr)
    library = dlopen((std::string(folder) + "/libcupti.so.13").c_str(), RTLD_NOW);
  Witness& w = witness();
  if (library == nullptr || !find(library, w.register_callbacks, "cuptiActivityRegisterCallbacks") ||
      !find(library, w.enable, "cuptiActivityEnable") || !find(library, w.flush, "cuptiActivityFlushAll") ||
      !find(library, w.next, "cuptiActivityGetNextRecord")) {
    std::fprintf(stderr, "cupti_record: there is no libcupti.so.13\n");
    w.flush = nullptr;
    return 1;
  }
  if (w.register_callbacks(give_buffer, take_buffer) != CUPTI_SUCCESS ||
      w.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS ||
      w.enable(CUPTI_ACTIVITY_KIND_MEMSET) != CUPTI_SUCCESS) {
    std::fprintf(stderr, "cupti_record: CUPTI does not record: another part of this process may hold it\n");
    w.flush = nullptr;
  }
  return 1;
}
