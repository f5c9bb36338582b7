// Inside the attention tensor: sources and where to look on the left, the map in the middle, figures on the right.
#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>

#include "views/attention/attention_panels.hpp"
#include "views/attention/attention_parts.hpp"
#include "views/data/format.hpp"
#include "views/model/attention/attention_draft.hpp"
#include "views/model/attention/film_choice.hpp"
#include "views/model/attention/mean_words.hpp"
#include "views/model/attention/triple_hits.hpp"
#include "views/parts/number_field.hpp"
#include "views/parts/widgets.hpp"

namespace triscope {
namespace {

constexpr float kLeftWidth = 260, kRightWidth = 320, kRoomForSides = 900, kLowMap = 400;  // design pixels

/// A chip of a group: chooses `value`.
template <typename Value>
void choice(const Context& context, const char* label, Value& current, Value value, const char* help) {
  if (chip(context, label, current == value)) current = value;
  tooltip(context, help);
  ImGui::SameLine(0, context.look.px(4));
}

/// Space between groups of controls; a group of about `width` design pixels that no longer fits begins a line of its
/// own.
void next_group(const Context& context, float width) {
  if (ImGui::GetContentRegionAvail().x < context.look.px(width + 12)) {
    ImGui::NewLine();
  } else {
    ImGui::Dummy(ImVec2(context.look.px(8), 0));
    ImGui::SameLine(0, 0);
  }
}

/// The button that makes a film, or says how far it is and stops it.
void draw_film_button(Context& context) {
  const FilmState& film = context.data.attention.film;
  if (film.running) {
    const std::string progress = progress_words(film.done, film.total, film.seconds_left);
    if (ImGui::Button(fmt::format("■ {}###film", progress).c_str())) context.request(ask::StopFilm{});
    tooltip(context,
            fmt::format("{} A click stops the film; pictures that are there stay.",
                        film.written > 0 ? fmt::format("{} of {} are written.", format_count(film.written),
                                                       counted(film.pictures, "picture"))
                                         : "Looks for the largest p of all pictures, for one range of colours."));
    return;
  }
  const bool measuring = context.data.run.running;
  ImGui::BeginDisabled(measuring);
  if (ImGui::Button("Film...###film")) context.request(ask::SaveFilm{});
  ImGui::EndDisabled();
  tooltip(context, measuring ? kWhileMeasuring
                             : "Saves a walk through the queries as numbered PNG pictures in a folder, for a video");
}

void draw_query_controls(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const Look& look = context.look;
  const AttentionSideData& data = context.data.attention.sides[0];
  const bool open = data.source && data.source->problem.empty();
  const std::int64_t last = open ? data.source->seq_len - 1 : std::max<std::int64_t>(1, ui.query), zero = 0;
  const auto up_to = [](std::int64_t most) { return NumberBounds{.least = 0, .most = static_cast<double>(most)}; };
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Query");
  ImGui::SameLine();
  {
    typed_field(context, "##query", ui.query, look.px(72), up_to(last));
    ImGui::SameLine();
    const NumberFont font(look);
    // What the rest of the line leaves, with the chips for the form where they fit.
    constexpr float kRest = 480, kLeast = 72, kMost = 320;
    const float room = ImGui::GetContentRegionAvail().x;
    ImGui::SetNextItemWidth(std::clamp(room - look.px(kRest) >= look.px(kLeast) ? room - look.px(kRest) : room * 0.22F,
                                       look.px(kLeast), look.px(kMost)));
    ImGui::SliderScalar("##query_slider", ImGuiDataType_S64, &ui.query, &zero, &last, "", ImGuiSliderFlags_NoInput);
  }
  ImGui::SameLine();
  const bool measuring = context.data.run.running;
  ImGui::BeginDisabled(measuring);
  if (ImGui::Button(ui.playing ? "■ stop##play" : "▶ play##play")) ui.playing = !ui.playing;
  ImGui::EndDisabled();
  tooltip(context,
          measuring
              ? kWhileMeasuring
              : "Walks through the queries as fast as slices are computed. Left and right arrow keys: one query.");
  ImGui::SameLine(0, look.px(4));
  draw_film_button(context);
  ImGui::SameLine(0, look.px(4));
  next_group(context, 108);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Head");
  ImGui::SameLine();
  dragged_field(context, "##shown_head", ui.head, look.px(64), up_to(open ? data.source->q_heads - 1 : 0));
  tooltip(context, "Click to type, or drag, or the up and down arrow keys");
  if (open && data.source->batch > 1) {
    ImGui::SameLine();
    ImGui::TextUnformatted("Batch");
    ImGui::SameLine();
    dragged_field(context, "##batch", ui.batch, look.px(48), up_to(data.source->batch - 1));
  }
}

/// Chips for the form, in the row of the query where it has room.
void draw_form_row(Context& context, bool own_row) {
  if (context.ui.attention.sides[0].source.kind == SourceKind::match3) return;
  if (!own_row) {
    ImGui::SameLine(0, 0);
    next_group(context, 232);
  }
  draw_form_choice(context, 0);
  ImGui::NewLine();
}

/// At the right edge of the row, or of one of its own.
void draw_export(Context& context) {
  const float width = button_width("Export");
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  align_right(width);
  if (ImGui::Button("Export")) ImGui::OpenPopup("export");
  const ImVec2 corner = ImGui::GetItemRectMax();
  ImGui::SetNextWindowPos(ImVec2(corner.x, corner.y + context.look.px(4)), ImGuiCond_Appearing, ImVec2(1, 0));
  if (!ImGui::BeginPopup("export")) return;
  constexpr Panel kPanel = Panel::attention;
  const auto picture = [&](const char* copy, const char* save, Panel panel) {
    if (ImGui::MenuItem(copy)) context.request(ask::CopyChart{panel});
    if (ImGui::MenuItem(save)) context.request(ask::SaveChart{panel, {}});
  };
  picture("Copy picture of the map", "Save picture of the map...", kPanel);
  ImGui::BeginDisabled(!shown_means(context.ui.attention, context.data.attention));
  picture("Copy picture of the mean", "Save picture of the mean...", Panel::mean);
  ImGui::EndDisabled();
  const AttentionUi& ui = context.ui.attention;
  const bool peaks = ui.mean_of_queries && !ui.search.open && shown_means(ui, context.data.attention);
  if (ImGui::MenuItem(peaks ? "Copy peaks of the mean" : "Copy strongest triples"))
    context.request(ask::CopyPanelData{kPanel});
  if (ImGui::MenuItem(peaks ? "Save peaks of the mean as CSV..." : "Save strongest triples as CSV..."))
    context.request(ask::SaveChartData{kPanel, {}});
  if (ImGui::MenuItem("Save p of all pairs as npy, CSV or PNG...")) context.request(ask::SaveSlice{});
  const bool busy = context.data.attention.film.running || context.data.run.running;
  if (ImGui::MenuItem("Save film as PNG pictures...", nullptr, false, !busy)) context.request(ask::SaveFilm{});
  ImGui::EndPopup();
}

void draw_look_controls(Context& context) {
  AttentionUi& ui = context.ui.attention;
  using Scale = HeatmapStyle::Scale;
  ImGui::BeginDisabled(ui.show == AttentionShow::difference && !ui.flipped);  // it has colours and pixels of its own
  choice(context, "linear", ui.colour_scale, Scale::probability, "Colours follow p");
  choice(context, "log", ui.colour_scale, Scale::logarithmic,
         "Colours follow log p, which is the logit minus a constant");
  next_group(context, 200);
  for (ColourMap map : {ColourMap::viridis, ColourMap::cividis, ColourMap::inferno})
    choice(context, std::string(to_string(map)).c_str(), ui.map, map, "Perceptually even, safe for colour-blind eyes");
  next_group(context, 100);
  constexpr float kRestOfLine = 600;  // design pixels: a label that begins another line costs the map more than it says
  if (ImGui::GetContentRegionAvail().x > context.look.px(kRestOfLine)) {
    ImGui::AlignTextToFramePadding();
    muted_text(context, "per pixel");
    ImGui::SameLine(0, context.look.px(4));
  }
  choice(context, "max", ui.mean_pooling, false,
         "Zoomed out, a pixel shows the largest of its pairs: no bright cell is lost");
  choice(context, "mean", ui.mean_pooling, true, "Zoomed out, a pixel shows the mean of its pairs");
  ImGui::EndDisabled();
  const std::optional<SliceRequest> slice = wanted_slice(ui, context.data.attention, 0);
  if (!slice || slice->query.problem.mask != Mask::full) {  // where the query sees all keys these are positions
    next_group(context, 150);
    choice(context, "distance", ui.absolute_axes, false, "Axes and tables give keys in tokens from the query");
    choice(context, "position", ui.absolute_axes, true, "Axes and tables give keys as positions in the sequence");
  }
  next_group(context, 312);
  choice(context, "one", ui.show, AttentionShow::one, "One map");
  choice(context, "side by side", ui.show, AttentionShow::side_by_side,
         "A beside B: another source, arithmetic or head. B is set at the left.");
  choice(context, "difference", ui.show, AttentionShow::difference,
         "p of A minus p of B, blue below and red above zero. B is set at the left; hold Space to see it alone.");
  choice(context, "grid", ui.show, AttentionShow::grid, "Small maps: queries down, heads across; one zoom for all");
  draw_export(context);
}

/// Every line of controls is one that the map lacks: in a low window those that are rarely used are behind a button.
bool is_low(const Context& context) { return ImGui::GetWindowHeight() < context.look.px(kLowMap); }

void draw_look_popup(Context& context) {
  if (ImGui::Button("Form, colours, views  ▼###look")) ImGui::OpenPopup("look");
  ImGui::SetNextWindowSize(ImVec2(context.look.px(420), 0));
  if (!ImGui::BeginPopup("look")) return;
  draw_form_row(context, true);
  draw_look_controls(context);
  ImGui::EndPopup();
}

/// Arrow keys, Space and K belong to the panel while the pointer is over it or it has the keyboard.
void handle_keys(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const bool ours = (ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows) ||
                     ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) &&
                    !ImGui::GetIO().WantTextInput &&
                    !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  ui.flipped = false;
  ui.held_step = 0;
  if (!ours) return;
  const ImGuiID owner = ImGui::GetID("##keys");
  for (ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_Space})
    ImGui::SetKeyOwner(key, owner);
  const auto pressed = [&](ImGuiKey key, ImGuiInputFlags repeat) { return ImGui::IsKeyPressed(key, repeat, owner); };
  const std::int64_t stride = ImGui::GetIO().KeyShift ? 16 : 1;
  if (pressed(ImGuiKey_UpArrow, ImGuiInputFlags_Repeat)) --ui.head;
  if (pressed(ImGuiKey_DownArrow, ImGuiInputFlags_Repeat)) ++ui.head;
  for (const auto& [key, step] : {std::pair{ImGuiKey_LeftArrow, -stride}, std::pair{ImGuiKey_RightArrow, stride}}) {
    if (pressed(key, ImGuiInputFlags_None)) ui.query += step;
    const bool held =
        ImGui::IsKeyDown(key, owner) && ImGui::GetKeyData(key)->DownDuration >= ImGui::GetIO().KeyRepeatDelay;
    if (held) ui.held_step = step;
  }
  ui.flipped = ImGui::IsKeyDown(ImGuiKey_Space, owner);
  if (ui.pinned && ImGui::IsKeyChordPressed(ImGuiKey_K))
    choose_framed_keeps(ui, context.data.attention, ui.pinned_back ? FramedKeeps::positions : FramedKeeps::distances);
}

