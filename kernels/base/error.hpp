// One error type for every layer: what went wrong, why, and what to do about it.
#pragma once

#include <stdexcept>
#include <string>

namespace triscope {

/// Exit codes of every program (docs/command-line.md).
enum class ExitCode : int {
  done = 0,
  measured_failed = 1,  ///< something that was measured or checked failed
  usage = 2,            ///< the request is malformed
  environment = 3,      ///< the request is fine; this machine cannot serve it
};

/// An error a person can act on. `what()` is one sentence made of the three parts.
class Error : public std::runtime_error {
 public:
  /// `what` names the failed action, `why` its cause, `fix` the next step (imperative). None ends in a full stop.
  Error(std::string what, std::string why, std::string fix, ExitCode code = ExitCode::environment)
      : std::runtime_error(what + ": " + why + "; " + fix + "."),
        summary_(std::move(what)),
        why_(std::move(why)),
        fix_(std::move(fix)),
        code_(code) {}

  const std::string& summary() const noexcept { return summary_; }
  const std::string& why() const noexcept { return why_; }
  const std::string& fix() const noexcept { return fix_; }
  ExitCode code() const noexcept { return code_; }

 private:
  std::string summary_;
  std::string why_;
  std::string fix_;
  ExitCode code_;
};

}  // namespace triscope
