// Instance d64_split64_keys128_mixed_biased_cross of config.hpp.
#include "kernels/cuda/hopper/forward/instance.cuh"

TRISCOPE_HOPPER_INSTANCE(18);
