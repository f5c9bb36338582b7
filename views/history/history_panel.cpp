// The sweeps of the database: choose what is shown, the baseline, what is compared.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels/base/text/text_beginning.hpp"
#include "profiler/plan/done_count.hpp"
#include "profiler/plan/sweep_search.hpp"
#include "profiler/plan/sweep_title.hpp"
#include "profiler/record/unusable_sweep.hpp"
#include "views/data/format.hpp"
#include "views/data/long_note.hpp"
#include "views/history/history_panels.hpp"
#include "views/history/sweep_thumbnail.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kLine = 18;           ///< height of a sweep in the list, design pixels
constexpr float kGap = 1;             ///< between two of them
constexpr float kRoomForTimes = 300;  ///< width of the list
constexpr float kLeastTitle = 60;     ///< of a title beside a thumbnail

std::string state_of(const SweepInfo& sweep, const WindowData& data) {
  const std::int64_t done = done_count(sweep);
  if (sweep.running || (measures_here(data.run, data) && data.run.sweep == sweep.id))
    return fmt::format("measuring, {} of {} rows", done, sweep.planned);
  if (sweep.finished.empty() && done < sweep.planned)
    return fmt::format("stopped at {} of {} rows", done, sweep.planned);
  if (sweep.failed > 0) return fmt::format("{} failed", sweep.failed);
  return {};
}

bool has_counters(const SweepInfo& sweep) {
  return sweep.command.find(" --counters ") != std::string::npos &&
         sweep.command.find(" --counters none") == std::string::npos;
}

void draw_tooltip(Context& context, const SweepInfo& sweep) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) return;
  // Little, since it lies over what stands beside the list: the command is in the menu.
  std::string counts = fmt::format("{} of {} measured", sweep.ok, sweep.planned);
  if (sweep.failed > 0) counts += fmt::format(", {} failed", sweep.failed);
  if (sweep.skipped > 0) counts += fmt::format(", {} skipped", sweep.skipped);
  const SweepShape& shape = context.models.history().shape(sweep);
  tooltip(context, fmt::format("Sweep {}: {}\n{}, {}\n{}{}{}", sweep.id, context.models.name(sweep).title,
                               sweep.environment.device_name, format_started(sweep.started, context.now), counts,
                               has_counters(sweep) ? "; counters (the three bars)" : "",
                               shape.words.empty() ? "" : "\nThe drawing: " + shape.words));
}

/// The field for a sweep's name. True: the database has taken it.
bool draw_name(Context& context, const SweepInfo& sweep) {
  TypedNote& typed = context.ui.sweep_note;
  const bool refused = typed.of == sweep.id && !typed.problem.empty();  // it is kept, also when the menu is left
  if (ImGui::IsWindowAppearing() && !refused) typed = {sweep.id, sweep.note};
  ImGui::BeginDisabled(context.data.read_only || is_long_note(sweep.note));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, refused ? std::max(1.0F, context.look.px(1)) : 0);
  ImGui::PushStyleColor(ImGuiCol_Border, context.look.theme.slower);
  ImGui::SetNextItemWidth(context.look.px(220));
  const bool entered = ImGui::InputTextWithHint("##note", "a name, #tags, then Enter", &typed.text,
                                                ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  ImGui::EndDisabled();
  if (entered) {
    typed.state = TypedNote::State::asked;
    typed.problem.clear();
    context.request(ask::NoteSweep{sweep.id, typed.text});
  }
  if (is_long_note(sweep.note)) muted_text(context, long_note_text(context.data.database_words));
  if (typed.state == TypedNote::State::asked) muted_text(context, "Writing ...");
  if (refused) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + context.look.px(220));
    coloured_text(context.look.theme.slower, sentence(typed.problem));
    ImGui::PopTextWrapPos();
  }
  if (typed.state != TypedNote::State::written) return false;
  typed.state = TypedNote::State::typed;
  return true;
}

