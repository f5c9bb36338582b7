#include "app/window/tiles/tile_session.hpp"

#include <memory>
#include <utility>

namespace triscope {

void TileSession::supply() {
  const std::optional<TileQuestion> wanted = tiles_question(ui_);
  if (!wanted || data_.asked == wanted || run_.running) return;
  data_.asked = wanted;
  data_.waiting = true;
  thread_.replace("tiles", [this, question = *wanted, before = data_.answer] {
    auto answer = std::make_shared<TileAnswer>();
    std::string problem;
    try {
      *answer = engine_.tiles(question, before.get());
    } catch (const std::exception& error) {
      answer.reset();
      problem = error.what();
    }
    queue_.push([this, question, answer = std::move(answer), problem = std::move(problem)] {
      if (data_.asked != question) return;  // another one was asked meanwhile
      data_.waiting = false;
      data_.problem = problem;
      if (answer) data_.answer = answer;
    });
  });
}

void TileSession::supply_work(const std::vector<Problem>& problems) {
  if (problems.empty() || problems == work_.asked || run_.running) return;
  work_.asked = problems;
  work_.problem.clear();
  if (!engine_.work) {  // nothing here counts: as a build without CUDA
    WorkTable table = *work_.table;
    for (const Problem& problem : problems) table.push_back({problem, {}});
    work_.table = std::make_shared<const WorkTable>(std::move(table));
    return;
  }
  thread_.replace("work", [this, problems] {
    WorkTable counted;
    std::string problem;
    try {
      counted = engine_.work(problems);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    queue_.push([this, problems, counted = std::move(counted), problem = std::move(problem)] {
      if (work_.asked != problems) return;  // others were asked for meanwhile
      work_.problem = problem;
      WorkTable table = *work_.table;
      table.insert(table.end(), counted.begin(), counted.end());
      work_.table = std::make_shared<const WorkTable>(std::move(table));
    });
  });
}

}  // namespace triscope
