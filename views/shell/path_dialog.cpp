// Asks for a file: its path in a field, and below it the folder that the path lies in. Every step by mouse or keyboard.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "profiler/export/text_table.hpp"
#include "views/data/format.hpp"
#include "views/parts/dialog.hpp"
#include "views/parts/widgets.hpp"
#include "views/shell/path_fields.hpp"
#include "views/shell/picture_fields.hpp"
#include "views/shell/replaced_files.hpp"
#include "views/shell/shell.hpp"

namespace triscope {
namespace {

struct PathQuestion {
  std::string title;
  const char* help;
  const char* button;
  bool saves;                        ///< names a file to write
  std::vector<const char*> endings;  ///< of the files that are listed
  bool folder = false;               ///< what it names is a folder
};

/// How each request asks for its file.
struct Questions {
  PathQuestion operator()(const ask::OpenDatabase&) const {
    return {"Open database", "Dropping the file on the window does the same.", "Open", false, {".db"}};
  }
  PathQuestion operator()(const ask::ExploreDatabase&) const {
    return {"Explore another database too",
            "Its measurements stand beside those of the open database; nothing is copied.",
            "Add",
            false,
            {".db"}};
  }
  PathQuestion operator()(const ask::CompareDatabase&) const {
    return {"Compare with another database",
            "The sweep of it that shares most rows with the shown one stands first; nothing is copied.",
            "Compare",
            false,
            {".db"}};
  }
  PathQuestion operator()(const ask::ImportDatabase&) const {
    return {"Import database",
            "Its sweeps are copied into the open database; nothing is copied twice.",
            "Import",
            false,
            {".db"}};
  }
  PathQuestion operator()(const ask::SaveDatabaseCopy&) const {
    return {"Save a copy of the database",
            "Everything that was read and measured goes into a new file, which is then opened.",
            "Save",
            true,
            {".db"}};
  }
  PathQuestion operator()(const ask::SaveTable&) const {
    return {"Save table as CSV", "The table as it is filtered and sorted.", "Save", true, {".csv"}};
  }
  PathQuestion operator()(const ask::SaveChartData& request) const {
    return {request.panel ? fmt::format("Save chart data as CSV: {}", panel_info(*request.panel).title)
                          : "Save chart data as CSV",
            "The numbers behind the chart.",
            "Save",
            true,
            {".csv"}};
  }
  PathQuestion operator()(const ask::SaveChart& request) const {
    return {request.panel == Panel::attention ? "Save picture of the attention map"
            : request.panel == Panel::mean    ? "Save picture of the mean over queries"
            : request.panel                   ? fmt::format("Save chart: {}", panel_info(*request.panel).title)
                                              : "Save chart",
            "PNG has pixels, three times those on screen, in the window's colours; PDF and SVG have text and lines.",
            "Save",
            true,
            {".png", ".pdf", ".svg"}};
  }
  PathQuestion operator()(const ask::SaveSlice&) const {
    return {
        "Save attention slice",
        "The numbers p(j, k) of this query: .npy (an array), .csv (a line for each pair) or .png (a square for each "
        "pair, without axes).",
        "Save",
        true,
        {".npy", ".csv", ".png"}};
  }
  PathQuestion operator()(const ask::SaveFilm&) const {
    return {"Save attention film",
            "Pictures of A as 0001.png, 0002.png and so on, with one range of colours, in a new or empty folder.",
            "Save",
            true,
            {".png"},
            true};
  }
  PathQuestion operator()(const ask::ChooseTensors&) const {
    return {
        "Choose tensors",
        "A .safetensors, .npz or .pt file, or q.npy beside k1.npy, k2.npy and so on. Dropping it on the window opens "
        "it.",
        "Choose",
        false,
        {".safetensors", ".npz", ".pt", ".npy"}};
  }
  PathQuestion operator()(const ask::ChooseLabels&) const {
    return {"Choose token labels", "A text file with one token per line.", "Choose", false, {".txt"}};
  }
  PathQuestion operator()(const ask::OpenLosses&) const {
    return {
        "Open losses", "A CSV file with the columns benchmark, model, parameters and loss.", "Open", false, {".csv"}};
  }
  PathQuestion operator()(const ask::OpenKernel&) const {
    return {"Open kernel",
            "A library that exports triscope/attention.h; its code is run. Its kernels are measured beside the others, "
            "until the window is closed.",
            "Open",
            false,
            {".so"}};
  }
  PathQuestion operator()(const ask::SaveWindowPicture&) const {
    return {"Save picture of the window", "As it is now, without this dialog.", "Save", true, {".png"}};
  }
};

/// "/data/runs/h200.db" -> "/data/runs/" and "h200.db".
std::string folder_part(const std::string& text) { return text.substr(0, text.rfind('/') + 1); }
std::string name_part(const std::string& text) { return text.substr(text.rfind('/') + 1); }

bool is_listed(const PathQuestion& question, const PathDialog& path, const FolderEntry& entry,
               const std::string& filter) {
  if (!filter.empty() && entry.name.find(filter) == std::string::npos) return false;
  if (entry.folder) return true;
  if (question.folder) return false;  // where a folder is asked for, a file cannot be chosen
  if (path.all_files) return true;
  return std::any_of(question.endings.begin(), question.endings.end(),
                     [&](const char* ending) { return entry.name.ends_with(ending); });
}

const FolderEntry* find_entry(const FolderListing& listing, const std::string& name) {
  const auto found = std::find_if(listing.entries.begin(), listing.entries.end(),
                                  [&](const FolderEntry& entry) { return entry.name == name; });
  return found == listing.entries.end() ? nullptr : &*found;
}

/// What half a name narrows the list to, when that is one entry; else null. What is to be saved is never completed.
const FolderEntry* only_match(const PathQuestion& question, const PathDialog& path, const FolderListing& listing) {
  const std::string typed = name_part(path.text);
  if (question.saves || typed.empty()) return nullptr;
  const FolderEntry* match = nullptr;
  for (const FolderEntry& entry : listing.entries) {
    if (!is_listed(question, path, entry, typed)) continue;
    if (match != nullptr) return nullptr;
    match = &entry;
  }
  return match;
}

/// Goes to another folder; the name of a file to be saved stays.
void enter(const PathQuestion& question, PathDialog& path, const std::string& folder) {
  path.text = folder + (question.saves ? name_part(path.text) : std::string());
}

/// Places to start from, the files opened last, and whether other files are listed too.
void draw_places(Context& context, const PathQuestion& question, const FolderListing& listing) {
  PathDialog& path = context.ui.path;
  ImGui::Dummy(ImVec2(0, ImGui::GetFrameHeight()));  // its line, also where there is no place yet
  ImGui::SameLine(0, 0);
  for (const auto& [name, folder] : listing.places) {
    if (ImGui::Button(name.c_str())) enter(question, path, folder);
    tooltip(context, folder);
    ImGui::SameLine(0, context.look.px(4));
  }
  const bool database = question.endings.front() == std::string_view(".db");
  if (!question.saves && database && !context.ui.settings.recent_databases.empty()) {
    if (ImGui::Button("Recent  ▼")) ImGui::OpenPopup("recent");
    if (ImGui::BeginPopup("recent")) {
      for (const std::string& recent : context.ui.settings.recent_databases) {
        if (ImGui::MenuItem(recent.c_str())) path.text = recent;
      }
      ImGui::EndPopup();
    }
    ImGui::SameLine(0, context.look.px(4));
  }
  if (question.folder) return ImGui::NewLine();
  const char* label = "All files";
  align_right(button_width(label));
  if (chip(context, label, path.all_files)) path.all_files = !path.all_files;
}

/// One line of the list. True when it was chosen while it stood in the field already.
bool draw_entry(Context& context, const PathQuestion& question, const FolderListing& listing,
                const FolderEntry& entry) {
  PathDialog& path = context.ui.path;
  const Theme& theme = context.look.theme;
  ImGui::TableNextRow(0, context.look.px(24));
  ImGui::TableNextColumn();
  const bool chosen = !entry.folder && entry.name == name_part(path.text);
  ImGui::PushStyleColor(ImGuiCol_Text, entry.folder ? theme.accent : theme.text);
  const bool clicked = ImGui::Selectable((entry.folder ? entry.name + "/" : entry.name).c_str(), chosen,
                                         ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_NoAutoClosePopups,
                                         ImVec2(0, context.look.px(18)));
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  if (!entry.folder) number_right(context, format_bytes(entry.bytes), theme.muted);
  ImGui::TableNextColumn();
  muted_text(context, format_started(entry.changed, context.now));
  if (!clicked) return false;
  if (entry.folder) {
    enter(question, path, listing.folder + entry.name + "/");
  } else {
    path.text = listing.folder + entry.name;
  }
  return chosen;
}

/// The folder of the path in the field. True when a file was chosen for good.
bool draw_folder(Context& context, const PathQuestion& question, const FolderListing& listing) {
  PathDialog& path = context.ui.path;
  bool accepted = false, any = false;
  // What is half typed narrows the list; the name of a file to be saved does not.
  const std::string typed = name_part(path.text);
  const std::string filter = question.saves || find_entry(listing, typed) ? std::string() : typed;
  const float below = context.look.px(!path.picture ? 250 : is_for_print(path) ? 490 : 310);
  const float height =
      std::clamp(ImGui::GetMainViewport()->Size.y * 0.84F - below, context.look.px(70), context.look.px(264));
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_NoBordersInBody |
                                ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, context.look.theme.ground);
  ImGui::PushStyleVar(ImGuiStyleVar_SelectableTextAlign, ImVec2(0, 0.5F));
  if (ImGui::BeginTable("folder", 3, flags, ImVec2(0, height))) {
    ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("size", ImGuiTableColumnFlags_WidthFixed, context.look.px(72));
    ImGui::TableSetupColumn("changed", ImGuiTableColumnFlags_WidthFixed, context.look.px(96));
    if (!listing.parent.empty()) {
      ImGui::TableNextRow(0, context.look.px(24));
      ImGui::TableNextColumn();
      ImGui::PushStyleColor(ImGuiCol_Text, context.look.theme.accent);
      if (ImGui::Selectable("../", false, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_NoAutoClosePopups,
                            ImVec2(0, context.look.px(18))))
        enter(question, path, listing.parent);
      ImGui::PopStyleColor();
    }
    for (const FolderEntry& entry : listing.entries) {
      if (!is_listed(question, path, entry, filter)) continue;
      any = true;
      accepted |= draw_entry(context, question, listing, entry);
    }
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (!listing.problem.empty()) {
    coloured_text(context.look.theme.slower, sentence(listing.problem));
  } else if (!any && !question.saves) {
    muted_text(context, listing.folder.empty() ? std::string_view("The folder is being read.")
                        : filter.empty()       ? std::string_view("No such file here; All files shows the others.")
                                               : std::string_view("Nothing here has that in its name."));
  }
  return accepted;
}

/// The field, the folder below it, and what would be overwritten. True when the path was chosen for good.
bool draw_path(Context& context, const PathQuestion& question) {
  PathDialog& path = context.ui.path;
  if (path.listed != folder_part(path.text)) {
    path.listed = folder_part(path.text);
    context.request(ask::ListFolder{*path.listed});
  }
  const FolderListing none;  // until the folder is read, its list is empty: nothing moves when it comes
  const FolderListing* listing = context.data.folder ? context.data.folder.get() : &none;
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(-1);
  bool accepted = ImGui::InputText("##path", &path.text, ImGuiInputTextFlags_EnterReturnsTrue);
  const bool current = listing->asked == *path.listed;
  const FolderEntry* named = current ? find_entry(*listing, name_part(path.text)) : nullptr;
  if (accepted && current && !named) {
    named = only_match(question, path, *listing);
    if (named) path.text = listing->folder + named->name;
  }
  const bool goes_there = named ? named->folder && !question.folder : name_part(path.text).empty();
  if (accepted && goes_there) {
    if (named) enter(question, path, listing->folder + named->name + "/");
    ImGui::SetKeyboardFocusHere(-1);
    accepted = false;
  }
  draw_places(context, question, *listing);
  accepted |= draw_folder(context, question, *listing);
  if (question.saves) {  // the line is always there, so that what is below it stays in its place
    const SmallFont font(context.look);
    const bool folder = named && question.folder;
    const std::vector<std::string> there = folder    ? std::vector{named->name}
                                           : current ? replaced_files(path, *listing)
                                                     : std::vector<std::string>();
    coloured_text(context.look.theme.unclear,
                  there.empty() ? " "
                                : fmt::format("{} {} there already and {}.", fmt::join(there, " and "),
                                              there.size() == 1 ? "is" : "are",
                                              folder ? "must be an empty folder" : "will be replaced"));
  }
  return accepted;
}

struct PathAnswer {
  bool accepted = false, ready = false;  ///< the path was chosen for good; what is asked beside it is right
};

/// All of the question but its buttons. Where the window is too low for it, it scrolls above these.
PathAnswer draw_question(Context& context, const PathQuestion& question) {
  PathDialog& path = context.ui.path;
  const DialogBody body(context.look, "question");
  dialog_heading(context.look, question.title.c_str());
  muted_text(context, question.help, true);
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  PathAnswer answer{draw_path(context, question), true};
  if (path.picture) answer.ready = draw_picture(context, path);
  auto* film = std::get_if<ask::SaveFilm>(&*path.waiting);
  if (film && film->queries) answer.ready = draw_film_queries(context, *film->queries);
  if (!path.problem.empty() && path.text == path.refused) {
    ImGui::PushTextWrapPos(0);
    coloured_text(context.look.theme.slower, sentence(path.problem));
    ImGui::PopTextWrapPos();
  }
  return answer;
}

}  // namespace

void draw_path_dialog(Context& context) {
  PathDialog& path = context.ui.path;
  if (!path.waiting) return;
  const PathQuestion question = std::visit(Questions{}, *path.waiting);
  if (!ImGui::IsPopupOpen("path")) ImGui::OpenPopup("path");
  if (!begin_dialog(context.look, "path", 620)) return;
  auto [accepted, ready] = draw_question(context, question);
  ImGui::Dummy(ImVec2(0, context.look.px(4)));
  accepted |= primary_button(context, question.button, ready && !name_part(path.text).empty());
  accepted = accepted && ready;
  ImGui::SameLine();
  const bool cancelled = ImGui::Button("Cancel") || ImGui::IsKeyPressed(ImGuiKey_Escape);
  if (accepted) {
    std::visit([&](auto& request) { request.file = path.text; }, *path.waiting);
    if (auto* chart = std::get_if<ask::SaveChart>(&*path.waiting)) take_picture(context, *chart);
    context.request(*std::move(path.waiting));
  }
  if (accepted || cancelled) {
    if (path.picture) {
      context.ui.last_picture = *path.picture;
      context.ui.last_picture_path = path.text;
    }
    path.waiting.reset();
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

}  // namespace triscope