bool begin_column(const Context& context, const char* id, float width, float height) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.look.px(12), context.look.px(8)));
  const bool open = ImGui::BeginChild(id, ImVec2(width, height), ImGuiChildFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  return open;
}

/// A window too narrow for three columns.
bool shows_one_column(const Context& context) {
  return ImGui::GetMainViewport()->Size.x < context.look.px(kRoomForSides);
}

/// Why there is nothing to look at, and the way on.
void draw_refusal(Context& context, const std::string& why) {
  empty_state(context, sentence(without_options(why)));
  const char* label = "Choose tensors...";
  const float width = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::Dummy(ImVec2(0, context.look.px(8)));
  ImGui::SetCursorPosX((ImGui::GetWindowWidth() - width) / 2);
  if (primary_button(context, label)) open_draft(context.ui.attention, 0);
}

bool is_open(const Context& context) {
  const AttentionSideData& data = context.data.attention.sides[0];
  return data.source && data.source->problem.empty();
}

/// Controls and the map.
void draw_middle(Context& context) {
  const AttentionSideData& data = context.data.attention.sides[0];
  const bool open = is_open(context);
  ImGui::BeginDisabled(!open);
  draw_query_controls(context);
  if (!is_low(context)) {
    draw_form_row(context, false);
    draw_look_controls(context);
    ImGui::Dummy(ImVec2(0, context.look.px(4)));
  } else if (!shows_one_column(context)) {
    ImGui::SameLine(0, 0);
    next_group(context, 160);
    draw_look_popup(context);
  }
  ImGui::EndDisabled();
  field_problems(context);
  if (context.ui.attention.print_mean) {
    draw_mean_panel(context);
  } else if (!open && !refusal_of(data).empty()) {
    draw_refusal(context, refusal_of(data));
  } else if (context.ui.attention.show == AttentionShow::grid && !context.ui.attention.flipped) {
    draw_attention_grid(context);
  } else {
    draw_attention_maps(context);
  }
}

