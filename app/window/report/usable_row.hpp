// The row that a report or a picture shows in detail.
#pragma once

#include <string>

#include "app/window/application.hpp"

namespace triscope {

/// As `Application::select_first`; where a sample or another part of that row cannot be used, the first row of the
/// shown sweep of which all can: then a sentence says which was passed over, and why.
std::string select_usable(Application& application);

}  // namespace triscope
