// What a person does to save a chart for a paper, and what moves meanwhile.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <implot.h>
#include <implot_internal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/views/journeys/journey.hpp"
#include "tests/views/pictures/drawn_text.hpp"
#include "views/print/canvas/svg_canvas.hpp"

namespace triscope {
namespace {

using fixture::Journey;

TEST_F(Journey, the_words_of_a_picture_begin_at_their_top_and_an_exploration_may_begin_at_zero) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::explore);
    wait(c);
    for (int opened = 0; opened < 2; ++opened) {
      app().carry_out(FileRequest(ask::SaveChart{Panel::explore}));
      c->Yield(4);
      const ImGuiWindow* words = c->ItemInfo("//$FOCUSED/caption/##words").Window;
      IM_CHECK(words != nullptr);
      if (opened == 0) {
        ui().path.picture->caption = "1\n2\n3\n4\n5\n6\n7\n8\n9";
        c->Yield(2);
      }
      const auto& windows = ImGui::GetCurrentContext()->Windows;
      const auto caption = std::find_if(windows.begin(), windows.end(), [&](const ImGuiWindow* one) {
        return one->Active && one->ParentWindow == words &&
               std::string_view(one->Name).find("##words") != std::string_view::npos;
      });
      IM_CHECK(caption != windows.end());
      ImGuiWindow* const lines = *caption;
      IM_CHECK_EQ(lines->Scroll.y, 0);
      ImGui::SetScrollY(lines, lines->ScrollMax.y);  // and so it is left
      c->Yield(2);
      IM_CHECK_GT(lines->Scroll.y, 0);
      c->ItemClick("//$FOCUSED/from 0");
      IM_CHECK_EQ(ui().settings.print_size.from_zero, opened == 0);
      c->KeyPress(ImGuiKey_Escape);
      c->Yield(2);
    }
  });
}

TEST_F(Journey, the_question_for_a_picture_has_its_buttons_in_view_in_a_small_window) {
  travel([](ImGuiTestContext* c) {
    world().stage->resize(1280, 800);
    ui().settings.scale = 1.5F;
    c->Yield(4);
    front(c, Panel::tflops);
    app().carry_out(FileRequest(ask::SaveChart{}));
    c->Yield(6);
    const ImGuiWindow* dialog = c->ItemInfo("//$FOCUSED/Save").Window;
    IM_CHECK(dialog != nullptr);
    IM_CHECK_EQ(dialog->ScrollMax.y, 0);  // nothing of it lies below its edge
  });
}

TEST_F(Journey, a_chart_is_saved_in_several_formats_with_a_width_and_words_that_come_back) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    app().carry_out(FileRequest(ask::SaveChart{}));
    c->Yield(3);
    c->ItemInput("//$FOCUSED/title/##words");
    c->KeyCharsReplace("Rates of an invented CPU");
    c->ItemClick("//$FOCUSED/8.5 cm");
    c->ItemClick("//$FOCUSED/PDF");
    ui().path.picture->caption.clear();
    c->ItemInput("//$FOCUSED/##path");
    c->KeyCharsReplace((world().folder / "titled.svg").c_str());
    c->ItemClick("//$FOCUSED/PNG");
    c->ItemInput("//$FOCUSED/##path");
    c->KeyPress(ImGuiKey_Enter);
    wait(c);
    std::ifstream stream(world().folder / "titled.svg");
    const std::string svg((std::istreambuf_iterator<char>(stream)), {});
    IM_CHECK(svg.find(">Rates of an invented CPU<") != std::string::npos);
    IM_CHECK(svg.find("width=\"85mm\"") != std::string::npos);
    IM_CHECK(svg.find("medians") == std::string::npos);
    std::ifstream beside(world().folder / "titled.pdf");
    const std::string pdf((std::istreambuf_iterator<char>(beside)), {});
    IM_CHECK(pdf.starts_with("%PDF-"));
    IM_CHECK(pdf.find("/MediaBox [0 0 240.94 ") != std::string::npos);
    IM_CHECK(std::filesystem::exists(world().folder / "titled.png"));
    int told = 0;
    for (const Notice& notice : data().notices) {
      if (notice.id != NoticeId::saved) continue;
      ++told;
      IM_CHECK_STR_EQ(notice.text.c_str(), fmt::format("Saved 3 files in {}: titled.png, titled.svg, titled.pdf.",
                                                       world().folder.path().string())
                                               .c_str());
    }
    IM_CHECK_EQ(told, 1);
    app().carry_out(FileRequest(ask::SaveChart{}));
    c->Yield(3);
    IM_CHECK_STR_EQ(ui().path.picture->title.c_str(), "Rates of an invented CPU");
    IM_CHECK(ui().path.picture->caption.empty());
    IM_CHECK(ui().path.text.ends_with("/titled.svg"));
    IM_CHECK_EQ(ui().path.also.size(), 2U);
    IM_CHECK_EQ(ui().settings.print_size.width_cm, 8.5);
    c->ItemClick("//$FOCUSED/title/Restore");
    IM_CHECK(ui().path.picture->title == *ui().path.picture->own.title);
    c->KeyPress(ImGuiKey_Escape);
  });
}

