#include "profiler/record/measurement.hpp"

#include <array>

namespace triscope {
namespace {

template <typename Enum, std::size_t N>
std::optional<Enum> parse(std::string_view text, const std::array<Enum, N>& values) {
  for (Enum value : values) {
    if (to_string(value) == text) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Regime regime) { return regime == Regime::sustained ? "sustained" : "burst"; }

std::string_view to_string(TimingSource source) {
  switch (source) {
    case TimingSource::cupti:
      return "cupti";
    case TimingSource::cuda_events:
      return "cuda_events";
    case TimingSource::cpu_clock:
      return "cpu_clock";
  }
  return "?";
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::skipped:
      return "skipped";
    case Status::failed:
      return "failed";
    case Status::cancelled:
      return "cancelled";
  }
  return "?";
}

std::optional<Regime> parse_regime(std::string_view text) {
  return parse(text, std::array{Regime::sustained, Regime::burst});
}
std::optional<TimingSource> parse_timing_source(std::string_view text) {
  return parse(text, std::array{TimingSource::cupti, TimingSource::cuda_events, TimingSource::cpu_clock});
}
std::optional<Status> parse_status(std::string_view text) {
  return parse(text, std::array{Status::ok, Status::skipped, Status::failed, Status::cancelled});
}

}  // namespace triscope
