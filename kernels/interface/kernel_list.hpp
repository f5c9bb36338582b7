// The kernels that libtriscope_attention.so offers, by the ids that its callers use.
#pragma once

#include <string>
#include <vector>

#include "kernels/attention/kernel.hpp"
#include "kernels/interface/refusal.hpp"

namespace triscope::c_interface {

/// One id. Of several kernels behind it the first that supports a problem runs it.
struct Offer {
  std::string id;
  DeviceKind device = DeviceKind::cpu;
  std::vector<const Kernel*> kernels;  ///< at least one; they live as long as the library
};

/// All ids, in the order of triscope_kernel. Built at the first call, constant from then on.
const std::vector<Offer>& offers();

/// The offer called `id`, the first for null. Throws `Refusal` with the ids that there are.
const Offer& require_offer(const char* id);

/// What is thrown where no kernel of `offer` runs a problem, for `reason`: a clause, or a sentence with its point.
Refusal unsupported(const Offer& offer, std::string reason);

/// The kernel of `offer` that runs `pass` of `problem` on the current GPU. Throws `Refusal` with the reason of the last
/// when none does.
const Kernel& require_support(const Offer& offer, const Problem& problem, Pass pass);

}  // namespace triscope::c_interface
