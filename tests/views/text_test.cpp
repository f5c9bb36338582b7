#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "kernels/attention/paper.hpp"
#include "kernels/base/error.hpp"
#include "profiler/plan/request.hpp"
#include "profiler/record/unusable_sweep.hpp"
#include "profiler/search/documents.hpp"
#include "tests/paths.hpp"
#include "tests/views/sweep_fixture.hpp"
#include "views/command/command_search.hpp"
#include "views/command/palette.hpp"
#include "views/command/shortcut.hpp"
#include "views/data/brief_label.hpp"
#include "views/data/format.hpp"
#include "views/model/setup_model.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Format, numbers_read_as_people_write_them) {
  EXPECT_EQ(format_count(32768), "32,768");
  EXPECT_EQ(format_count(-1234567), "-1,234,567");
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(std::size_t{0}, "row"), "0 rows");
  EXPECT_EQ(counted(std::int64_t{32768}, "row"), "32,768 rows");
  EXPECT_EQ(format_bytes(217'000), "217 KB");
  EXPECT_EQ(format_seconds(100), "1 min 40 s");
  EXPECT_EQ(format_ms(0.8123), "0.8123 ms") << "one unit, that of the columns and axes beside it";
  EXPECT_EQ(format_ms(24.4), "24.40 ms");
  EXPECT_EQ(format_ms(12345.6, 30), "12346 ms");
  EXPECT_EQ(format_ms(47.02, 1.1), "47.0 ms") << "no digit that the interval does not bear";
  EXPECT_EQ(format_ms(95.2747, 1.5615), "95.3 ms");
  EXPECT_EQ(format_ms(0.8123, 0.0151), "0.812 ms");
  EXPECT_EQ(format_ms(0.0052164, 0.0000002), "0.00522 ms") << "three digits of a few microseconds";
  EXPECT_EQ(format_ms(std::nan("")), "NaN ms");
  EXPECT_EQ(format_ms_interval(0.9951, 1.0102, 1.0), "0.9951 to 1.0102 ms");
  EXPECT_EQ(known_decimals(95.2747, 1.5615), 1);
  EXPECT_EQ(known_decimals(95.2747, 0.0996), 2) << "0.10";
  EXPECT_EQ(known_decimals(95.2747, std::nullopt), 2);
  EXPECT_EQ(known_decimals(0.0375, 0.00002), 4) << "no more than four";
  EXPECT_EQ(format_fixed(std::nan(""), 2), "NaN");
}

/// The spans of code of a page, as its parts have them: a line break is a blank.
std::vector<std::string> code_of(std::string text) {
  std::vector<std::string> code;
  for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', at)) {
    const std::size_t end = text.find('`', at + 1);
    if (end == std::string::npos) break;
    std::string one = text.substr(at + 1, end - at - 1);
    if (one.find('*') != std::string::npos) code.push_back(std::move(one));
    at = end + 1;
  }
  return code;
}

std::set<std::string> fenced_lines(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream all(text);
  bool fenced = false;
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with("```")) fenced = !fenced;
    if (fenced) lines.insert(line);
  }
  return lines;
}

TEST(Documents, emphasis_goes_and_the_stars_of_code_and_products_stay) {
  const auto line = [](const std::string& text) { return parts_of("# Page\n\n" + text).front().lines.front(); };
  EXPECT_EQ(line("and *Copy its command* takes it there"), "and Copy its command takes it there");
  EXPECT_EQ(line("with *two lines\nof words*, **bold\nwords** too"), "with two lines of words, bold words too");
  EXPECT_EQ(line("*Says `code` too* here"), "Says code too here");
  EXPECT_EQ(line("beside `*.unreadable` and `a * b`"), "beside *.unreadable and a * b");
  EXPECT_EQ(line("| `bash\\|zsh` | a shell |"), "bash|zsh  ·  a shell");
  EXPECT_EQ(line("w1 * w2 keys"), "w1 * w2 keys");
  EXPECT_EQ(line("* item of a *list* here"), "* item of a list here");
  EXPECT_EQ(line("see [the\nmethod](method.md#turns) there"), "see the method there");
}

