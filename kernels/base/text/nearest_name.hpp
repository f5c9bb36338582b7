// The known name that is nearest to an unknown one.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace triscope {

/// The name of `known` that is at most two edits (insert, delete, replace a letter) from `word`, the nearest if several
/// are, the first of equally near ones; unset when all are farther. Capitals are as good as small letters.
std::optional<std::string> nearest_name(const std::string& word, std::span<const std::string> known);

/// "did you mean B? " in front of a list of choices; empty when nothing is near.
std::string nearest_name_hint(const std::string& word, std::span<const std::string> known);

}  // namespace triscope
