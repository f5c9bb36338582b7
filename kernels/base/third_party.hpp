// Third-party parts that are in the programs or loaded at run time: versions and licences.
#pragma once

#include <span>
#include <string_view>

namespace triscope {

struct ThirdPartyPart {
  std::string_view name;
  std::string_view version;   ///< that this build has; of what is loaded at run time: what is accepted
  std::string_view licence;   ///< SPDX where there is one
  std::string_view use;       ///< one clause
  std::string_view kernel;    ///< id of the baseline it is measured as; empty: it is none
  std::string_view command;   ///< fetches it; empty: there is none
  std::string_view download;  ///< what `command` downloads: packages, versions, sizes
};

/// Baselines first, then what the programs contain.
std::span<const ThirdPartyPart> third_party_parts();

/// The part that is measured as `kernel`; null when it is Triscope's own.
const ThirdPartyPart* find_third_party_part(std::string_view kernel);

}  // namespace triscope