std::string saved(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(Journey, a_caption_is_saved_in_the_picture_or_as_text_beside_it) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    app().carry_out(FileRequest(ask::SaveChart{}));
    c->Yield(3);
    const std::string caption = ui().path.picture->caption;
    IM_CHECK(caption.find("medians") != std::string::npos);
    c->ItemClick("//$FOCUSED/Copy for LaTeX");
    const std::string copied = ImGui::GetClipboardText();
    IM_CHECK(caption.find("95 % intervals") != std::string::npos);
    IM_CHECK(copied.find("95 \\% intervals") != std::string::npos);
    c->Yield();
    IM_CHECK(!data().log.empty() && data().log.back().text.starts_with("Copied a text of "));
    IM_CHECK(fixture::says(fixture::drawn_text(c), "Copied"));  // beside the button
    c->ItemClick("//$FOCUSED/in the picture");
    c->ItemClick("//$FOCUSED/as text beside it (.txt)");
    c->ItemInput("//$FOCUSED/##path");
    c->KeyCharsReplace((world().folder / "captioned.svg").c_str());
    c->KeyPress(ImGuiKey_Enter);
    wait(c);
    IM_CHECK(saved(world().folder / "captioned.svg").find("medians") == std::string::npos);
    IM_CHECK_STR_EQ(saved(world().folder / "captioned.txt").c_str(), (caption + "\n").c_str());
    app().carry_out(FileRequest(ask::SaveChart{}));
    c->Yield(3);
    IM_CHECK(!ui().settings.print_size.captioned);
    IM_CHECK_EQ(ui().path.also.size(), 1U);
    ui().path.picture->caption.clear();  // which leaves nothing to write
    c->ItemInput("//$FOCUSED/##path");
    c->KeyCharsReplace((world().folder / "bare.svg").c_str());
    c->KeyPress(ImGuiKey_Enter);
    wait(c);
    IM_CHECK(!saved(world().folder / "bare.svg").empty());
    IM_CHECK(!std::filesystem::exists(world().folder / "bare.txt"));
  });
}

TEST_F(Journey, the_question_for_a_picture_says_its_size_with_its_words_or_why_there_is_none) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    app().carry_out(FileRequest(ask::SaveChart{}));
    c->Yield(3);
    const double high = ui().path.picture->height_cm;
    ui().path.picture->caption = std::string(2000, 'x');
    c->Yield(3);
    IM_CHECK_GT(ui().path.picture->height_cm, high + 1);
    c->ItemClick("//$FOCUSED/in the picture");
    c->Yield(2);
    IM_CHECK_LT(ui().path.picture->height_cm, high);
    c->ItemClick("//$FOCUSED/in the picture");
    c->Yield(2);
    const double stated = ui().path.picture->height_cm;
    c->ItemInput("//$FOCUSED/##path");
    c->KeyCharsReplace((world().folder / "sized.svg").c_str());
    c->KeyPress(ImGuiKey_Enter);
    wait(c);
    IM_CHECK(saved(world().folder / "sized.svg").find(fmt::format(" height=\"{:.2f}mm\"", 10 * stated)) !=
             std::string::npos);
    app().carry_out(FileRequest(ask::SaveChart{}));
    c->Yield(2);
    ui().settings.print_size.height_cm = kLeastPrintCm;  // less than those words
    c->ItemInput("//$FOCUSED/##path");
    c->KeyCharsReplace((world().folder / "no_room.svg").c_str());
    c->Yield(2);
    IM_CHECK(ui().path.picture->problem.find("leave no room") != std::string::npos);
    c->KeyPress(ImGuiKey_Enter);
    c->Yield(2);
    IM_CHECK(ui().path.waiting.has_value());  // a press of Enter saves nothing
    c->ItemInput("//$FOCUSED/##path");
    c->KeyCharsReplace((world().folder / "no_room.png").c_str());
    c->Yield(2);
    c->KeyPress(ImGuiKey_Enter);
    wait(c);
    IM_CHECK(!saved(world().folder / "no_room.png").empty());  // which has no words
  });
}

