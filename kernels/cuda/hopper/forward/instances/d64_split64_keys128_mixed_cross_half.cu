// See instances.hpp.
#include "kernels/cuda/hopper/forward/instances/instance.cuh"

TRISCOPE_HOPPER_INSTANCE("d64_split64_keys128_mixed_cross_half");
