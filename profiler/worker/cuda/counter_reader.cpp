#include "profiler/worker/cuda/counter_reader.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <fmt/format.h>

#include <map>

#include "kernels/base/error.hpp"
#include "kernels/cuda/common/cuda_error.hpp"
#include "profiler/worker/cuda/counter_config.hpp"

namespace triscope {
namespace {

constexpr const char* kPurpose = "hardware counters cannot be read";
constexpr const char* kRange = "launch";
constexpr int kMostPasses = 64;

struct ReaderFunctions {
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiDeviceGetChipName) chip_name = nullptr;
  decltype(&cuptiProfilerGetCounterAvailability) availability = nullptr;
  decltype(&cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) initialize_data = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) start = nullptr;
  decltype(&cuptiRangeProfilerPushRange) push = nullptr;
  decltype(&cuptiRangeProfilerPopRange) pop = nullptr;
  decltype(&cuptiRangeProfilerStop) stop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) decode = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) data_info = nullptr;

  explicit ReaderFunctions(const CuptiLibrary& cupti) {
    cupti.find(initialize, "cuptiProfilerInitialize");
    cupti.find(chip_name, "cuptiDeviceGetChipName");
    cupti.find(availability, "cuptiProfilerGetCounterAvailability");
    cupti.find(enable, "cuptiRangeProfilerEnable");
    cupti.find(disable, "cuptiRangeProfilerDisable");
    cupti.find(data_size, "cuptiRangeProfilerGetCounterDataSize");
    cupti.find(initialize_data, "cuptiRangeProfilerCounterDataImageInitialize");
    cupti.find(set_config, "cuptiRangeProfilerSetConfig");
    cupti.find(start, "cuptiRangeProfilerStart");
    cupti.find(push, "cuptiRangeProfilerPushRange");
    cupti.find(pop, "cuptiRangeProfilerPopRange");
    cupti.find(stop, "cuptiRangeProfilerStop");
    cupti.find(decode, "cuptiRangeProfilerDecodeData");
    cupti.find(data_info, "cuptiRangeProfilerGetCounterDataInfo");
  }
};

// The context that the CUDA runtime made for this device.
CUcontext current_context() {
  TRISCOPE_CUDA_CHECK(cudaFree(nullptr));
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  TRISCOPE_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &function, 13000, cudaEnableDefault, &found));
  CUcontext context = nullptr;
  if (function == nullptr || reinterpret_cast<CUresult (*)(CUcontext*)>(function)(&context) != CUDA_SUCCESS ||
      context == nullptr) {
    throw Error(kPurpose, "the CUDA runtime has no context", "run `triscope doctor`");
  }
  return context;
}

// The range profiler, enabled for one collection. The destructor disables it.
class RangeSession {
 public:
  RangeSession(const CuptiLibrary& cupti, const ReaderFunctions& functions, CUcontext context)
      : cupti_(cupti), functions_(functions) {
    auto enable = sized<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enable.ctx = context;
    cupti_.check(functions_.enable(&enable), "cuptiRangeProfilerEnable");
    object_ = enable.pRangeProfilerObject;
  }
  ~RangeSession() {
    auto disable = sized<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    disable.pRangeProfilerObject = object_;
    functions_.disable(&disable);
  }
  RangeSession(const RangeSession&) = delete;
  RangeSession& operator=(const RangeSession&) = delete;