TEST(Documents, no_page_shows_a_mark_of_markdown) {
  for (const Document& page : documents()) {
    const std::vector<std::string> code = code_of(std::string(page.text));
    const std::set<std::string> fenced = fenced_lines(std::string(page.text));
    for (const DocumentPart& part : parts_of(page.text)) {
      for (std::string text : part.lines) {
        if (text.starts_with("    ") || fenced.contains(text)) continue;
        for (const std::string& one : code) {
          for (std::size_t at = text.find(one); at != std::string::npos; at = text.find(one))
            text.erase(at, one.size());
        }
        if (text.starts_with("* ")) text.erase(0, 2);
        for (std::size_t at = text.find('*'); at != std::string::npos; at = text.find('*', at + 1)) {
          const bool product = at > 0 && text[at - 1] == ' ' && text.substr(at + 1, 1) == " ";
          EXPECT_TRUE(product) << page.page << ": " << text;
        }
        EXPECT_EQ(text.find('`'), std::string::npos) << page.page << ": " << text;
        EXPECT_EQ(text.find("]("), std::string::npos) << page.page << ": " << text;
      }
    }
  }
}

TEST(Format, a_kernel_is_brief_only_where_that_saves_letters) {
  EXPECT_EQ(brief_label({.label = "FlashAttention-3", .short_label = "FA3"}), "FA3");
  EXPECT_EQ(brief_label({.label = "Portable", .short_label = "portable"}), "Portable");
}

TEST(Format, started_is_short_and_in_local_time) {
  setenv("TZ", "UTC", 1);
  tzset();
  const std::int64_t now = 1795269600;  // 2026-11-21 14:00 UTC
  EXPECT_EQ(format_started("2026-11-21T13:02:31Z", now), "today 13:02");
  EXPECT_EQ(format_started("2026-11-18T17:31:00Z", now), "18 Nov 17:31");
  EXPECT_EQ(format_started("2025-11-18T17:31:00Z", now), "18 Nov 2025");
  EXPECT_EQ(format_started("nonsense", now), "nonsense");
}

TEST(Commands, those_that_buttons_look_up_are_there) {
  EXPECT_NO_THROW(command_for<ask::Run>());
  EXPECT_NO_THROW(command_for<ask::Stop>());
  EXPECT_NO_THROW(command_for<ask::Resume>());
}

TEST(Commands, a_sweep_that_cannot_be_used_is_not_offered_for_resuming) {
  WindowData data;
  const auto enabled = [&](const SweepInfo& info) {
    const std::shared_ptr<SweepResults> shown = fixture::small_sweep();
    shown->info = info;
    data.shown = shown;
    return command_for<ask::Resume>().enabled(data, UiState());
  };
  SweepInfo interrupted = fixture::small_sweep()->info;
  interrupted.finished.clear();
  EXPECT_TRUE(enabled(interrupted));
  EXPECT_FALSE(enabled(unusable_sweep(1, "its environment is missing")));
}

TEST(Commands, shortcuts_are_unique_and_every_command_explains_itself) {
  std::map<std::string, const Command*> by_shortcut;
  for (const Command& command : commands()) {
    EXPECT_GT(std::string(command.help).size(), 10U) << command.label;
    if (*command.shortcut) {
      EXPECT_TRUE(by_shortcut.emplace(command.shortcut, &command).second) << command.shortcut;
    }
  }
}

TEST(Commands, the_star_of_a_sweep_that_has_one_is_taken_away) {
  WindowData data;
  data.shown = fixture::small_sweep();
  data.sweeps.push_back(data.shown->info);
  const Command& star = command_for<ask::Star>();
  EXPECT_STREQ(label_now(star, data), "Star");
  data.sweeps[0].starred = true;
  EXPECT_STREQ(label_now(star, data), "Remove star");
  Models models;
  const std::vector<PaletteItem> found = search_everything("star", data, UiState(), models);
  EXPECT_TRUE(std::ranges::any_of(found, [](const PaletteItem& one) { return one.label == "Remove star"; }));
  EXPECT_FALSE(std::ranges::any_of(found, [](const PaletteItem& one) { return one.label == "Star"; }));
}

TEST(Commands, panels_are_found_by_their_id) {
  EXPECT_EQ(find_panel("history")->panel, Panel::history);
  EXPECT_EQ(find_panel("nothing"), nullptr);
}

