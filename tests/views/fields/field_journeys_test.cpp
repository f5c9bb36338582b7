// Numbers typed in fields that these do not take: they stay, with the reason, and nothing else changes.
#include <cstddef>
#include <optional>
#include <string>

#include "tests/views/journeys/attention_journey.hpp"
#include "tests/views/journeys/journey.hpp"
#include "views/model/attention/attention_model.hpp"

namespace triscope {
namespace {

using fixture::Journey;

class FieldJourney : public fixture::AttentionJourney {};

TEST_F(FieldJourney, what_a_field_does_not_take_stays_with_its_reason_and_changes_nothing) {
  travel([](ImGuiTestContext* c) {
    attention().sides[0].source.seq_len = 4096;
    attention().window2 = 2;
    open(c);
    const auto type = [&](const char* box, const char* text) {
      c->ItemInput(box);
      c->KeyCharsReplaceEnter(text);
      c->Yield(2);
    };
    const auto wrong = [&](const char* box, const char* text) {
      const std::size_t before = ui().fields.wrong.size();
      const auto wanted = [] { return wanted_slice(attention(), data().attention, 0); };
      const std::optional<SliceRequest> shown = wanted();
      type(box, text);
      IM_CHECK_EQ(ui().fields.wrong.size(), before + 1);
      IM_CHECK(shown && wanted() == shown);
      IM_CHECK_STR_EQ(ui().fields.wrong.at(c->ItemInfo(box).ID).text.c_str(), text);
    };
    type("//**/##window1", "1k");
    IM_CHECK_EQ(attention().window1, 1024);
    type("//**/##window1", "1e3");
    IM_CHECK_EQ(attention().window1, 1000);
    type("//**/##query", "2k");
    IM_CHECK_EQ(attention().query, 2048);
    for (const char* text : {"0", "-5", "2x", "99999999999999999999"}) {
      wrong("//**/##window2", text);
      IM_CHECK_EQ(attention().window2, 2);
      type("//**/##window2", "2");  // the same as before: right again
      IM_CHECK(ui().fields.wrong.empty());
    }
    wrong("//**/##query", "4096");
    IM_CHECK_EQ(attention().query, 2048);
    IM_CHECK_STR_EQ(ui().fields.wrong.begin()->second.problem.c_str(),
                    "'4096' is no whole number from 0 to 4,095. It stays 2,048.");
    c->KeyPress(ImGuiKey_RightArrow);  // a query from elsewhere takes its place
    c->Yield(2);
    for (const char* text : {"nan", "abc", "1e-400", "1e999"}) {
      wrong("//**/##scale", text);
      IM_CHECK(!attention().scale.has_value());
      type("//**/##scale", "");
      IM_CHECK(ui().fields.wrong.empty());
    }
    wrong("//**/##k2_bias", "1e-400");
    IM_CHECK_EQ(attention().k2_bias, 0);
    type("//**/##k2_bias", "0.5");
    IM_CHECK_EQ(attention().k2_bias, 0.5);
  });
}

TEST_F(Journey, what_the_setup_does_not_take_stays_there_and_nothing_runs_until_it_is_right) {
  travel([](ImGuiTestContext* c) {
    front(c, Panel::setup);
    const SetupForm before = ui().form;
    const auto type = [&](const char* field, const char* text) {
      c->ItemInput(field);
      c->KeyCharsReplaceEnter(text);
      c->Yield(3);
    };
    const auto refused = [&](const char* field) {
      IM_CHECK(ui().form.wrong.contains(field));
      c->KeyPress(ImGuiKey_F5);
      wait(c);
      IM_CHECK_EQ(world().sweep.started.load(), 0);
    };
    for (const char* text : {"abc", "-1", "0.5x"}) {
      type("//**/##precision", text);
      IM_CHECK_STR_EQ(ui().fields.wrong.begin()->second.text.c_str(), text);
      IM_CHECK_EQ(ui().form.precision_percent, before.precision_percent);
      refused("precision");
    }
    type("//**/##precision", "2 %");
    IM_CHECK_EQ(ui().form.precision_percent, 2);
    type("//**/##windows", "512x");
    IM_CHECK_STR_EQ(ui().form.windows_text.c_str(), "512x");
    IM_CHECK(ui().form.windows == before.windows);
    refused("windows");
    type("//**/##windows", "512x16");
    IM_CHECK(ui().form.wrong.empty());
    c->KeyPress(ImGuiKey_F5);
    wait(c);
    IM_CHECK_EQ(world().sweep.started.load(), 1);
    IM_CHECK_EQ(world().sweep.last_request.stopping.precision, 0.02);
  });
}

}  // namespace
}  // namespace triscope
