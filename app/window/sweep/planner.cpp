#include "app/window/sweep/planner.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "profiler/plan/plan.hpp"
#include "profiler/plan/request.hpp"

namespace triscope {

void Planner::ask_machine() {
  data_.machine.loading = true;
  thread_.replace("machine", [this] {
    Machine machine;
    machine.loading = false;
    try {
      machine.catalog = engine_.catalog();
    } catch (const std::exception& error) {
      machine.problem = error.what();
    }
    queue_.push([this, machine] { take(machine); });
  });
}

void Planner::do_without(std::string why) {
  data_.machine.loading = false;
  data_.machine.problem = std::move(why);
}

void Planner::take(const Machine& machine) {
  data_.machine = machine;
  if (!machine.problem.empty()) {
    messages_.notify(Severity::warning, NoticeId::machine, machine.problem);
    return on_planned();
  }
  for (const Device& device : machine.catalog->devices)
    messages_.log(Severity::info, fmt::format("Device {}: {}", device.id, device.name));
  // A form nobody has touched takes the shape that suits this machine.
  if (form_ == default_form(false)) suit_form();
  on_machine();
  ask_preview();
}

void Planner::suit_form() {
  const Device& device = choose_device(*data_.machine.catalog, "auto");
  form_ = form_of(with_defaults(SweepRequest{}, device), nullptr);
  if (device.kind == DeviceKind::cpu) {  // one and a half to three minutes on two cores, as README.md says
    form_.precision_percent = 1;
    form_.budget_seconds = 2;
  }
}

void Planner::ask_preview() {
  if (!data_.machine.catalog) return;
  planning_ = begin_preview();
  if (!planning_) on_planned();
}

bool Planner::begin_preview() {
  const FormReading reading = read_form(form_, data_.machine.catalog.get(), &data_.library);
  data_.preview.reset();
  ++asked_;
  if (data_.run.running || !reading.problems.empty()) return false;
  thread_.replace("preview", [this, request = reading.request, catalog = data_.machine.catalog, number = asked_] {
    auto preview = std::make_shared<PlanPreview>();
    try {
      *preview = engine_.preview(request, *catalog);
    } catch (const std::exception& error) {
      preview->problem = error.what();
    }
    queue_.push([this, preview, number] {
      if (number != asked_) return;
      data_.preview = preview;
      planning_ = false;
      on_planned();
    });
  });
  return true;
}

std::shared_future<void> Planner::pause() {
  planning_ = false;
  const auto planned = std::make_shared<std::promise<void>>();
  thread_.replace("preview", [planned] { planned->set_value(); });
  return planned->get_future().share();
}

}  // namespace triscope
