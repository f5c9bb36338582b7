#include "tests/cuda/interface/empty_launch.hpp"

namespace triscope::test {
namespace {

struct Parameters {
  char bytes[1024];
};

__global__ void nothing(__grid_constant__ const Parameters) {}

}  // namespace

void launch_nothing(const Launch& how) { check_launch(how, how(nothing, Parameters{})); }

}  // namespace triscope::test
