#include "profiler/record/unusable_sweep.hpp"

#include <string_view>

#include "profiler/record/same_device.hpp"

namespace triscope {
namespace {

constexpr std::string_view kBegin = "cannot be used: ";

}  // namespace

SweepInfo unusable_sweep(std::int64_t id, const std::string& fault) {
  SweepInfo sweep;
  sweep.id = id;
  sweep.note = std::string(kBegin) + fault;
  sweep.environment.device_name = kUnknownDevice;
  return sweep;
}

std::string why_unusable(const SweepInfo& sweep) {
  // Every other has an identity, whatever its note says.
  return sweep.uuid.empty() && sweep.note.starts_with(kBegin) ? sweep.note.substr(kBegin.size()) : "";
}

}  // namespace triscope
