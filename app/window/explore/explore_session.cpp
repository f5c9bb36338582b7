#include "app/window/explore/explore_session.hpp"

#include <algorithm>
#include <utility>

#include "kernels/base/error.hpp"

namespace triscope {

void ExploreSession::supply() {
  if (shown_.database.empty() || shown_.sweeps.empty()) return;
  ExploreQuestion wanted{shown_.database,    ui_.settings.explore_databases,
                         ui_.explore.query,  ui_.selection.reference,
                         database_.hidden(), shown_.revision};
  std::erase(wanted.others, shown_.database);  // it was opened since
  if (shown_.run.running && data_.asked) wanted.revision = data_.asked->revision;
  if (data_.asked == wanted) return;
  if (data_.asked && data_.asked->database != wanted.database) data_.chart.reset();
  data_.asked = wanted;
  data_.waiting = true;
  newer_.request_stop();
  newer_ = {};
  thread_.replace("explore", [this, question = std::move(wanted), newer = newer_.get_token()] {
    std::shared_ptr<const ExploreChart> chart;
    std::string problem;
    try {
      chart = reader_.answer(question, newer);
    } catch (const std::exception& error) {
      problem = error.what();
    }
    queue_.push([this, question, chart = std::move(chart), problem = std::move(problem)] {
      if (data_.asked != question) return;  // another one was asked meanwhile
      data_.waiting = false;
      data_.problem = problem;
      if (chart) data_.chart = chart;
    });
  });
}

void ExploreSession::add(const std::filesystem::path& file) {
  const std::filesystem::path whole = std::filesystem::absolute(file).lexically_normal();
  std::error_code missing;  // then it is not the same file
  if (std::filesystem::equivalent(whole, shown_.database, missing))
    throw Error("The database was not added", "it is the open one", "choose another file");
  if (std::ranges::find(ui_.settings.explore_databases, whole.string()) == ui_.settings.explore_databases.end())
    ui_.settings.explore_databases.push_back(whole.string());
  ui_.fit_charts = true;
}

void ExploreSession::end() {
  closing_.request_stop();
  newer_.request_stop();
  thread_.drop_waiting();
}

}  // namespace triscope
