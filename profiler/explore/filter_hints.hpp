// What a filter leaves out that may have been meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "profiler/explore/explore_filter.hpp"
#include "profiler/explore/explore_source.hpp"

namespace triscope {

/// A term of a filter that nothing matched.
struct ExploreTerm {
  std::string text;
  std::size_t alone = 0;    ///< measurements that it alone matches
  std::size_t without = 0;  ///< that the others match without it
  std::string others;       ///< the filter without it
  std::string nearest;      ///< a term that was perhaps meant; empty: none is near
};

/// What a filter leaves out that may have been meant.
struct ExploreHint {
  std::string sentence;
  std::string add, filter;  ///< what to add to which term, and the filter with it; empty: nothing
};

/// Why nothing matches: each term alone, and the filter without it.
std::vector<ExploreTerm> terms_of(const ExploreFilter& filter, std::span<const ExploreSource> sources);
/// Values that no measurement has, and references that windows, a form or a version of ours leaves out.
std::vector<ExploreHint> hints_of(const ExploreFilter& filter, std::span<const ExploreSource> sources);

/// How a sentence ends that says that nothing is so: "; did you mean kernel=cuda.hopper?", or a full stop.
std::string or_perhaps(const std::string& nearest);

}  // namespace triscope
