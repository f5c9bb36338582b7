#include "app/window/files/files.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <unistd.h>

#include <utility>

#include "app/window/files/folder_listing.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "profiler/paper/laws/losses_file.hpp"
#include "views/data/format.hpp"

namespace triscope {
namespace {

bool can_write(const std::string& folder) { return access(folder.c_str(), W_OK) == 0; }

}  // namespace

std::string folder_of(const std::string& file) {
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  return (parent.empty() ? std::string(".") : parent.string()) + "/";
}

Files::Files(std::shared_ptr<const FolderListing>& listing, PathDialog& dialog, const DatabaseData& database,
             Messages& messages, UiQueue& queue)
    : listing_(listing),
      dialog_(dialog),
      database_(database),
      messages_(messages),
      queue_(queue),
      thread_(std::make_unique<BackgroundThread>(messages.failures())) {}

void Files::ask(FileRequest request, std::string proposal) {
  dialog_ = {};
  dialog_.waiting = std::move(request);
  dialog_.text = std::move(proposal);
}

std::string saved_words(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) return {};
  if (files.size() == 1) return fmt::format("Saved {}.", files.front().string());
  std::string names;
  for (const std::filesystem::path& file : files) names += (names.empty() ? "" : ", ") + file.filename().string();
  return fmt::format("Saved {} files in {}: {}.", files.size(), files.front().parent_path().string(), names);
}

std::string Files::database_folder() const { return folder_of(database_.database); }

std::string Files::proposed_path(const std::string& name) const {
  const std::string beside = database_folder();
  if (!database_.read_only && can_write(beside)) return beside + name;
  return fmt::format("{}/{}", can_write(".") ? std::filesystem::current_path().string() : "~", name);
}

void Files::list(const std::string& folder) {
  thread_->replace("folder", [this, folder] {
    queue_.push([this, listing = std::make_shared<const FolderListing>(list_folder(folder))] { listing_ = listing; });
  });
}

void Files::save(const std::filesystem::path& file, std::function<void()> write) {
  thread_->add([this, file, write = std::move(write)] {
    try {
      write();
      messages_.notify_later(Severity::info, NoticeId::saved, fmt::format("Saved {}.", file.string()));
    } catch (const std::exception& error) {
      messages_.notify_later(Severity::error, NoticeId::saved, error.what());
    }
  });
}

void Files::save_text(const std::filesystem::path& file, std::string text) {
  save(file, [file, text = std::move(text)] { write_whole_file(file, text); });
}

void Files::save_texts(std::vector<std::pair<std::filesystem::path, std::string>> texts) {
  thread_->add([this, texts = std::move(texts)] {
    std::vector<std::filesystem::path> saved;
    std::string problem;  // the first one; the other files may be written yet
    for (const auto& [file, text] : texts) {
      try {
        write_whole_file(file, text);
        saved.push_back(file);
      } catch (const std::exception& error) {
        if (problem.empty()) problem = error.what();
      }
    }
    const std::string words = saved_words(saved);
    if (problem.empty()) return messages_.notify_later(Severity::info, NoticeId::saved, words);
    messages_.notify_later(Severity::error, NoticeId::saved, problem + (words.empty() ? "" : " " + words));
  });
}

void Files::read_losses(const std::filesystem::path& file, std::function<void(std::string text)> taken) {
  thread_->replace("losses", [this, file, taken = std::move(taken)] {
    try {
      queue_.push([taken, text = losses_text_of(file)] { taken(text); });
    } catch (const std::exception& error) {
      messages_.notify_later(Severity::error, NoticeId::request, error.what());
    }
  });
}

void Files::copy(const TextTable& table, TableFormat format, const char* title) {
  if (table.rows.empty())
    return messages_.notify(Severity::warning, NoticeId::nothing_to_copy,
                            fmt::format("There is nothing to copy: {} is empty.", title));
  ImGui::SetClipboardText(write_table(table, format).c_str());
  messages_.log(Severity::info, fmt::format("Copied {} of {}.", counted(table.rows.size(), "row"), title));
}

}  // namespace triscope
