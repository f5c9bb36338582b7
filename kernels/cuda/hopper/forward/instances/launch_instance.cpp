#include "kernels/cuda/hopper/forward/instances/launch_instance.hpp"

#include <array>
#include <utility>

#include "kernels/cuda/hopper/forward/instances.hpp"

namespace triscope::hopper {
namespace {

using LaunchForward = int (*)(const TensorMaps&, const ForwardParameters&, int, int, cudaStream_t);

template <int... kInstance>
constexpr std::array<LaunchForward, sizeof...(kInstance)> launches_of(std::integer_sequence<int, kInstance...>) {
  return {&launch_forward<kInstance>...};
}

}  // namespace

int launch_instance(int instance, const TensorMaps& maps, const ForwardParameters& p, int blocks, int shared_bytes,
                    cudaStream_t stream) {
  static constexpr auto kLaunches = launches_of(std::make_integer_sequence<int, kInstanceCount>{});
  return kLaunches[static_cast<std::size_t>(instance)](maps, p, blocks, shared_bytes, stream);
}

}  // namespace triscope::hopper
