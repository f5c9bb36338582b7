#include "profiler/worker/cuda/counter_config.hpp"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>  // before the next: it declares what that uses
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

struct ConfigFunctions {
  decltype(&cuptiProfilerHostInitialize) initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) deinitialize = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) image_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) image = nullptr;
  decltype(&cuptiProfilerHostGetNumOfPasses) passes = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;

  explicit ConfigFunctions(const CuptiLibrary& cupti) {
    cupti.find(initialize, "cuptiProfilerHostInitialize");
    cupti.find(deinitialize, "cuptiProfilerHostDeinitialize");
    cupti.find(add_metrics, "cuptiProfilerHostConfigAddMetrics");
    cupti.find(image_size, "cuptiProfilerHostGetConfigImageSize");
    cupti.find(image, "cuptiProfilerHostGetConfigImage");
    cupti.find(passes, "cuptiProfilerHostGetNumOfPasses");
    cupti.find(evaluate, "cuptiProfilerHostEvaluateToGpuValues");
  }
};

std::vector<const char*> pointers_to(const std::vector<std::string>& names) {
  std::vector<const char*> pointers;
  for (const std::string& name : names) pointers.push_back(name.c_str());
  return pointers;
}

// CUPTI's object that knows a chip's metrics. A failed addition makes it unusable, so each trial gets a new one.
class HostObject {
 public:
  HostObject(const ConfigFunctions& functions, const CuptiLibrary& cupti, const std::string& chip,
             const std::vector<std::uint8_t>& availability)
      : functions_(functions) {
    auto parameters = sized<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    parameters.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    parameters.pChipName = chip.c_str();
    parameters.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    cupti.check(functions_.initialize(&parameters), fmt::format("cuptiProfilerHostInitialize for {}", chip).c_str());
    object_ = parameters.pHostObject;
  }
  ~HostObject() {
    auto parameters =
        sized<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    parameters.pHostObject = object_;
    functions_.deinitialize(&parameters);
  }
  HostObject(const HostObject&) = delete;
  HostObject& operator=(const HostObject&) = delete;

  CUpti_Profiler_Host_Object* get() const { return object_; }

  CUptiResult add(const std::vector<std::string>& names) const {
    std::vector<const char*> pointers = pointers_to(names);
    auto parameters =
        sized<CUpti_Profiler_Host_ConfigAddMetrics_Params>(CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
    parameters.pHostObject = object_;
    parameters.ppMetricNames = pointers.data();
    parameters.numMetrics = pointers.size();
    return functions_.add_metrics(&parameters);
  }

 private:
  const ConfigFunctions& functions_;
  CUpti_Profiler_Host_Object* object_ = nullptr;
};

}  // namespace

struct CounterConfig::Impl {
  Impl(CuptiLibrary& library, const std::string& chip_name, std::vector<std::uint8_t> available)
      : cupti(library), functions(library), chip(chip_name), availability(std::move(available)) {}

  void choose(const std::vector<std::string>& wanted) {
    if (HostObject(functions, cupti, chip, availability).add(wanted) == CUPTI_SUCCESS) {
      metrics = wanted;
      return;
    }
    for (const std::string& name : wanted) {
      const HostObject trial(functions, cupti, chip, availability);
      (trial.add({name}) == CUPTI_SUCCESS ? metrics : unknown).push_back(name);
    }
    if (metrics.empty()) {
      throw Error(cupti.purpose(), fmt::format("CUPTI knows none of the metrics on {}", chip),
                  "this GPU is too new or too old for them: measure without --counters");
    }
  }

  void configure() {
    host = std::make_unique<HostObject>(functions, cupti, chip, availability);
    cupti.check(host->add(metrics), "cuptiProfilerHostConfigAddMetrics");
    auto size =
        sized<CUpti_Profiler_Host_GetConfigImageSize_Params>(CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
    size.pHostObject = host->get();
    cupti.check(functions.image_size(&size), "cuptiProfilerHostGetConfigImageSize");
    image.resize(size.configImageSize);
    auto fill = sized<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
    fill.pHostObject = host->get();
    fill.pConfigImage = image.data();
    fill.configImageSize = image.size();
    cupti.check(functions.image(&fill), "cuptiProfilerHostGetConfigImage");
    auto count =
        sized<CUpti_Profiler_Host_GetNumOfPasses_Params>(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
    count.pConfigImage = image.data();
    count.configImageSize = image.size();
    cupti.check(functions.passes(&count), "cuptiProfilerHostGetNumOfPasses");
    passes = static_cast<std::int64_t>(count.numOfPasses);
  }

  CuptiLibrary& cupti;
  ConfigFunctions functions;
  std::string chip;
  std::vector<std::uint8_t> availability;
  std::vector<std::string> metrics, unknown;
  std::vector<std::uint8_t> image;
  std::int64_t passes = 0;
  std::unique_ptr<HostObject> host;
};

CounterConfig::CounterConfig(CuptiLibrary& cupti, const std::string& chip, const std::vector<std::string>& metrics,
                             std::vector<std::uint8_t> availability) {
  cupti.load_metric_library();
  impl_ = std::make_unique<Impl>(cupti, chip, std::move(availability));
  impl_->choose(metrics);
  impl_->configure();
}
CounterConfig::~CounterConfig() = default;

const std::vector<std::string>& CounterConfig::metrics() const { return impl_->metrics; }
const std::vector<std::string>& CounterConfig::unknown() const { return impl_->unknown; }
const std::vector<std::uint8_t>& CounterConfig::image() const { return impl_->image; }
std::int64_t CounterConfig::passes() const { return impl_->passes; }

std::vector<double> CounterConfig::evaluate(const std::vector<std::uint8_t>& counter_data, std::size_t range) const {
  std::vector<const char*> names = pointers_to(impl_->metrics);
  std::vector<double> values(names.size(), std::numeric_limits<double>::quiet_NaN());
  auto parameters =
      sized<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  parameters.pHostObject = impl_->host->get();
  parameters.pCounterDataImage = counter_data.data();
  parameters.counterDataImageSize = counter_data.size();
  parameters.rangeIndex = range;
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  parameters.pMetricValues = values.data();
  impl_->cupti.check(impl_->functions.evaluate(&parameters), "cuptiProfilerHostEvaluateToGpuValues");
  return values;
}

}  // namespace triscope