TEST(Documents, each_page_is_there_with_its_headings_and_without_the_marks_of_markdown) {
  EXPECT_GE(documents().size(), 13U);
  for (const Document& document : documents()) {
    const std::vector<DocumentPart> parts = parts_of(document.text);
    ASSERT_FALSE(parts.empty()) << document.page;
    EXPECT_EQ(parts.front().level, 1) << document.page;
  }
  EXPECT_EQ(find_document("nothing.md"), nullptr);
  const auto parts = parts_of(
      "# A *page*\n\nSome `words` and\n[a link](b.md).\n* one\n* two\n  more\n\n    code  here\n\n| a | `b` "
      "|\n|---|---|\n| | |\n| c | d |\n");
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].heading, "A page");
  EXPECT_THAT(parts[0].lines,
              ElementsAre("Some words and a link.", "* one", "* two more", "    code  here", "a  ·  b", "c  ·  d"));
}

TEST(Palette, a_name_that_holds_the_phrase_stands_before_rows_with_its_words_here_and_there) {
  WindowData data;
  auto portable = std::make_shared<SweepResults>(*fixture::small_sweep());
  for (ResultRow& row : portable->rows) row.card.label = "Portable";
  data.shown = portable;
  data.revision = 1;
  Models models;
  const auto listed = search_everything("table 1", data, UiState(), models);
  const auto first_of = [&](const std::string& kind) {
    return std::ranges::find(listed, kind, &PaletteItem::kind) - listed.begin();
  };
  ASSERT_LT(first_of("row"), std::ssize(listed)) << "Portable has the letters of table, and m1 the number";
  EXPECT_LT(first_of("page of the paper"), first_of("row"));
  EXPECT_LT(first_of("manual"), first_of("row"));
  EXPECT_EQ(listed[static_cast<std::size_t>(first_of("page of the paper"))].label, "Paper: table 1");
}

TEST(Palette, finds_rows_kernels_sweeps_pages_counters_and_the_manual) {
  WindowData data;
  data.shown = fixture::small_sweep();
  data.sweeps = {data.shown->info};
  data.sweeps.front().note = "after the change";
  data.revision = 1;
  const UiState ui;
  Models models;
  const auto find = [&](const char* query, const std::string& kind) -> std::optional<PaletteItem> {
    for (PaletteItem& item : search_everything(query, data, ui, models)) {
      if (item.kind == kind) return std::move(item);
    }
    return std::nullopt;
  };
  const auto row = find("256x64 backward 2k", "row");
  ASSERT_TRUE(row);
  EXPECT_EQ(std::get<ask::SelectMeasurement>(row->request).measurement, 4);
  ASSERT_TRUE(find("cpu.fast", "kernel"));
  const auto sweep = find("after the", "sweep");
  ASSERT_TRUE(sweep);
  EXPECT_EQ(std::get<ask::ShowSweep>(sweep->request).sweep, 1);
  const auto page = find("errata", "page of the paper");
  ASSERT_TRUE(page);
  EXPECT_EQ(std::get<ask::ShowPanel>(page->request).page, "errata");
  EXPECT_TRUE(find("tensor cores busy", "counter"));
  const auto manual = find("json for machines", "manual");
  ASSERT_TRUE(manual);
  EXPECT_EQ(std::get<ask::OpenDocument>(manual->request).page, "command-line.md");
  const auto grey = find("with the baseline", "Sweep");
  ASSERT_TRUE(grey);
  EXPECT_EQ(grey->why, "needs another sweep as the baseline (B)");
  EXPECT_FALSE(find("e", "manual")) << "commands alone for one letter";
  const auto labels = [&](const char* query) {
    std::vector<std::string> all;
    for (const PaletteItem& item : search_everything(query, data, ui, models)) all.push_back(item.label);
    return all;
  };
  const std::vector<std::string> cost = labels("cost");
  EXPECT_EQ(cost.front(), "Lengths: same cost");
  const FoundCommands matching = find_commands("cost");
  ASSERT_FALSE(matching.by_letters.empty());
  EXPECT_EQ(cost.back(), matching.by_letters.back()->label) << "behind all that holds the word";
  for (const Command* one : matching.by_words)
    EXPECT_LT(std::ranges::find(cost, one->label), std::ranges::find(cost, matching.by_letters.front()->label));
  const auto& same_cost = *std::ranges::find(commands(), std::string_view("Lengths: same cost"), &Command::label);
  EXPECT_EQ(std::get<ask::ShowLengths>(same_cost.request).view, LengthView::budget);
}

