#include "app/window/explore/explore_session.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/window/database/other_database.hpp"

namespace triscope {

void ExploreSession::supply() {
  if (shown_.database.empty() || shown_.sweeps.empty()) return;
  ExploreQuestion wanted{shown_.database,    ui_.settings.explore_databases,
                         ui_.explore.query,  ui_.selection.reference,
                         database_.hidden(), shown_.revision};
  std::erase_if(wanted.others, [&](const std::string& file) { return is_open(shown_, file); });  // it was opened since
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
  const std::string whole =
      other_than_open(file, shown_.database, "The database was not added", "choose another file").string();
  std::vector<std::string>& chosen = ui_.settings.explore_databases;
  const auto same = [&](const std::string& one) {
    std::error_code missing;  // then it is another file
    return one == whole || std::filesystem::equivalent(one, whole, missing);
  };
  if (std::ranges::none_of(chosen, same)) chosen.push_back(whole);
  ui_.fit_charts = true;
}

void ExploreSession::end() {
  closing_.request_stop();
  newer_.request_stop();
  thread_.drop_waiting();
}

}  // namespace triscope