void draw_menu(Context& context, const SweepInfo& sweep) {
  if (!ImGui::BeginPopupContextItem("sweep")) return;
  // The list is closer together than a menu is read.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, context.look.px(4)));
  const auto item = [&](const char* label, Request request, const char* key = nullptr, bool enabled = true) {
    if (ImGui::MenuItem(label, key, false, enabled)) context.request(std::move(request));
  };
  const bool writable = !context.data.read_only;
  if (draw_name(context, sweep)) ImGui::CloseCurrentPopup();
  item("Show", ask::ShowSweep{sweep.id});
  if (context.ui.selection.baseline_sweep == sweep.id) {
    item("Clear baseline", ask::ClearBaseline{});
  } else {
    item("Set as baseline", ask::SetBaseline{sweep.id}, "B");
  }
  const bool beside = context.ui.selection.reference == sweep_reference(sweep.id);
  item(beside ? "Compare all with the usual reference" : "Compare all with this sweep",
       ask::SetReference{beside ? "auto" : sweep_reference(sweep.id)});
  tooltip(context,
          "Every row, in table, Details and charts, stands beside that of the same question in this sweep, in "
          "place of a kernel.");
  item("Compare with the shown sweep", ask::Compare{sweep.id}, "C", sweep.id != context.ui.selection.shown_sweep);
  ImGui::Separator();
  item(ask::star_label(sweep.starred), ask::Star{sweep.id}, "Ctrl+D", writable);
  item(
      "Resume", ask::Resume{sweep.id}, nullptr,
      writable && !context.data.run.running && sweep.finished.empty() && !sweep.running && why_unusable(sweep).empty());
  item("Delete...", ask::AskToDelete{sweep.id}, nullptr, writable && !sweep.running);
  if (!sweep.command.empty()) {
    constexpr std::size_t kMostOfCommand = 1200;
    ImGui::Separator();
    const SmallFont font(context.look);
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + context.look.px(320));
    coloured_text(context.look.theme.muted, beginning_of(sweep.command, kMostOfCommand));
    ImGui::PopTextWrapPos();
  }
  ImGui::PopStyleVar();
  ImGui::EndPopup();
}

/// What a line of the list is drawn with, between two edges: words from the left and from the right, cut off where they
/// would meet.
class LineOfWords {
 public:
  LineOfWords(float left, float right, float y) : left_(left), right_(right), y_(std::round(y)) {}
  void add(ImU32 colour, const std::string& text, float gap) { left_ += draw(colour, text, left_, right_) + gap; }
  void add_right(ImU32 colour, const std::string& text, float gap) {
    const float width = std::min(ImGui::CalcTextSize(text.c_str()).x, (right_ - left_) / 2);
    draw(colour, text, right_ - width, right_);
    right_ -= width + gap;
  }
  float left() const { return left_; }
  float right() const { return right_; }
  void leave_right(float width) { right_ -= width; }

 private:
  float draw(ImU32 colour, const std::string& text, float x, float end) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str()), low(std::round(x), y_);
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::RenderTextEllipsis(ImGui::GetWindowDrawList(), low, ImVec2(end, low.y + size.y), end, text.data(),
                              text.data() + text.size(), &size);
    ImGui::PopStyleColor();
    return size.x;
  }

  float left_, right_, y_;
};

/// Three bars at the right end of the line: the sweep has hardware counters.
void draw_counter_mark(const Look& look, ImVec2 end) {
  const float step = look.px(3), width = std::max(1.0F, look.px(2));
  for (int bar = 0; bar < 3; ++bar) {
    const float x = std::round(end.x - static_cast<float>(3 - bar) * step);
    const float high = look.px(4) + static_cast<float>(bar) * look.px(2);
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(x, end.y - high), ImVec2(x + width, end.y), look.theme.muted);
  }
}