TEST(Commands, the_palette_finds_by_word_start_then_by_letters) {
  EXPECT_STREQ(search_commands("reset").front()->label, "Reset layout");
  EXPECT_STREQ(search_commands("rsl").front()->label, "Reset layout");
  EXPECT_STREQ(search_commands("run").front()->label, "Run");
  EXPECT_STREQ(search_commands("training step").front()->label, "Lengths: training step");
  for (const char* words : {"same", "cost", "equal", "equal cost", "which windows cost the same"})
    EXPECT_STREQ(search_commands(words).front()->label, "Lengths: same cost") << words;
  EXPECT_STREQ(search_commands("slower").front()->label, "Compare");
  for (const char* word : {"figure", "export", "picture"})
    EXPECT_TRUE(std::ranges::any_of(search_commands(word), [](const Command* found) {
      return std::holds_alternative<FileRequest>(found->request);
    })) << word;
  EXPECT_STREQ(search_commands("version").front()->label, "Compare two versions of a kernel...");
  EXPECT_TRUE(search_commands("zzzz").empty());
  EXPECT_EQ(search_commands("").size(), commands().size());
}

TEST(Commands, shortcuts_parse) {
  const Shortcut shortcut = parse_shortcut("Ctrl+Shift+P");
  EXPECT_TRUE(shortcut.ctrl && shortcut.shift && !shortcut.alt);
  EXPECT_EQ(shortcut.key, "P");
  EXPECT_EQ(parse_shortcut("Ctrl++").key, "+");
}

TEST(Setup, numbers_may_have_thousands_commas_and_k) {
  EXPECT_THAT(parse_numbers("1024, 2,048 4k;8"), ElementsAre(1024, 2048, 4096, 8));
  EXPECT_THAT(parse_numbers("1,2,3"), ElementsAre(1, 2, 3));
  EXPECT_THAT(parse_numbers(""), testing::IsEmpty());
  EXPECT_THROW(parse_numbers("12x"), Error);
  EXPECT_THROW(parse_numbers("-3"), Error);
  EXPECT_THROW(parse_numbers("0"), Error);
}

TEST(Setup, a_rectangle_in_the_grid_is_switched_whichever_corner_comes_first) {
  SetupForm form;
  const WindowGrid grid = make_grid(form);
  ASSERT_EQ(grid.axis1[5], 512);
  ASSERT_EQ(grid.axis2[1], 32);
  set_rectangle(form, grid, {5, 2}, {4, 1}, true);
  EXPECT_THAT(form.windows,
              testing::UnorderedElementsAre(Windows{256, 32}, Windows{512, 32}, Windows{256, 64}, Windows{512, 64}));
  EXPECT_EQ(form.windows_text, "256x32, 512x32, 256x64, 512x64");
  set_rectangle(form, grid, {4, 1}, {4, 2}, false);
  EXPECT_THAT(form.windows, testing::UnorderedElementsAre(Windows{512, 32}, Windows{512, 64}));
}

TEST(Setup, presets_are_the_papers_table_and_equal_areas) {
  SetupForm form;
  apply_preset(form, WindowPreset::table1);
  EXPECT_EQ(form.windows.size(), paper_table1().size());
  apply_preset(form, WindowPreset::equal_area);
  EXPECT_GE(form.windows.size(), 3U);
  for (const Windows& windows : form.windows) EXPECT_EQ(windows.window1 * windows.window2, 512 * 32);
}

