// What a refusal on the command line looks like.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tests/app/cli/program.hpp"

namespace triscope {

/// An error is one sentence on stderr: one line, ended, and nothing on stdout.
inline void expect_error(const ProgramResult& result, int code, const std::string& part) {
  EXPECT_EQ(result.exit_code, code) << result.errors;
  EXPECT_THAT(result.output, testing::IsEmpty());
  EXPECT_THAT(result.errors, testing::HasSubstr(part));
  EXPECT_EQ(std::count(result.errors.begin(), result.errors.end(), '\n'), 1) << result.errors;
  EXPECT_THAT(result.errors, testing::EndsWith(".\n"));
  EXPECT_THAT(result.errors, testing::StartsWith("triscope: "));
}

}  // namespace triscope
