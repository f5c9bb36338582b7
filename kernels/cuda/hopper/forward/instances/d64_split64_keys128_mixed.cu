// Instance d64_split64_keys128_mixed of config.hpp.
#include "kernels/cuda/hopper/forward/instance.cuh"

TRISCOPE_HOPPER_INSTANCE(6);
