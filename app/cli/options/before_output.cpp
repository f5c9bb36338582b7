#include "app/cli/options/before_output.hpp"

#include <utility>

namespace triscope {
namespace {

std::string& waiting() {
  static std::string text;
  return text;
}

}  // namespace

void write_before_output(std::string text) { waiting() = std::move(text); }

std::string take_before_output() { return std::exchange(waiting(), {}); }

}  // namespace triscope
