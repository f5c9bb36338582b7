// Instance d64_rows128_keys128_mixed_ahead of config.hpp.
#include "kernels/cuda/hopper/instance.cuh"

TRISCOPE_HOPPER_INSTANCE(12);