  void configure(const CounterConfig& config, std::vector<std::uint8_t>& data) {
    std::vector<const char*> names;
    for (const std::string& metric : config.metrics()) names.push_back(metric.c_str());
    auto size =
        sized<CUpti_RangeProfiler_GetCounterDataSize_Params>(CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = size.maxNumRangeTreeNodes = 1;
    cupti_.check(functions_.data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
    data.assign(size.counterDataSize, 0);
    auto prepare = sized<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    prepare.pRangeProfilerObject = object_;
    prepare.pCounterData = data.data();
    prepare.counterDataSize = data.size();
    cupti_.check(functions_.initialize_data(&prepare), "cuptiRangeProfilerCounterDataImageInitialize");
    auto set = sized<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    set.pRangeProfilerObject = object_;
    set.pConfig = config.image().data();
    set.configSize = config.image().size();
    set.pCounterDataImage = data.data();
    set.counterDataImageSize = data.size();
    set.range = CUPTI_UserRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = 1;
    set.numNestingLevels = set.minNestingLevel = set.targetNestingLevel = 1;
    cupti_.check(functions_.set_config(&set), "cuptiRangeProfilerSetConfig");
  }

  /// One pass; true when it was the last.
  bool run_pass(const std::function<void()>& enqueue) {
    auto start = sized<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    start.pRangeProfilerObject = object_;
    cupti_.check(functions_.start(&start), "cuptiRangeProfilerStart");
    auto push = sized<CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
    push.pRangeProfilerObject = object_;
    push.pRangeName = kRange;
    cupti_.check(functions_.push(&push), "cuptiRangeProfilerPushRange");
    enqueue();
    auto pop = sized<CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
    pop.pRangeProfilerObject = object_;
    cupti_.check(functions_.pop(&pop), "cuptiRangeProfilerPopRange");
    auto stop = sized<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = object_;
    cupti_.check(functions_.stop(&stop), "cuptiRangeProfilerStop");
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    return stop.isAllPassSubmitted != 0;
  }

  /// Fills the data given to `configure`. Throws `Error` unless they hold exactly the one range.
  void decode(const std::vector<std::uint8_t>& data) {
    auto decode = sized<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    decode.pRangeProfilerObject = object_;
    cupti_.check(functions_.decode(&decode), "cuptiRangeProfilerDecodeData");
    auto info =
        sized<CUpti_RangeProfiler_GetCounterDataInfo_Params>(CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    info.pCounterDataImage = data.data();
    info.counterDataImageSize = data.size();
    cupti_.check(functions_.data_info(&info), "cuptiRangeProfilerGetCounterDataInfo");
    if (decode.numOfRangeDropped > 0 || info.numTotalRanges != 1) {
      throw Error(kPurpose,
                  fmt::format("{} ranges arrived and {} were dropped, but one was expected", info.numTotalRanges,
                              decode.numOfRangeDropped),
                  "measure again; when it happens each time, report it", ExitCode::measured_failed);
    }
  }

 private:
  const CuptiLibrary& cupti_;
  const ReaderFunctions& functions_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
};

}  // namespace

struct CounterReader::Impl {
  CuptiLibrary cupti{kPurpose};
  ReaderFunctions functions{cupti};
  CUcontext context = nullptr;
  std::string chip;
  std::vector<std::uint8_t> available;
  std::map<CounterSet, CounterConfig> configs;
  std::vector<std::uint8_t> data;

  void start();
  void read_availability();
  std::vector<double> collect(const CounterConfig& config, const std::function<void()>& enqueue,
                              const std::function<void()>& before);
};

void CounterReader::Impl::start() {
  cupti.load_metric_library();
  context = current_context();
  auto initialize = sized<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  cupti.check(functions.initialize(&initialize), "cuptiProfilerInitialize");
  int device = 0;
  TRISCOPE_CUDA_CHECK(cudaGetDevice(&device));
  auto name = sized<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  name.deviceIndex = static_cast<std::size_t>(device);
  cupti.check(functions.chip_name(&name), "cuptiDeviceGetChipName");
  chip = name.pChipName == nullptr ? "" : name.pChipName;
  read_availability();
}

void CounterReader::Impl::read_availability() {
  auto query =
      sized<CUpti_Profiler_GetCounterAvailability_Params>(CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  query.ctx = context;
  cupti.check(functions.availability(&query), "cuptiProfilerGetCounterAvailability");
  available.resize(query.counterAvailabilityImageSize);
  query.pCounterAvailabilityImage = available.data();
  cupti.check(functions.availability(&query), "cuptiProfilerGetCounterAvailability");
}

std::vector<double> CounterReader::Impl::collect(const CounterConfig& config, const std::function<void()>& enqueue,
                                                 const std::function<void()>& before) {
  RangeSession session(cupti, functions, context);
  session.configure(config, data);
  bool complete = false;
  for (int pass = 0; pass < kMostPasses && !complete; ++pass) {
    before();
    TRISCOPE_CUDA_CHECK(cudaDeviceSynchronize());
    complete = session.run_pass(enqueue);
  }
  if (!complete)
    throw Error(kPurpose, fmt::format("{} passes were not enough", kMostPasses), "report this as a defect of triscope");
  session.decode(data);
  return config.evaluate(data, 0);
}

CounterReader::CounterReader() : impl_(std::make_unique<Impl>()) { impl_->start(); }
CounterReader::~CounterReader() = default;

std::vector<Counter> CounterReader::read(CounterSet set, const std::function<void()>& enqueue,
                                         const std::function<void()>& before) {
  const CounterConfig& config =
      impl_->configs.try_emplace(set, impl_->cupti, impl_->chip, metric_names(set), impl_->available).first->second;
  const std::vector<double> values = impl_->collect(config, enqueue, before);
  std::vector<Counter> counters;
  for (std::size_t n = 0; n < values.size(); ++n) {
    const CounterMetric* metric = find_counter_metric(config.metrics()[n]);
    counters.push_back({config.metrics()[n], std::string(metric == nullptr ? "" : metric->unit), values[n]});
  }
  return counters;
}

std::string CounterReader::version() const { return impl_->cupti.version(); }
const std::string& CounterReader::chip() const { return impl_->chip; }
const std::vector<std::uint8_t>& CounterReader::last_data() const { return impl_->data; }

}  // namespace triscope
