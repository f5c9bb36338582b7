// The program triscope-worker.
#pragma once

/// Its main function.
extern "C" __attribute__((visibility("default"))) int triscope_worker_program(int argc, char** argv);
