// See instances.hpp.
#include "kernels/cuda/hopper/forward/instances/instance.cuh"

TRISCOPE_HOPPER_INSTANCE("d128_pair64_keys128_cross_half");
