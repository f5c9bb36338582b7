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

}  // namespace triscope
