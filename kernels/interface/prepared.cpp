#include "kernels/interface/prepared.hpp"

#include <fmt/format.h>

#include <cstring>
#include <type_traits>

#include "kernels/interface/refusal.hpp"

namespace triscope::c_interface {

static_assert(std::is_trivially_copyable_v<Prepared> && sizeof(Prepared) <= sizeof(triscope_plan::content));

// Addresses differ from process to process, so a plan that was written to a file and read elsewhere is found out.
std::uint64_t mark_of_process() {
  static const char place = 0;
  return 0x7472697363706c6eU ^ static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&place));
}

void write_plan(const Prepared& prepared, triscope_plan* plan) {
  if (plan == nullptr)
    throw Refusal(TRISCOPE_ARGUMENT, "The pointer to the plan is NULL; pass the address of a struct.");
  if (plan->size != sizeof(triscope_plan)) {
    throw Refusal(TRISCOPE_ARGUMENT, fmt::format("Member size of the plan is {}, but must be {}; set it to sizeof the "
                                                 "struct before you use it.",
                                                 plan->size, sizeof(triscope_plan)));
  }
  plan->workspace_bytes = prepared.workspace_bytes;
  std::memset(plan->content, 0, sizeof plan->content);
  std::memcpy(plan->content, &prepared, sizeof prepared);
}

Prepared read_plan(const triscope_plan* plan) {
  Prepared prepared;
  if (plan == nullptr)
    throw Refusal(TRISCOPE_ARGUMENT, "The pointer to the plan is NULL; pass the address of a struct.");
  if (plan->size == sizeof(triscope_plan)) std::memcpy(&prepared, plan->content, sizeof prepared);
  if (prepared.mark != mark_of_process()) {
    throw Refusal(TRISCOPE_ARGUMENT, "The plan was not made by triscope_prepare of this process; call that first.");
  }
  return prepared;
}

}  // namespace triscope::c_interface
