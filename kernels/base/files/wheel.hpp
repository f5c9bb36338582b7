// Programs that came in a Python wheel, beside which there is nothing to build.
#pragma once

namespace triscope {

/// What to do there for kernels that a build without CUDA lacks.
inline constexpr char kWheelWithCuda[] =
    "install a wheel with GPU kernels: in Triscope's sources ./run build --cuda, then ./run wheel";

/// Whether this program lies in the `bin` of a Python package.
bool came_in_a_wheel();

}  // namespace triscope