TEST(Setup, problems_are_shown_at_their_field) {
  SetupForm form = default_form(false);
  EXPECT_TRUE(read_form(form, nullptr).problems.empty());
  form.seq_lens = "256";
  EXPECT_THAT(read_form(form, nullptr).problems.at("windows"), HasSubstr("wider than 256 tokens"));
  form = default_form(false);
  form.kv_heads = "3";
  EXPECT_THAT(read_form(form, nullptr).problems.at("kv_heads"), HasSubstr("cannot share"));
  form = default_form(false);
  form.batches = "two";
  EXPECT_TRUE(read_form(form, nullptr).problems.contains("batches"));
  form = default_form(false);
  form.forward = form.backward = false;
  form.windows.clear();
  const FormReading reading = read_form(form, nullptr);
  EXPECT_TRUE(reading.problems.contains("passes"));
  EXPECT_TRUE(reading.problems.contains("windows"));
}

TEST(Setup, what_is_wrong_with_one_field_hides_nothing_of_another) {
  SetupForm form = default_form(false);
  form.seq_lens = "256, 4k, many";
  form.q_heads = "64";
  form.kv_heads = "3";
  form.determinant = true;
  form.head_dims = "2";
  form.needs_device = "NVIDIA H200";  // a plan for another computer
  const FormReading reading = read_form(form, nullptr);
  EXPECT_THAT(reading.problems.at("kv_heads"), HasSubstr("64 query heads cannot share 3 KV heads evenly"));
  EXPECT_TRUE(reading.problems.contains("head_dims"));
  EXPECT_TRUE(reading.problems.contains("seq_lens"));
  EXPECT_FALSE(reading.problems.contains("windows")) << "of how many tokens is not known";
  EXPECT_EQ(reading.configurations, 0);
  form.kv_heads = "a few";
  EXPECT_THAT(read_form(form, nullptr).problems.at("kv_heads"), testing::Not(HasSubstr("share")));
}

TEST(Setup, a_request_survives_the_form_and_back) {
  SetupForm form = default_form(false);
  form.seq_lens = "1024, 4096";
  form.determinant = true;
  form.head_dims = "96";
  form.sink = "0.1234567890123";
  form.scale = "0.08838834764831845";
  form.precision_percent = 1;
  form.budget_seconds = 8.2;
  form.restarts = "5";
  const SweepRequest request = read_form(form, nullptr).request;
  EXPECT_EQ(request.restarts, 5);
  EXPECT_EQ(form_of(request, nullptr).scale, "0.08838834764831845");
  EXPECT_EQ(to_json(read_form(form_of(request, nullptr), nullptr).request), to_json(request));
}

TEST(Setup, restarts_are_one_number_that_a_sweep_can_have) {
  EXPECT_EQ(read_form(default_form(false), nullptr).request.restarts, SweepRequest().restarts);
  for (const char* wrong : {"", "0", "-1", "1, 2", "1001", "many"}) {
    SetupForm form = default_form(false);
    form.restarts = wrong;
    EXPECT_TRUE(read_form(form, nullptr).problems.contains("restarts")) << wrong;
  }
}

TEST(Setup, counters_are_asked_for_on_a_gpu_only) {
  Catalog catalog;
  catalog.devices.push_back({.id = "0", .kind = DeviceKind::cuda});
  catalog.devices.push_back({.id = "cpu", .kind = DeviceKind::cpu});
  SetupForm form = default_form(true);
  form.counters = true;
  const SweepRequest request = read_form(form, &catalog).request;
  EXPECT_EQ(request.counters, CounterSet::standard);
  EXPECT_TRUE(form_of(request, &catalog).counters);
  form.device = "cpu";
  EXPECT_EQ(read_form(form, &catalog).request.counters, CounterSet::none);
  form.device = "7";
  EXPECT_FALSE(runs_on_gpu(form, &catalog));
}

TEST(Documentation, every_picture_that_a_page_shows_is_there) {
  const std::filesystem::path root = source_file("");
  std::vector<std::filesystem::path> pages{root / "README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  int pictures = 0;
  for (const std::filesystem::path& page : pages) {
    std::ifstream stream(page);
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
      const std::string link = text.substr(at + 2, text.find(')', at) - at - 2);
      if (!link.ends_with(".png")) continue;
      EXPECT_TRUE(std::filesystem::exists(page.parent_path() / link)) << page << " shows " << link;
      ++pictures;
    }
  }
  EXPECT_GT(pictures, 10);
}

}  // namespace
}  // namespace triscope
