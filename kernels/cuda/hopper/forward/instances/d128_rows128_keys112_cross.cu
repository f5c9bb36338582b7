// Instance d128_rows128_keys112_cross of config.hpp.
#include "kernels/cuda/hopper/forward/instance.cuh"

TRISCOPE_HOPPER_INSTANCE(9);