TEST_F(Journey, a_chart_that_is_zoomed_is_saved_as_it_is_shown_or_whole_which_the_question_says) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    const auto save = [&](const char* name, const char* range) {
      app().carry_out(FileRequest(ask::SaveChart{}));
      c->Yield(3);
      c->ItemInput("//$FOCUSED/##path");
      c->KeyCharsReplace((world().folder / name).c_str());
      c->Yield(2);
      IM_CHECK_RETV(fixture::says(fixture::drawn_text(c), "as shown") == (*range != '\0'), std::string());
      if (*range != '\0') c->ItemClick(fmt::format("//$FOCUSED/{}", range).c_str());
      c->ItemInput("//$FOCUSED/##path");
      c->MouseMoveToPos(ImVec2(2, 2));  // off the chart
      c->Yield(2);
      const bool part = std::string_view(range) == "as shown";
      const PictureDraft& draft = *ui().path.picture;
      IM_CHECK_RETV(draft.part.has_value() == part, std::string());
      IM_CHECK_RETV((draft.caption.find("the caption is of all of") != std::string::npos) == part, std::string());
      const std::string stated = fmt::format(" height=\"{:.2f}mm\"", 10 * draft.height_cm);
      c->KeyPress(ImGuiKey_Enter);
      wait(c);
      IM_CHECK_RETV(saved(world().folder / name).find(stated) != std::string::npos, std::string());
      return saved(world().folder / name);
    };
    const std::string fitted = save("fitted.svg", "");
    IM_CHECK(!fitted.empty());
    ImPlotPlot& plot = *ImPlot::GetCurrentContext()->Plots.GetByIndex(0);
    c->MouseMoveToPos(plot.PlotRect.GetCenter());
    c->MouseWheelY(3);
    c->Yield(3);
    const std::string part = save("part.svg", "as shown");
    IM_CHECK(!part.empty() && part != fitted);
    IM_CHECK(save("whole.svg", "all") == fitted);
    IM_CHECK(save("again.svg", "as shown") == part);
    c->MouseMoveToPos(plot.PlotRect.GetCenter());
    c->MouseDoubleClick();
    c->Yield(4);
    IM_CHECK(save("fitted_again.svg", "") == fitted);
  });
}

TEST_F(Journey, from_zero_cannot_be_chosen_of_a_zoomed_exploration_as_it_is_shown) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::explore);
    wait(c);
    const Area area = ui().chart_areas.at(Panel::explore);
    c->MouseMoveToPos(ImVec2(area.x + 0.2F * area.width, area.y + 0.6F * area.height));  // in a plot
    c->MouseWheelY(3);
    c->Yield(3);
    IM_CHECK(ui().zoomed.contains(Panel::explore));
    app().carry_out(FileRequest(ask::SaveChart{Panel::explore}));
    c->Yield(4);
    const auto can = [&] { return (c->ItemInfo("//$FOCUSED/from 0").ItemFlags & ImGuiItemFlags_Disabled) == 0; };
    c->ItemInput("//$FOCUSED/##path");
    c->KeyCharsReplace((world().folder / "explored.svg").c_str());
    c->Yield(2);
    for (const bool whole : {true, false}) {
      c->ItemClick(whole ? "//$FOCUSED/all" : "//$FOCUSED/as shown");
      c->Yield(2);
      IM_CHECK_EQ(can(), whole);
    }
    c->KeyPress(ImGuiKey_Escape);
    c->Yield(2);
  });
}

TEST_F(Journey, a_picture_for_print_is_light_or_dark_as_was_chosen) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    const auto save = [&](const char* name, const char* colours) {
      app().carry_out(FileRequest(ask::SaveChart{}));
      c->Yield(3);
      c->ItemInput("//$FOCUSED/##path");
      c->KeyCharsReplace((world().folder / name).c_str());
      c->ItemClick(fmt::format("//$FOCUSED/{}", colours).c_str());
      c->ItemInput("//$FOCUSED/##path");
      c->MouseMoveToPos(ImVec2(2, 2));  // off the chart
      c->KeyPress(ImGuiKey_Enter);
      wait(c);
      return saved(world().folder / name);
    };
    IM_CHECK(save("dark.svg", "dark").find(css_colour(dark_theme().panel)) != std::string::npos);
    IM_CHECK(save("light.svg", "light").find(css_colour(dark_theme().panel)) == std::string::npos);
  });
}

