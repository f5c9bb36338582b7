#include "kernels/interface/kernel_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "kernels/cpu/fast.hpp"
#include "kernels/reference/oracle_kernel.hpp"
#ifdef TRISCOPE_HAVE_CUDA
#include "kernels/cuda/common/capability.hpp"
#include "kernels/cuda/common/current_gpu.hpp"
#include "kernels/cuda/hopper/hopper.hpp"
#include "kernels/cuda/portable/portable.hpp"
#endif

namespace triscope::c_interface {
namespace {

const std::vector<std::unique_ptr<Kernel>>& kernels_of_library() {
  static const std::vector<std::unique_ptr<Kernel>> kernels = [] {
    std::vector<std::unique_ptr<Kernel>> list;
    list.push_back(make_cpu_fast());
    list.push_back(make_cpu_oracle());
#ifdef TRISCOPE_HAVE_CUDA
    list.push_back(restrict_to({90, 90}, make_cuda_hopper(), current_gpu));
    list.push_back(restrict_to({80}, make_cuda_portable(), current_gpu));
#endif
    return list;
  }();
  return kernels;
}

// Of the caller's text, for a sentence: one line, and not longer than a name.
std::string readable(const char* id) {
  constexpr std::size_t kLongest = 40;
  std::string text(id, ::strnlen(id, kLongest + 1));
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c >= 127; }, '?');
  return text;
}

std::vector<Offer> make_offers() {
  std::vector<Offer> list;
  Offer best_of_gpu{.id = "cuda", .device = DeviceKind::cuda, .kernels = {}};
  for (const auto& kernel : kernels_of_library()) {
    list.push_back({.id = kernel->info().id, .device = kernel->info().device, .kernels = {kernel.get()}});
    if (kernel->info().device == DeviceKind::cuda) best_of_gpu.kernels.push_back(kernel.get());
  }
  if (!best_of_gpu.kernels.empty()) list.push_back(best_of_gpu);
  return list;
}

}  // namespace

const std::vector<Offer>& offers() {
  static const std::vector<Offer> list = make_offers();
  return list;
}

const Offer& require_offer(const char* id) {
  if (id == nullptr) return offers().front();
  std::vector<std::string> ids;
  for (const Offer& offer : offers()) {
    if (offer.id == id) return offer;
    ids.push_back(offer.id);
  }
  throw Refusal(TRISCOPE_ARGUMENT, fmt::format("There is no kernel \"{}\" in this library; choose one of: {}.",
                                               readable(id), fmt::join(ids, ", ")));
}

Refusal unsupported(const Offer& offer, std::string reason) {
  if (reason.ends_with('.')) reason.pop_back();
  return {TRISCOPE_UNSUPPORTED,
          fmt::format("{} cannot run this problem: {}; change that, or choose another kernel.", offer.id, reason)};
}

const Kernel& require_support(const Offer& offer, const Problem& problem, Pass pass) {
  std::string reason;
  for (const Kernel* kernel : offer.kernels) {
    const auto why = kernel->unsupported(problem, pass);
    if (!why) return *kernel;
    reason = *why;
  }
  throw unsupported(offer, std::move(reason));
}

}  // namespace triscope::c_interface