void vertical_line(const Context& context, float height) {
  ImGui::SameLine(0, 0);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(at, ImVec2(at.x, at.y + height), context.look.theme.line);
}

void draw_three_columns(Context& context) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float left = context.look.px(kLeftWidth), right = context.look.px(kRightWidth);
  const auto side = [&](const char* id, float width, void (*draw)(Context&)) {
    if (begin_column(context, id, width, room.y)) {
      keep_tooltips_in_column();  // beside it is the map
      draw(context);
    }
    ImGui::EndChild();
  };
  side("##left", left, draw_attention_left);
  vertical_line(context, room.y);
  if (begin_column(context, "##middle", room.x - left - right, room.y)) draw_middle(context);
  ImGui::EndChild();
  vertical_line(context, room.y);
  side("##right", right, draw_attention_right);
}

/// In a window too narrow for three: one of them, chosen by a chip.
void draw_one_column(Context& context) {
  AttentionUi& ui = context.ui.attention;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  if (begin_column(context, "##middle", room.x, room.y)) {
    choice(context, "Tensors", ui.column, AttentionColumn::tensors, "What is looked at, and where to look");
    choice(context, "Map", ui.column, AttentionColumn::map, "p(j, k) of the query");
    choice(context, "Figures", ui.column, AttentionColumn::figures, "Strongest triples, figures, range of colours");
    if (is_low(context) && ui.column == AttentionColumn::map) {
      next_group(context, 160);
      ImGui::BeginDisabled(!is_open(context));
      draw_look_popup(context);
      ImGui::EndDisabled();
    } else {
      ImGui::NewLine();
      ImGui::Dummy(ImVec2(0, context.look.px(4)));
    }
    if (ui.column == AttentionColumn::tensors) {
      draw_attention_left(context);
    } else if (ui.column == AttentionColumn::figures) {
      draw_attention_right(context);
    } else {
      draw_middle(context);
    }
  }
  ImGui::EndChild();
}

/// What a popup uncovered as it closed is not what the pointer was brought to.
void note_resting_pointer(AttentionUi& ui) {
  const ImVec2 mouse = ImGui::GetMousePos();
  const std::array<float, 2> now{mouse.x, mouse.y};
  if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) {
    ui.resting_pointer = now;
  } else if (ui.resting_pointer != now) {
    ui.resting_pointer.reset();
  }
}

}  // namespace

void draw_attention_panel(Context& context) {
  AttentionUi& ui = context.ui.attention;
  ui.hovered_now.reset();
  note_resting_pointer(ui);
  handle_keys(context);
  keep_inside(ui, context.data.attention);
  frame_awaited(ui, context.data.attention);
  if (shows_one_column(context)) {
    draw_one_column(context);
  } else {
    draw_three_columns(context);
  }
  draw_attention_dialog(context);
  if (ui.resting_pointer) ui.hovered_now.reset();
  ui.hovered = ui.hovered_now;
  keep_inside(ui, context.data.attention);
}

}  // namespace triscope
