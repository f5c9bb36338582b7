// Instance d128_split64_keys96_mixed_biased_cross of config.hpp.
#include "kernels/cuda/hopper/forward/instance.cuh"

TRISCOPE_HOPPER_INSTANCE(17);