TEST_F(Journey, the_question_for_a_png_alone_offers_no_colours_of_print) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    app().carry_out(FileRequest(ask::SaveChart{}));
    c->Yield(3);
    const auto offered = [&](const char* colours) {
      const ImGuiTestItemInfo item = c->ItemInfo(fmt::format("//$FOCUSED/{}", colours).c_str());
      IM_CHECK_RETV(item.ID != 0, false);
      return (item.ItemFlags & ImGuiItemFlags_Disabled) == 0;
    };
    IM_CHECK(!offered("light") && !offered("dark"));
    c->ItemClick("//$FOCUSED/PDF");
    c->Yield(2);
    IM_CHECK(offered("light") && offered("dark"));
    c->KeyPress(ImGuiKey_Escape);
  });
}

TEST_F(Journey, a_png_has_the_colours_of_the_window_which_the_question_says) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    const auto save = [&](const char* name, bool dark) {
      ui().settings.print_size.dark = dark;  // of PDF and SVG
      app().carry_out(FileRequest(ask::SaveChart{}));
      c->Yield(3);
      IM_CHECK_RETV(fixture::says(fixture::drawn_text(c), "in the window's colours"), std::string());
      c->ItemInput("//$FOCUSED/##path");
      c->KeyCharsReplace((world().folder / name).c_str());
      c->MouseMoveToPos(ImVec2(2, 2));  // off the chart
      c->KeyPress(ImGuiKey_Enter);
      wait(c);
      return saved(world().folder / name);
    };
    ui().settings.theme = ThemeChoice::dark;
    const std::string of_dark = save("a.png", false);
    IM_CHECK(!of_dark.empty());
    IM_CHECK(save("b.png", true) == of_dark);
    ui().settings.theme = ThemeChoice::light;
    const std::string of_light = save("c.png", true);
    IM_CHECK(!of_light.empty() && of_light != of_dark);
    IM_CHECK(save("d.png", false) == of_light);
  });
}

TEST_F(Journey, another_picture_than_the_last_one_is_proposed_under_a_name_that_is_free) {
  travel([](ImGuiTestContext* c) {
    const auto proposed = [c](Panel panel = Panel::tflops) {
      app().carry_out(FileRequest(ask::SaveChart{panel}));
      c->Yield(3);
      const std::filesystem::path path = ui().path.text;
      c->KeyPress(ImGuiKey_Escape);
      c->Yield(2);
      return path;
    };
    const std::filesystem::path first = proposed();
    IM_CHECK_STR_EQ(first.stem().c_str(), "tflops");
    std::ofstream(std::filesystem::path(first).replace_extension(".svg")) << "a figure of before";
    proposed(Panel::scaling);
    IM_CHECK_STR_EQ(proposed().stem().c_str(), "tflops_2");
    std::ofstream(first.parent_path() / "tflops_2.pdf") << "another one";
    proposed(Panel::scaling);
    IM_CHECK_STR_EQ(proposed().stem().c_str(), "tflops_3");
  });
}

TEST_F(Journey, what_is_there_already_is_said_without_moving_the_buttons) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    app().carry_out(FileRequest(ask::SaveChart{}));
    c->Yield(3);
    c->ItemInput("//$FOCUSED/##path");
    c->KeyCharsReplace((world().folder / "none.png").c_str());
    wait(c);
    const float before = c->ItemInfo("//$FOCUSED/Save").RectFull.Min.y;
    std::ofstream(world().folder / "some.png") << "x";
    c->KeyCharsReplace((world().folder / "x" / "some.png").c_str());  // another folder, so that it is listed again
    wait(c);
    c->KeyCharsReplace((world().folder / "some.png").c_str());
    wait(c);
    IM_CHECK_EQ(c->ItemInfo("//$FOCUSED/Save").RectFull.Min.y, before);
    c->KeyPress(ImGuiKey_Escape);
  });
}

TEST_F(Journey, that_a_file_was_saved_moves_nothing_and_a_typed_s_changes_no_sweep) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::tflops);
    wait(c);
    const float before = ImGui::FindWindowByName("###tflops")->Pos.y;
    app().messages().notify(Severity::info, NoticeId::saved, "Saved /tmp/figure.svg.");
    c->Yield(4);
    IM_CHECK_EQ(ImGui::FindWindowByName("###tflops")->Pos.y, before);
    const ImGuiWindow* notices = ImGui::FindWindowByName("##notices");
    IM_CHECK(notices == nullptr || !notices->Active);
    const bool starred = data().shown->info.starred;
    c->KeyPress(ImGuiKey_S);
    wait(c);
    IM_CHECK_EQ(data().shown->info.starred, starred);
    c->KeyPress(ImGuiMod_Ctrl | ImGuiKey_D);
    wait(c);
    IM_CHECK(data().shown->info.starred != starred);
  });
}

}  // namespace
}  // namespace triscope
