#include "kernels/interface/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace triscope::c_interface {

constexpr std::size_t kLargestPlan = 4096;  // a later header's may be longer; a larger size is memory that nobody set

static_assert(std::is_trivially_copyable_v<Prepared> && sizeof(Prepared) <= sizeof(triscope_plan::content));

// Addresses differ from process to process, so a plan that was written to a file and read elsewhere is found out.
std::uint64_t mark_of_process() {
  static const char place = 0;
  return 0x7472697363706c6eU ^ static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&place));
}

void write_plan(const Prepared& prepared, triscope_plan* plan) {
  if (plan == nullptr)
    throw Refusal(TRISCOPE_ARGUMENT, "The pointer to the plan is NULL; pass the address of a struct.");
  if (plan->size < sizeof(triscope_plan) || plan->size > kLargestPlan) {
    throw Refusal(TRISCOPE_ARGUMENT, fmt::format("Member size of the plan is {}, but must be {}; set it to sizeof the "
                                                 "struct before you use it.",
                                                 plan->size, sizeof(triscope_plan)));
  }
  auto* bytes = reinterpret_cast<unsigned char*>(plan);
  std::fill(bytes + sizeof plan->size, bytes + plan->size, static_cast<unsigned char>(0));
  plan->workspace_bytes = prepared.workspace_bytes;
  std::memcpy(plan->content, &prepared, sizeof prepared);
}

Prepared read_plan(const triscope_plan* plan) {
  Prepared prepared;
  if (plan == nullptr)
    throw Refusal(TRISCOPE_ARGUMENT, "The pointer to the plan is NULL; pass the address of a struct.");
  if (plan->size >= sizeof(triscope_plan) && plan->size <= kLargestPlan)
    std::memcpy(&prepared, plan->content, sizeof prepared);
  if (prepared.mark != mark_of_process()) {
    throw Refusal(TRISCOPE_ARGUMENT, "The plan was not made by triscope_prepare of this process; call that first.");
  }
  return prepared;
}

}  // namespace triscope::c_interface
