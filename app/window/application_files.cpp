// What the requests of the panels do with files and the clipboard.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/window/application.hpp"
#include "app/window/files/folder_listing.hpp"
#include "kernels/base/atomic_file.hpp"
#include "kernels/base/error.hpp"
#include "views/data/format.hpp"
#include "views/model/attention_draft.hpp"
#include "views/panels/panels.hpp"

namespace triscope {
namespace {

constexpr std::size_t kRecentDatabases = 6;

std::string folder_of(const std::string& database) {
  const std::filesystem::path parent = std::filesystem::path(database).parent_path();
  return parent.empty() ? std::string(".") : parent.string();
}

bool can_write(const std::string& folder) { return access(folder.c_str(), W_OK) == 0; }

/// On the reading thread: why `file` cannot be opened, after it was created when that is allowed; empty = it can.
std::string opening_problem(const std::filesystem::path& file, bool create) {
  try {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
      if (!create)
        throw Error(fmt::format("{} was not opened", file.string()), "there is no such file", "check the path",
                    ExitCode::usage);
      Store created(file);
    }
    const Snapshot check(file);
  } catch (const std::exception& error) {
    return plain_text(error);
  }
  return {};
}

}  // namespace

void Application::copy_panel(Panel panel, TableFormat format) {
  Context now = context();
  const TextTable table = panel_text(now, panel);
  if (table.rows.empty()) {
    notify(Severity::warning, "copy", fmt::format("There is nothing to copy: {} is empty.", panel_info(panel).title));
    return;
  }
  ImGui::SetClipboardText(write_table(table, format).c_str());
  log(Severity::info, fmt::format("Copied {} rows of {}.", table.rows.size(), panel_info(panel).title));
}

std::string Application::proposed_path(const std::string& name) const {
  const std::string folder = folder_of(data_.database);
  const bool beside = !data_.read_only && can_write(folder);
  return fmt::format("{}/{}", beside ? folder : can_write(".") ? std::filesystem::current_path().string() : "~", name);
}

std::string Application::folder_of_database() const { return folder_of(data_.database) + "/"; }
std::string Application::folder_of_tensors() const { return folder_of(ui_.attention.draft.source.file) + "/"; }

void Application::save_panel(const std::filesystem::path& file, Panel panel) {
  save_text(file, write_table(text_of(panel), TableFormat::csv));
}

void Application::list_folder_for_question(const std::string& folder) {
  reader_thread_->replace("folder", [this, folder] {
    queue_.push(
        [this, listing = std::make_shared<const FolderListing>(list_folder(folder))] { data_.folder = listing; });
  });
}

void Application::import_database(const std::filesystem::path& file) {
  write([this, file](Store& store) {
    const std::int64_t count = store.import(file);
    queue_.push([this, count, file] {
      notify(Severity::info, "import",
             fmt::format("Copied {} measurements from {}.", format_count(count), file.string()));
    });
  });
}

void Application::save_text(const std::filesystem::path& file, std::string text) {
  writer_thread_->add([this, file, text = std::move(text)] {
    try {
      write_whole_file(file, text);
      queue_.push([this, file] { notify(Severity::info, "saved", fmt::format("Saved {}.", file.string())); });
    } catch (const Error& error) {
      queue_.push([this, message = std::string(error.what())] { notify(Severity::error, "saved", message); });
    }
  });
}

void Application::save_copy(const std::filesystem::path& file) {
  reader_thread_->add([this, file] {
    try {
      reader_.save_copy(file);
      queue_.push([this, file] {
        std::erase_if(data_.notices, [](const Notice& notice) { return notice.id == "database"; });
        open_database(file);
      });
    } catch (const std::exception& error) {
      queue_.push([this, text = std::string(error.what())] {
        notify(Severity::error, "copy", text, {{"Save a copy...", ask::SaveDatabaseCopy{}}});
      });
    }
  });
}

void Application::open_dropped(const std::filesystem::path& file) {
  if (!holds_tensors(file.string())) return open_database(file);
  ui_.show(Panel::attention);
  drop_tensors(ui_.attention, file.string());
}

void Application::open_database(const std::filesystem::path& asked) {
  std::filesystem::path file = asked;
  const bool own = file.empty();
  if (own) {
    try {
      file = default_database();
    } catch (const Error& error) {
      data_.problem = error.what();
      return;
    }
  }
  data_.loading = true;
  ++pending_reads_;
  const bool create = own || !opened_once_;
  reader_thread_->add([this, file, create] {
    queue_.push([this, file, problem = opening_problem(file, create)] {
      --pending_reads_;
      data_.loading = false;
      if (problem.empty()) return take_database(file);
      // An open database stays open; without one the panels explain.
      if (data_.database.empty()) data_.problem = problem;
      notify(Severity::error, "open", problem,
             {{"Try again", ask::OpenDatabase{file.string()}}, {"Open another...", ask::OpenDatabase{}}});
    });
  });
}

void Application::take_database(const std::filesystem::path& file) {
  std::erase_if(data_.notices, [](const Notice& notice) {
    return notice.id == "open" || notice.id == "database" || notice.id == "resume";
  });
  if (!data_.database.empty())
    std::erase_if(data_.notices, [](const Notice& notice) { return notice.id == "recorded"; });
  keep_undone();
  deleted_sweep_ = 0;
  opened_once_ = true;
  data_.problem.clear();
  const std::string previous = std::exchange(data_.database, file.string());
  if (is_recorded(data_.database)) {
    ui_.settings.offer_recorded = false;
    std::vector<Notice::Action> back;
    if (!previous.empty() && previous != data_.database)
      back.push_back({"Back to " + std::filesystem::path(previous).filename().string(), ask::OpenDatabase{previous}});
    notify(Severity::info, "recorded",
           "These were recorded on an H200. They can be looked at and compared, not changed.", std::move(back));
  }
  ui_.selection = {};
  ui_.note_of = 0;
  auto& recent = ui_.settings.recent_databases;
  std::erase(recent, data_.database);
  recent.insert(recent.begin(), data_.database);
  if (recent.size() > kRecentDatabases) recent.resize(kRecentDatabases);
  ui_.settings.last_database = data_.database;
  log(Severity::info, fmt::format("Opened {}.", data_.database));
  data_.shown.reset();
  data_.sweeps.clear();
  read(true);
}

}  // namespace triscope
