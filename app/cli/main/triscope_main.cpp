// The command line program. Links no CUDA, no GL, no X11; kernels run in triscope-worker.
#include <csignal>

#include "app/cli/command_line.hpp"
#include "kernels/base/files/standard_streams.hpp"

int main(int argc, char** argv) {
  triscope::open_standard_streams();
  std::signal(SIGCHLD, SIG_DFL);  // where they are ignored, nobody learns how a worker ended
  std::signal(SIGXFSZ, SIG_IGN);  // at a limit on the size of files a write then fails, as on a full disk
  return triscope::run_command_line(argc, argv);
}
