#include <utility>

#include "profiler/sweep/measurer.hpp"
#include "profiler/sweep/sweep.hpp"

namespace triscope {

SweepForecast forecast_sweep(const SweepRequest& given, const SweepObserver& observer) {
  SweepRequest request = with_absolute_files(given);
  Measurer measurer = start_measurer(request, observer);
  request = decided_request(request, measurer);
  SweepForecast forecast;
  forecast.plan =
      make_plan(request, measurer.catalog, [&](const auto& questions) { return ask_support(measurer, questions); });
  SweepRequest restart = request;
  restart.stopping = restart_rule(request);
  forecast.load = load_here(request, measurer.device);
  for (const PlanGroup& group : forecast.plan.groups) {
    Estimate& all = forecast.groups.emplace_back(
        estimate(group, restart, assumed_flops_per_second(measurer.device, Pass::forward),
                 assumed_flops_per_second(measurer.device, Pass::backward), forecast.load));
    all.seconds *= static_cast<double>(request.restarts);
  }
  forecast.total = estimate(forecast.plan, request, measurer.device, forecast.load);
  forecast.device = measurer.device;
  forecast.refusal = measurer.refusal;
  return forecast;
}

}  // namespace triscope
