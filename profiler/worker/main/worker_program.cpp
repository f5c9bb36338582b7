// What triscope-worker does. In a wheel it is inside libtriscope_worker.so, so that the kernels are there once for
// both.
#include "profiler/worker/main/worker_program.hpp"

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry/registry.hpp"
#include "profiler/paper/tile_codec.hpp"
#include "profiler/paper/tile_question.hpp"
#include "profiler/worker/serve.hpp"

namespace {

/// `triscope-worker --tiles QUESTIONS`: which part of the tiles of this build's kernels is useful, as JSON: a list for
/// each question.
int print_tiles(const char* text) {
  try {
    nlohmann::json answers = nlohmann::json::array();
    for (const auto& question : nlohmann::json::parse(text).get<std::vector<triscope::TileQuestion>>()) {
      triscope::require_answerable(question);
      answers.push_back(triscope::registered_tile_uses(question.problem, question.query));
    }
    std::puts(triscope::dump_line(answers).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "triscope-worker: the question cannot be answered: %s\n", error.what());
    return 2;
  }
}

}  // namespace

extern "C" int triscope_worker_program(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--tiles") return print_tiles(argv[2]);
  triscope::keep_freed_memory();
  std::vector<const triscope::Kernel*> kernels;
  for (const auto& kernel : triscope::all_kernels()) kernels.push_back(kernel.get());
  return triscope::run_worker(argc, argv, kernels);
}
