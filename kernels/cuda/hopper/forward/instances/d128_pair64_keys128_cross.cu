// Instance d128_pair64_keys128_cross of config.hpp.
#include "kernels/cuda/hopper/forward/instance.cuh"

TRISCOPE_HOPPER_INSTANCE(20);
