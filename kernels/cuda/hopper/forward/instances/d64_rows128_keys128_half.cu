// See instances.hpp.
#include "kernels/cuda/hopper/forward/instances/instance.cuh"

TRISCOPE_HOPPER_INSTANCE("d64_rows128_keys128_half");
