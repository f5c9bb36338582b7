// triscope-check-file FILE ACTION MILLISECONDS COPY-FOLDER VIEW: what profiler/store/open/file_check and the Python
// package start. It writes "passed" to standard output when `FILE` may be opened, or, when it is there, `database` in
// COPY-FOLDER instead; otherwise three lines say what was refused, why, and what to do. VIEW "any-view": the view
// `result` is made anew.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "kernels/base/error.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "profiler/store/check/check_file.hpp"
#include "profiler/store/open/file_check.hpp"

namespace {

// Without destructors: they would close the file, which another process may have locked, and there is nothing to write.
[[noreturn]] void end(int code, const std::string& said) {
  if (::write(STDOUT_FILENO, said.data(), said.size()) < 0) code = EXIT_FAILURE;
  ::_exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  using triscope::Error;
  using triscope::plain_line;
  using triscope::ResultView;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc != 6) end(static_cast<int>(triscope::ExitCode::usage), "triscope starts this program by itself\n");
  try {
    triscope::check_file({argv[1], argv[2], std::chrono::milliseconds(std::strtoll(argv[3], nullptr, 10)), argv[4],
                          std::string_view(argv[5]) == "any-view" ? ResultView::any : ResultView::own});
    end(EXIT_SUCCESS, std::string(triscope::kPassed));
  } catch (const Error& e) {
    end(static_cast<int>(e.code()),
        plain_line(e.summary()) + '\n' + plain_line(e.why()) + '\n' + plain_line(e.fix()) + '\n');
  } catch (const std::exception& e) {
    end(static_cast<int>(triscope::ExitCode::environment), "");
  }
}
