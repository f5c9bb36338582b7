#include "views/parts/theme.hpp"

#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "views/parts/font_files.hpp"

namespace triscope {
namespace {

constexpr ImU32 rgb(unsigned hex) { return IM_COL32((hex >> 16) & 255, (hex >> 8) & 255, hex & 255, 255); }
constexpr ImU32 rgba(unsigned hex, unsigned alpha) {
  return IM_COL32((hex >> 16) & 255, (hex >> 8) & 255, hex & 255, alpha);
}

constexpr Theme kDark{
    .dark = true,
    .ground = rgb(0x16181d),
    .panel = rgb(0x1d2026),
    .raised = rgb(0x262a32),
    .line = rgb(0x343a44),
    .text = rgb(0xe6e8eb),
    .muted = rgb(0x9aa3ad),
    .faint = rgb(0x4a515c),
    .accent = rgb(0x5aa9ff),
    .on_accent = rgb(0x0b1420),
    .accent_soft = rgb(0x263548),
    .faster = rgb(0x4cc38a),
    .slower = rgb(0xff7a70),
    .unclear = rgb(0xf2b84b),
    .missing = rgb(0x2b3038),
    .not_a_number = rgb(0xff4fd8),
    .match = rgb(0xff4136),
    .kept = rgb(0xffffff),
    .rim = rgb(0x0c0d10),
    .baseline = rgb(0xa7afb9),
    .baselines = {rgb(0xb9c1cb), rgb(0xc9a06c), rgb(0x8fae7c), rgb(0xb794c4)},
    .series = {rgb(0x56b4e9), rgb(0xe69f00), rgb(0x00b386), rgb(0xcc79a7), rgb(0x4f8fd0), rgb(0xe0702a), rgb(0xf0e442),
               rgb(0x9a8cff)},
};

constexpr Theme kLight{
    .dark = false,
    .ground = rgb(0xf5f6f8),
    .panel = rgb(0xffffff),
    .raised = rgb(0xeceef2),
    .line = rgb(0xd4d8de),
    .text = rgb(0x1c2024),
    .muted = rgb(0x5c626b),
    .faint = rgb(0xb4bac2),
    .accent = rgb(0x175ed1),
    .on_accent = rgb(0xffffff),
    .accent_soft = rgb(0xe0ebfc),
    .faster = rgb(0x157048),
    .slower = rgb(0xc4262c),
    .unclear = rgb(0x9c4e00),
    .missing = rgb(0xe4e7eb),
    .not_a_number = rgb(0xc4008f),
    .match = rgb(0xff4136),
    .kept = rgb(0xffffff),
    .rim = rgb(0x0c0d10),
    .baseline = rgb(0x6b727c),
    .baselines = {rgb(0x59616b), rgb(0x8f6222), rgb(0x4c7a3a), rgb(0x7c5490)},
    .series = {rgb(0x3a9bd6), rgb(0xe08e00), rgb(0x009e73), rgb(0xb85f92), rgb(0x0072b2), rgb(0xd55e00), rgb(0xb8a900),
               rgb(0x6a5acd)},
};

ImFont* add_font(FontFile file, const char* name) {
  const auto bytes = font_file(file);
  ImFontConfig config;
  config.FontDataOwnedByAtlas = false;
  std::memcpy(config.Name, name, std::strlen(name) + 1);
  return ImGui::GetIO().Fonts->AddFontFromMemoryTTF(const_cast<unsigned char*>(bytes.data()),
                                                    static_cast<int>(bytes.size()), kBodySize, &config);
}

void set_colours(ImGuiStyle& style, const Theme& t) {
  const auto set = [&](ImGuiCol index, ImU32 colour) { style.Colors[index] = to_vec4(colour); };
  set(ImGuiCol_Text, t.text);
  set(ImGuiCol_TextDisabled, t.muted);
  set(ImGuiCol_WindowBg, t.panel);
  set(ImGuiCol_ChildBg, 0);
  set(ImGuiCol_PopupBg, t.panel);
  set(ImGuiCol_Border, t.line);
  set(ImGuiCol_BorderShadow, 0);
  set(ImGuiCol_FrameBg, t.raised);
  set(ImGuiCol_FrameBgHovered, t.line);
  set(ImGuiCol_FrameBgActive, t.line);
  for (ImGuiCol index : {ImGuiCol_TitleBg, ImGuiCol_TitleBgActive, ImGuiCol_TitleBgCollapsed}) set(index, t.ground);
  set(ImGuiCol_MenuBarBg, t.panel);
  set(ImGuiCol_ScrollbarBg, 0);
  set(ImGuiCol_ScrollbarGrab, t.line);
  set(ImGuiCol_ScrollbarGrabHovered, t.faint);
  set(ImGuiCol_ScrollbarGrabActive, t.muted);
  set(ImGuiCol_CheckMark, t.accent);
  set(ImGuiCol_CheckboxSelectedBg, t.raised);
  set(ImGuiCol_SliderGrab, t.accent);
  set(ImGuiCol_SliderGrabActive, t.accent);
  set(ImGuiCol_Button, t.raised);
  set(ImGuiCol_ButtonHovered, t.line);
  set(ImGuiCol_ButtonActive, t.faint);
  set(ImGuiCol_Header, t.accent_soft);
  set(ImGuiCol_HeaderHovered, t.raised);
  set(ImGuiCol_HeaderActive, t.accent_soft);
  set(ImGuiCol_Separator, t.line);
  set(ImGuiCol_SeparatorHovered, t.accent);
  set(ImGuiCol_SeparatorActive, t.accent);
  for (ImGuiCol index : {ImGuiCol_ResizeGrip, ImGuiCol_ResizeGripHovered, ImGuiCol_ResizeGripActive}) set(index, 0);
  set(ImGuiCol_InputTextCursor, t.accent);
  set(ImGuiCol_Tab, t.ground);
  set(ImGuiCol_TabHovered, t.raised);
  set(ImGuiCol_TabSelected, t.panel);
  set(ImGuiCol_TabSelectedOverline, t.accent);
  set(ImGuiCol_TabDimmed, t.ground);
  set(ImGuiCol_TabDimmedSelected, t.panel);
  set(ImGuiCol_TabDimmedSelectedOverline, t.line);
  set(ImGuiCol_DockingPreview, faded(t.accent, 0.4F));
  set(ImGuiCol_DockingEmptyBg, t.ground);
  set(ImGuiCol_PlotLines, t.series[0]);
  set(ImGuiCol_PlotHistogram, t.series[0]);
  set(ImGuiCol_TableHeaderBg, t.panel);
  set(ImGuiCol_TableBorderStrong, 0);  // header_text draws the line under headers; columns need none
  set(ImGuiCol_TableBorderLight, faded(t.line, 0.6F));
  set(ImGuiCol_TableRowBg, 0);
  set(ImGuiCol_TableRowBgAlt, 0);
  set(ImGuiCol_TextLink, t.accent);
  set(ImGuiCol_TextSelectedBg, faded(t.accent, 0.35F));
  set(ImGuiCol_DragDropTarget, t.accent);
  set(ImGuiCol_NavCursor, faded(t.accent, 0.6F));
  set(ImGuiCol_ModalWindowDimBg, rgba(0x000000, t.dark ? 130 : 60));
  set(ImGuiCol_NavWindowingDimBg, rgba(0x000000, 60));
}

void set_plot_style(const Look& look) {
  const Theme& t = look.theme;
  ImPlotStyle style;
  const auto px = [&](float x, float y) { return ImVec2(look.px(x), look.px(y)); };
  style.PlotBorderSize = 0;
  style.MajorTickLen = style.MinorTickLen = ImVec2(0, 0);
  const float hairline = std::max(1.0F, std::round(look.scale));
  style.MajorGridSize = style.MinorGridSize = style.MajorTickSize = style.MinorTickSize = ImVec2(hairline, hairline);
  style.PlotPadding = px(8, 8);
  style.LabelPadding = px(6, 4);
  style.LegendPadding = px(4, 4);
  style.LegendInnerPadding = px(4, 2);
  style.LegendSpacing = px(12, 2);
  style.MousePosPadding = px(8, 8);
  style.AnnotationPadding = px(4, 2);
  style.FitPadding = ImVec2(0.04F, 0.1F);
  style.PlotMinSize = px(120, 80);
  ImPlot::GetStyle() = style;
  ImPlot::StyleColorsAuto();
  ImPlot::GetStyle().MinorAlpha = 1;  // a darker line among the others would look like the base line
  auto& colours = ImPlot::GetStyle().Colors;
  const auto set = [&](ImPlotCol index, ImU32 colour) { colours[index] = to_vec4(colour); };
  set(ImPlotCol_FrameBg, 0);
  set(ImPlotCol_PlotBg, 0);
  set(ImPlotCol_PlotBorder, 0);
  set(ImPlotCol_LegendBg, 0);
  set(ImPlotCol_LegendBorder, 0);
  set(ImPlotCol_LegendText, t.text);
  set(ImPlotCol_TitleText, t.text);
  set(ImPlotCol_InlayText, t.text);
  set(ImPlotCol_AxisText, t.muted);
  set(ImPlotCol_AxisGrid, faded(t.line, 0.4F));
  set(ImPlotCol_AxisTick, t.line);
  set(ImPlotCol_AxisBg, 0);
  set(ImPlotCol_AxisBgHovered, faded(t.raised, 0.8F));
  set(ImPlotCol_AxisBgActive, t.raised);
  set(ImPlotCol_Selection, t.accent);
  set(ImPlotCol_Crosshairs, t.muted);
  ImPlot::BustColorCache();
}

}  // namespace

const Theme& dark_theme() { return kDark; }
const Theme& light_theme() { return kLight; }

void load_fonts(Look& look) {
  look.text = add_font(FontFile::text, "Inter");
  look.heading = add_font(FontFile::heading, "Inter SemiBold");
  look.numbers = add_font(FontFile::numbers, "JetBrains Mono");
}

void apply_look(const Look& look) {
  ImGuiStyle style;
  style.FontSizeBase = kBodySize;
  style.WindowPadding = ImVec2(12, 8);
  style.FramePadding = ImVec2(kTabPadding.x, kTabPadding.y);
  style.ItemSpacing = ImVec2(8, 4);
  style.ItemInnerSpacing = ImVec2(4, 4);
  style.CellPadding = ImVec2(8, 4);
  style.WindowRounding = style.ChildRounding = style.TabRounding = 0;
  style.FrameRounding = style.PopupRounding = style.GrabRounding = style.ScrollbarRounding = 4;
  style.WindowBorderSize = 0;
  style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.FrameBorderSize = 0;
  style.TabBorderSize = 0;
  style.TabBarBorderSize = 1;
  style.TabBarOverlineSize = 2;
  style.DockingSeparatorSize = 1;
  style.ScrollbarSize = 10;
  style.WindowMenuButtonPosition = ImGuiDir_None;
  style.DockingNodeHasCloseButton = false;  // a tab has its own
  style.TabCloseButtonMinWidthSelected = 0;
  style.TabCloseButtonMinWidthUnselected = 0;
  style.SeparatorTextBorderSize = 1;
  style.DisabledAlpha = 0.5F;
  style.HoverDelayNormal = 0.35F;
  style.FontScaleDpi = look.scale;
  style.ScaleAllSizes(look.scale);
  style.DockingSeparatorSize = std::max(1.0F, std::round(look.scale));
  set_colours(style, look.theme);
  ImGui::GetStyle() = style;
  set_plot_style(look);
}

ImVec4 to_vec4(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

ImU32 faded(ImU32 colour, float alpha) {
  const ImU32 old = (colour >> IM_COL32_A_SHIFT) & 0xFF;
  const auto now = static_cast<ImU32>(std::lround(static_cast<float>(old) * std::clamp(alpha, 0.0F, 1.0F)));
  return (colour & ~IM_COL32_A_MASK) | (now << IM_COL32_A_SHIFT);
}

ImU32 to_colour(Rgb colour) { return IM_COL32(colour.r, colour.g, colour.b, 255); }

void set_theme(HeatmapStyle& style, const Theme& theme) {
  const auto to_rgb = [](ImU32 colour) {
    return Rgb{static_cast<std::uint8_t>(colour >> IM_COL32_R_SHIFT),
               static_cast<std::uint8_t>(colour >> IM_COL32_G_SHIFT),
               static_cast<std::uint8_t>(colour >> IM_COL32_B_SHIFT)};
  };
  style.masked = to_rgb(theme.missing);
  style.stripe = to_rgb(theme.faint);
  style.not_a_number = to_rgb(theme.not_a_number);
  if (style.map == ColourMap::difference) style.map = difference_map(theme);
}

ColourMap difference_map(const Theme& theme) {
  return theme.dark ? ColourMap::difference_on_dark : ColourMap::difference;
}

ImU32 viridis(float t) { return to_colour(colour_at(ColourMap::viridis, t)); }

ImU32 readable_on(ImU32 background) {
  const ImVec4 c = to_vec4(background);
  const auto linear = [](float v) { return v <= 0.04045F ? v / 12.92F : std::pow((v + 0.055F) / 1.055F, 2.4F); };
  const float luminance = 0.2126F * linear(c.x) + 0.7152F * linear(c.y) + 0.0722F * linear(c.z);
  return luminance > 0.179F ? rgb(0x000000) : rgb(0xffffff);
}

}  // namespace triscope
