#include "profiler/record/words/kernel_remark.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace triscope {
namespace {

constexpr std::string_view kBeyondHalf = "the inputs are beyond the range of fp16";
constexpr std::string_view kBetween = "; ";

}  // namespace

std::string beyond_half_remark(Fold used, Fold half) {
  return fmt::format("{} instead of {}: {}", to_string(used), to_string(half), kBeyondHalf);
}

std::string kernel_remark_in(std::string_view reason) {
  std::string remarks;
  while (!reason.empty()) {
    const std::string_view part = reason.substr(0, reason.find(kBetween));
    if (part.ends_with(kBeyondHalf) || part == kUncheckedAfter)
      remarks += std::string(remarks.empty() ? "" : kBetween).append(part);
    reason.remove_prefix(std::min(reason.size(), part.size() + kBetween.size()));
  }
  return remarks;
}

}  // namespace triscope
