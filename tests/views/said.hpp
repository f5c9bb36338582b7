// The window's program, run by a shell line.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

#include "tests/paths.hpp"

namespace triscope::fixture {

struct Said {
  std::string text;
  int code = -1;
};

/// Runs a shell line; standard error counts as text.
inline Said say(const std::string& line) {
  Said said;
  std::FILE* pipe = popen((line + " 2>&1").c_str(), "r");
  char buffer[512];
  while (pipe && std::fgets(buffer, sizeof buffer, pipe)) said.text += buffer;
  const int status = pipe ? pclose(pipe) : -1;
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

inline const std::string kWindow = build_file("bin/triscope-window");

}  // namespace triscope::fixture
