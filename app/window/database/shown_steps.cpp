#include "app/window/database/shown_steps.hpp"

#include <utility>

#include "kernels/base/error.hpp"
#include "profiler/verdict/step_verdicts.hpp"
#include "views/model/charts/step_model.hpp"

namespace triscope {

void judge_shown_steps(Verdicts& verdicts, const SweepResults& shown,
                       const std::vector<std::shared_ptr<const SweepResults>>& others, const Snapshot& from,
                       const ReadRequest& request) {
  if (request.reference == "none") return;
  std::vector<TrainingStep> steps = steps_of_shown(shown, others, verdicts.baseline);
  std::int64_t samples = 0;
  std::erase_if(steps, [&](const TrainingStep& step) {
    if (!step.over_baseline) return true;
    if (step.forward->sweep == shown.info.id && step.backward->sweep == shown.info.id) return false;
    std::int64_t own = 0;
    for (const auto& [row, partner] :
         {std::pair(step.forward, step.baseline_forward), std::pair(step.backward, step.baseline_backward)}) {
      const auto known = verdicts.partners.find(row->measurement);
      if (known == verdicts.partners.end() || known->second != partner->measurement)
        own += row->samples + partner->samples;
    }
    if (samples + own > kMostSamplesOfOthers) return true;
    samples += own;
    return false;
  });
  try {
    judge_steps(steps, from, request.tolerance, &verdicts);
  } catch (const Error&) {  // of a sweep that is damaged nothing is said: whoever shows it is told why
    return;
  }
  add_steps(verdicts, steps);
}

}  // namespace triscope
