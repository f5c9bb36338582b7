#include "app/window/explore/explore_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kernels/base/error.hpp"
#include "profiler/explore/exploration.hpp"
#include "profiler/verdict/reference.hpp"
#include "views/model/charts/explore_chart.hpp"

namespace triscope {
namespace {

/// The revision says only that something may have changed.
bool same_question(ExploreQuestion a, const ExploreQuestion& b) {
  a.revision = b.revision;
  return a == b;
}

/// The open one first, each once.
std::vector<std::string> files_of(const ExploreQuestion& question) {
  std::vector<std::string> files{question.database};
  for (const std::string& file : question.others) {
    if (std::ranges::find(files, file) == files.end()) files.push_back(file);
  }
  return files;
}

/// What rows of `file` stand beside: numbers are those of the open database, and a file does not stand beside itself.
std::string reference_in(const std::string& file, const ExploreQuestion& question) {
  const Reference asked = parse_reference(question.reference);
  const bool numbered = asked.kind == Reference::Kind::row || asked.kind == Reference::Kind::sweep;
  return (numbered && file != question.database) || is_itself(asked, file) ? "none" : question.reference;
}

/// As short as tells them apart.
std::string name_of(const std::string& file, const std::vector<std::string>& all) {
  const std::filesystem::path name = std::filesystem::path(file).filename();
  const auto same = std::ranges::count_if(
      all, [&](const std::string& other) { return std::filesystem::path(other).filename() == name; });
  return same > 1 ? file : name.string();
}

}  // namespace

bool ExploreReader::prepare(const std::string& file, const ExploreQuestion& question, const std::stop_token& newer) {
  std::unique_ptr<ExploredDatabase>& database = databases_[file];
  auto state = database ? database->state() : ExploredDatabase::State::replaced;
  if (state == ExploredDatabase::State::replaced) {
    database.reset();
    answered_.reset();
    database = std::make_unique<ExploredDatabase>(file, closing_);
    state = ExploredDatabase::State::changed;
  }
  if (state == ExploredDatabase::State::changed) {
    answered_.reset();
    if (!database->read(newer)) return false;
  }
  database->read_counters(needed_counters(question.query));
  return !needs_reference(question.query) || compare(*database, file, question, newer);
}

bool ExploreReader::compare(ExploredDatabase& database, const std::string& file, const ExploreQuestion& question,
                            const std::stop_token& newer) {
  using Compared = ExploredDatabase::Compared;
  try {
    const std::int64_t hidden = file == question.database ? question.hidden : 0;
    const Compared compared = database.compare(reference_in(file, question), hidden, newer);
    if (compared == Compared::anew) answered_.reset();
    return compared != Compared::stopped;
  } catch (const Error& error) {
    if (newer.stop_requested() || closing_.stop_requested() || !is_of_reference(error)) throw;
    beside_nothing_ = fmt::format("rows stand beside nothing: {}", error.what());
    return true;
  }
}

bool ExploreReader::prepare_all(const std::vector<std::string>& files, const ExploreQuestion& question,
                                const std::stop_token& newer) {
  std::erase_if(databases_, [&](const auto& one) { return std::ranges::find(files, one.first) == files.end(); });
  std::vector<std::string> left_out;
  beside_nothing_.clear();
  for (const std::string& file : files) {
    try {
      if (!prepare(file, question, newer)) return false;
    } catch (const Error& error) {
      databases_.erase(file);
      if (file == question.database || closing_.stop_requested()) throw;
      left_out.push_back(fmt::format("without {}: {}", name_of(file, files), error.what()));
    }
  }
  if (!beside_nothing_.empty()) left_out.push_back(beside_nothing_);
  if (left_out != left_out_) answered_.reset();
  left_out_ = std::move(left_out);
  return true;
}

std::shared_ptr<const ExploreChart> ExploreReader::answer(const ExploreQuestion& question,
                                                          const std::stop_token& newer) {
  const std::vector<std::string> files = files_of(question);
  if (!prepare_all(files, question, newer)) return nullptr;
  if (answered_ && same_question(*answered_, question)) return chart_;
  const bool beside = needs_reference(question.query);
  std::vector<ExploreSource> sources;
  std::vector<std::string> names;
  for (const std::string& file : files) {
    const auto found = databases_.find(file);
    if (found == databases_.end()) continue;
    names.push_back(name_of(file, files));
    found->second->add_to(sources, names.back(), file == question.database ? question.hidden : 0, beside);
  }
  const Exploration made = explore(sources, question.query);
  if (newer.stop_requested()) return nullptr;
  if (names.size() < 2) names.clear();
  ExploreChart chart = explore_chart(made, question.query, sources, std::move(names));
  chart.left_out = left_out_;
  chart_ = std::make_shared<const ExploreChart>(std::move(chart));
  answered_ = question;
  return chart_;
}

}  // namespace triscope
