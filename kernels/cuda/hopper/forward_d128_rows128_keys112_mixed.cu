// Instance d128_rows128_keys112_mixed of config.hpp.
#include "kernels/cuda/hopper/instance.cuh"

TRISCOPE_HOPPER_INSTANCE(3);
