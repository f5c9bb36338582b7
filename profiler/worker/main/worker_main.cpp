// triscope-worker: measures on behalf of triscope, which talks to it over stdin and stdout.
#include "profiler/worker/main/worker_program.hpp"

int main(int argc, char** argv) { return triscope_worker_program(argc, argv); }