/// The words of the filter that `text` does not hold: what else of a sweep they were found in is not in its line.
std::string found_elsewhere(const std::string& filter, const SweepInfo& sweep, const std::string& text,
                            std::int64_t now) {
  if (filter.empty()) return {};
  SweepInfo bare;
  bare.note = sweep.note;
  bare.environment.device_name = sweep.environment.device_name;  // stands above, as does the day
  bare.started = sweep.started;
  std::string words;
  std::istringstream stream{filter};
  for (std::string word; stream >> word;) {
    if (!sweep_matches(bare, text, word, now)) words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

/// The times of day are shown where they leave room for the titles, or where only they tell sweeps apart.
bool shows_times(Context& context, float width) {
  return width > context.look.px(kRoomForTimes) ||
         context.models.history().has_twins(context.data.sweeps, context.models.maker);
}

void draw_words(Context& context, const SweepInfo& sweep, ImVec2 at, float width, bool times) {
  const Look& look = context.look;
  const Theme& theme = look.theme;
  const SmallFont font(look);
  LineOfWords words(at.x + look.px(4), at.x + width - look.px(4),
                    at.y + (look.px(kLine) - ImGui::GetTextLineHeight()) / 2);
  if (times) {
    const NumberFont digits(look, 11);
    words.add_right(theme.muted, format_started(sweep.started, context.now).substr(clock_at(sweep, context.now)),
                    look.px(6));
  }
  if (has_counters(sweep)) {
    draw_counter_mark(look, ImVec2(words.right(), at.y + look.px(kLine - 4)));
    words.leave_right(look.px(14));
  }
  if (const std::string elsewhere =
          found_elsewhere(context.ui.history_filter, sweep, context.models.name(sweep).brief, context.now);
      !elsewhere.empty())
    words.add_right(theme.accent, elsewhere, look.px(6));
  if (const std::string state = state_of(sweep, context.data); !state.empty()) {
    words.add_right(state.starts_with("measuring") ? theme.accent
                    : state.ends_with("failed")    ? theme.slower
                                                   : theme.unclear,
                    state, look.px(6));
  } else if (const std::vector<std::string> tags = tags_of(sweep.note); !tags.empty()) {
    words.add_right(theme.accent, fmt::format("#{}", fmt::join(tags, " #")), look.px(6));
  }
  if (context.ui.selection.baseline_sweep == sweep.id) words.add(theme.accent, "●", look.px(4));
  if (sweep.starred) words.add(theme.unclear, "★", look.px(4));
  words.add(theme.muted, fmt::format("#{}", sweep.id), look.px(5));
  const std::string& title = context.models.name(sweep).brief;
  // At one place in all lines, so that they can be compared; the title is cut before it.
  if (const SweepShape& shape = context.models.history().shape(sweep);
      shape.kind != SweepShape::Kind::none &&
      words.left() + look.px(kLeastTitle + kThumbnailWidth + 6) <= words.right()) {
    draw_sweep_shape(look, shape,
                     ImVec2(words.right() - look.px(kThumbnailWidth), at.y + look.px((kLine - kThumbnailHeight) / 2)));
    words.leave_right(look.px(kThumbnailWidth + 6));
  }
  words.add(theme.text, title, 0);
}

void draw_sweep(Context& context, const SweepInfo& sweep, bool times) {
  const Look& look = context.look;
  Selection& selection = context.ui.selection;
  ImGui::PushID(static_cast<int>(sweep.id));
  const bool shown = selection.shown_sweep == sweep.id;
  const bool compared =
      std::find(selection.compared.begin(), selection.compared.end(), sweep.id) != selection.compared.end();
  const float height = look.px(kLine), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushStyleColor(ImGuiCol_Header, shown ? look.theme.accent_soft : look.theme.raised);
  if (ImGui::Selectable("##sweep", shown || compared, ImGuiSelectableFlags_AllowOverlap, ImVec2(0, height))) {
    context.request(ImGui::GetIO().KeyCtrl ? Request(ask::Compare{sweep.id}) : ask::ShowSweep{sweep.id});
  }
  ImGui::PopStyleColor();
  if (shown && std::exchange(context.ui.history_followed, sweep.id) != sweep.id && !ImGui::IsItemVisible())
    ImGui::SetScrollHereY();  // what was shown by another panel comes into view
  draw_tooltip(context, sweep);
  draw_menu(context, sweep);
  if (compared)
    ImGui::GetWindowDrawList()->AddRectFilled(at, ImVec2(at.x + look.px(2), at.y + height), look.theme.accent);
  draw_words(context, sweep, at, width, times);
  ImGui::PopID();
}

/// From one line of the list to the next: Dear ImGui puts items at whole pixels.
float line_step(const Look& look) { return std::floor(look.px(kLine) + look.px(kGap)); }

/// As high as a sweep, so that the list can be scrolled by whole lines.
void draw_group(const Context& context, const std::string& group) {
  const SmallFont font(context.look);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float above = (context.look.px(kLine) - ImGui::GetTextLineHeight()) / 2;
  ImGui::SetCursorScreenPos(ImVec2(at.x, std::round(at.y + above)));
  muted_text(context, group);
  ImGui::SetCursorScreenPos(ImVec2(at.x, at.y + line_step(context.look)));
}

/// The list begins with a whole line, at its end too.
void scroll_by_lines(const Look& look) {
  const float step = line_step(look);
  ImGui::Dummy(ImVec2(0, std::fmod(ImGui::GetWindowHeight(), step)));
  const float scroll = ImGui::GetScrollY(), whole = std::round(scroll / step) * step;
  if (std::abs(whole - scroll) > 0.5F) ImGui::SetScrollY(whole);
}

/// Of many lines those that are seen, and as many above and below for the keyboard; of all others the room.
void draw_lines(Context& context, const std::vector<HistoryLine>& lines) {
  const std::vector<SweepInfo>& sweeps = context.data.sweeps;
  const float step = line_step(context.look), view = ImGui::GetWindowHeight(), top = ImGui::GetCursorPosY();
  const float from = ImGui::GetScrollY() - view, to = ImGui::GetScrollY() + 2 * view;
  constexpr std::size_t kFew = 200;
  const bool all = lines.size() <= kFew;
  const bool times = shows_times(context, ImGui::GetContentRegionAvail().x);
  const std::int64_t shown = context.ui.selection.shown_sweep;
  const bool may_follow = context.ui.history_followed != shown;  // else no sweep out of sight is looked at
  float y = top;
  for (const HistoryLine& line : lines) {
    const bool is_heading = line.sweep == HistoryLine::kHeading;
    // What was shown by another panel is drawn once where it is, to come into view.
    const bool follows = may_follow && !is_heading && sweeps[line.sweep].id == shown;
    if (all || follows || (y + step >= from && y <= to)) {
      ImGui::SetCursorPosY(y);
      if (is_heading) {
        draw_group(context, line.group);
      } else {
        draw_sweep(context, sweeps[line.sweep], times);
      }
    }
    y += step;
  }
  ImGui::SetCursorPosY(y);
  scroll_by_lines(context.look);
}

}  // namespace

void draw_history_panel(Context& context) {
  const WindowData& data = context.data;
  if (data.sweeps.empty()) {
    if (!data.problem.empty()) {
      empty_state(context, "No database is open.", {{"Open database...", ask::OpenDatabase{}}});
    } else if (data.loading) {
      empty_state(context, "Reading ...");
    } else {
      empty_state(context, "Sweeps appear here. Drop a database file on the window to open it.");
    }
    return;
  }
  UiState& ui = context.ui;
  // Beside the filter, so that it takes no room from the list.
  const std::size_t compared = ui.selection.compared.size();
  const std::string compare = compared < 2 ? "" : fmt::format("Compare these {}", compared);
  ImGui::SetNextItemWidth(compare.empty() ? -1 : -button_width(compare.c_str()) - ImGui::GetStyle().ItemSpacing.x);
  const float room = ImGui::CalcItemWidth() - 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::InputTextWithHint("##history_filter", shortened("filter by device, date, title, #tag, counters", room).c_str(),
                           &ui.history_filter, ImGuiInputTextFlags_EscapeClearsAll);
  if (!compare.empty()) {
    ImGui::SameLine();
    if (ImGui::Button(compare.c_str())) context.request(ask::ShowPanel{Panel::compare});
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, context.look.px(kGap)));
  const std::vector<HistoryLine>& lines =
      context.models.history().lines(data.sweeps, ui.history_filter, context.now, context.models.maker);
  if (!ui.history_filter.empty()) {
    muted_text(context,
               fmt::format("{} of {}", context.models.history().matching(), counted(data.sweeps.size(), "sweep")));
  }
  if (ImGui::BeginChild("sweeps", ImVec2(0, 0))) {
    if (lines.empty()) {
      muted_text(context, "No sweep matches.");
    } else {
      draw_lines(context, lines);
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace triscope
