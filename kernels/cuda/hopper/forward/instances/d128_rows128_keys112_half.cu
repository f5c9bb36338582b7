// See instances.hpp.
#include "kernels/cuda/hopper/forward/instances/instance.cuh"

TRISCOPE_HOPPER_INSTANCE("d128_rows128_keys112_half");
