// Shell completion scripts, made from the tree of commands and options itself.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace triscope {

/// A script for `bash`, `zsh` or `fish` that completes commands, options, fixed choices ("{a,b}" as an option's type
/// name) and file names (type name "FILE" or "DIR"), and the fields of `explore` ("FIELD"). Throws `Error` (usage) for
/// another shell.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace triscope
