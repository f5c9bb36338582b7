// See instances.hpp.
#include "kernels/cuda/hopper/forward/instances/instance.cuh"

TRISCOPE_HOPPER_INSTANCE("d128_split64_keys96_mixed_half");
