// The box above Compare's table that says which two versions of a kernel are compared.
#pragma once

#include "views/parts/context.hpp"

namespace triscope {

/// Others are chosen here: by kernel and pass, the newest version first. `beside`: pixels that stay free at its right.
void draw_versions(Context& context, float beside);

}  // namespace triscope
