// What `--format json` prints.
#pragma once

#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "profiler/record/json.hpp"
#include "tests/app/cli/program.hpp"

namespace triscope {

/// The objects that a command printed, one a line, where it was to succeed.
inline std::vector<nlohmann::json> json_lines(const ProgramResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  std::vector<nlohmann::json> out;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

}  // namespace triscope
