// Standard input, output and error of a program that was started without them.
#pragma once

namespace triscope {

/// Gives each of the descriptors 0, 1 and 2 that is closed a use, so that no file opened later becomes one of them and
/// gets what is printed. What is then printed to standard error is lost; writing to standard output fails, as it would
/// have. Call it first in `main`.
void open_standard_streams();

}  // namespace triscope
