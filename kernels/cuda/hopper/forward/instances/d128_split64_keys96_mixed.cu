// Instance d128_split64_keys96_mixed of config.hpp.
#include "kernels/cuda/hopper/forward/instance.cuh"

TRISCOPE_HOPPER_INSTANCE(3);
