#include "profiler/tiles/ask_tiles.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stop_token>
#include <string>
#include <utility>
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

constexpr std::size_t kMostQuestions = 200;  ///< of one worker: an argument holds 128 KiB

/// Of each question what every instance of this build computes.
std::vector<std::vector<TileUse>> answers_of(const std::vector<TileQuestion>& questions,
                                             const std::stop_token& closing) {
  WorkerProcess worker({find_worker().string(), "--tiles", dump_line(nlohmann::json(questions))});
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
    auto answers = nlohmann::json::parse(bytes).get<std::vector<std::vector<TileUse>>>();
    if (answers.size() == questions.size()) return answers;
  } catch (const nlohmann::json::exception&) {
    const std::vector<std::string> log = worker.take_log();
    refuse(log.empty() ? "the worker " + ending : "it says: " + log.back());
  }
  refuse("the worker answered other questions");
}

/// Of one problem, the paper's listings first.
std::vector<TileUse> all_uses(const TileQuestion& question, std::vector<TileUse> ours) {
  std::vector<TileUse> uses = listing_tile_uses(question.problem, question.query);
  std::ranges::move(ours, std::back_inserter(uses));
  return uses;
}

bool is_answerable(const Problem& problem) {
  try {
    require_answerable({problem, {}});
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TileAnswer ask_tiles(const TileQuestion& question, const TileAnswer* before, const std::stop_token& closing) {
  require_answerable(question);
  const bool known = before != nullptr && before->question.problem == question.problem;
  std::vector<TileQuestion> questions{question};
  if (!known) {
    for (const Problem& problem : whole_tile_neighbours(question.problem)) questions.push_back({problem, {}});
  }
  std::vector<std::vector<TileUse>> answers = answers_of(questions, closing);
  TileAnswer answer{question, all_uses(question, answers.front()), {}};
  if (known) {
    answer.beside = before->beside;
    return answer;
  }
  for (std::size_t n = 0; n < questions.size(); ++n) {
    const TileUse* use = chosen_forward(answers[n]);
    if (use == nullptr) break;  // this build has none
    answer.beside.push_back({questions[n].problem, *use});
  }
  return answer;
}

WorkTable ask_work(const std::vector<Problem>& problems, const std::stop_token& closing, const WorkProgress& told) {
  WorkTable table;
  std::vector<TileQuestion> questions;
  for (const Problem& problem : problems) {
    if (is_answerable(problem)) questions.push_back({problem, {}});
    if (!is_answerable(problem)) table.push_back({problem, {}});
  }
  for (std::size_t first = 0; first < questions.size(); first += kMostQuestions) {
    const std::vector<TileQuestion> some(
        questions.begin() + static_cast<std::ptrdiff_t>(first),
        questions.begin() + static_cast<std::ptrdiff_t>(std::min(questions.size(), first + kMostQuestions)));
    std::vector<std::vector<TileUse>> answers = answers_of(some, closing);
    for (std::size_t n = 0; n < some.size(); ++n) table.push_back({some[n].problem, std::move(answers[n])});
    if (told) told(first + some.size(), questions.size());
  }
  return table;
}

}  // namespace triscope
