#include "profiler/tiles/ask_tiles.hpp"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "kernels/base/error.hpp"
#include "kernels/paper/listing_tiles.hpp"
#include "profiler/paper/tile_codec.hpp"
#include "profiler/supervise/supervisor.hpp"
#include "profiler/supervise/worker_process.hpp"

namespace triscope {
namespace {

constexpr std::chrono::seconds kLimit{60};

[[noreturn]] void refuse(const std::string& why) {
  throw Error("the tiles of this build's kernels are not known", why, "run `triscope doctor`");
}

std::vector<TileUse> uses_of(const TileQuestion& question, const std::stop_token& closing) {
  std::vector<TileUse> uses = listing_tile_uses(question.problem, question.query);
  WorkerProcess worker({find_worker().string(), "--tiles", dump_line(nlohmann::json(question))});
  WakeEvent wake;
  const std::stop_callback on_close(closing, [&wake] { wake.set(); });
  const auto deadline = WorkerProcess::Clock::now() + kLimit;
  std::string bytes;
  WorkerProcess::Event event = WorkerProcess::Event::output;
  while (event == WorkerProcess::Event::output) event = worker.wait(bytes, deadline, &wake);
  if (event == WorkerProcess::Event::woken) refuse("the program ends");
  const std::string ending = worker.end(deadline);
  if (event != WorkerProcess::Event::ended) refuse("the worker gave no answer for a minute");
  try {
    for (TileUse& use : nlohmann::json::parse(bytes).get<std::vector<TileUse>>()) uses.push_back(std::move(use));
  } catch (const nlohmann::json::exception&) {
    const std::vector<std::string> log = worker.take_log();
    refuse(log.empty() ? "the worker " + ending : "it says: " + log.back());
  }
  return uses;
}

}  // namespace

TileAnswer ask_tiles(const TileQuestion& question, const TileAnswer* before, const std::stop_token& closing) {
  require_answerable(question);
  TileAnswer answer{question, uses_of(question, closing), {}};
  if (before != nullptr && before->question.problem == question.problem) {
    answer.beside = before->beside;
    return answer;
  }
  if (const TileUse* use = chosen_forward(answer.uses)) answer.beside.push_back({question.problem, *use});
  if (answer.beside.empty()) return answer;
  for (const Problem& problem : whole_tile_neighbours(question.problem)) {
    const std::vector<TileUse> uses = uses_of({problem, {}}, closing);
    if (const TileUse* use = chosen_forward(uses)) answer.beside.push_back({problem, *use});
  }
  return answer;
}

}  // namespace triscope
