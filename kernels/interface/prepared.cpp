#include "kernels/interface/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace triscope::c_interface {

constexpr std::size_t kLargestPlan = 4096;  // a later header's may be longer; a larger size is memory that nobody set

// The last word of the content says what stands in the others.
constexpr std::size_t kWords = std::size(triscope_plan{}.content) - 1;
static_assert(std::is_trivially_copyable_v<Prepared> && sizeof(Prepared) <= kWords * sizeof(std::uint64_t));

// Differs where any bit of any word does: each step is one-to-one in the word and in what came before.
std::uint64_t checksum(const triscope_plan& plan) {
  std::uint64_t sum = 0x9E3779B97F4A7C15u;
  for (std::size_t word = 0; word < kWords; ++word)
    sum = (std::rotl(sum, 29) ^ plan.content[word]) * 0xBF58476D1CE4E5B9u;
  return sum;
}

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
  plan->content[kWords] = checksum(*plan);
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
  if (plan->content[kWords] != checksum(*plan)) {
    throw Refusal(TRISCOPE_ARGUMENT, "The plan was altered since triscope_prepare made it; call that again.");
  }
  return prepared;
}

}  // namespace triscope::c_interface
