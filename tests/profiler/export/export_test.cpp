// What is exported reads back as what was stored; hostile text breaks no format.
#include "profiler/export/export.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "profiler/export/text_table.hpp"
#include "tests/profiler/supervise/child_process.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;
namespace fs = std::filesystem;

constexpr char kHostile[] = "a,b \"quoted\"\r\nline & | \\ _x_ {y} $5 #1 ~ ^ 100 % <tag> äöü";

ResultRow row_of(std::int64_t id) {
  ResultRow row;
  row.measurement = id;
  row.sweep = 1;
  row.started = "2026-01-02T03:04:05Z";
  row.device = "NVIDIA H200";
  row.kernel = "cuda.hopper";
  row.instance = "128x128";
  row.problem.seq_len = 32'768;
  row.median_ms = 0.1 + 0.2;
  row.ci_low_ms = std::nextafter(0.3, 0.0);
  row.samples = 12;
  row.tflops = 1.0 / 3.0;
  row.reason = kHostile;
  return row;
}

// A reader of RFC 4180, written from its rules.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> line{""};
  bool quoted = false;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const char c = text[n];
    if (quoted && c == '"' && n + 1 < text.size() && text[n + 1] == '"')
      line.back() += text[n++];
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == ',')
      line.emplace_back();
    else if (!quoted && c == '\n') {
      lines.push_back(line);
      line = {""};
    } else {
      line.back() += c;
    }
  }
  EXPECT_FALSE(quoted);
  EXPECT_THAT(line, ElementsAre(""));
  return lines;
}

std::size_t index_of(std::string_view id) {
  return static_cast<std::size_t>(find_result_column(id) - result_columns().data());
}

TEST(ExportCsv, reads_back_exactly) {
  const std::vector<ResultRow> rows = {row_of(1), row_of(2)};
  const auto lines = parse_csv(export_rows(rows, ExportFormat::csv));
  ASSERT_THAT(lines, SizeIs(3));
  for (const auto& line : lines) EXPECT_THAT(line, SizeIs(result_columns().size()));
  for (std::size_t n = 0; n < result_columns().size(); ++n) EXPECT_EQ(lines[0][n], result_columns()[n].id);
  EXPECT_EQ(lines[2][index_of("measurement")], "2");
  EXPECT_EQ(lines[1][index_of("reason")], std::regex_replace(kHostile, std::regex("\r\n"), "\n"));
  EXPECT_EQ(std::stod(lines[1][index_of("median_ms")]), 0.1 + 0.2);
  EXPECT_EQ(std::stod(lines[1][index_of("ci_low_ms")]), std::nextafter(0.3, 0.0));
  EXPECT_EQ(std::stod(lines[1][index_of("tflops")]), 1.0 / 3.0);
  EXPECT_EQ(lines[1][index_of("ci_high_ms")], "");
}

TEST(ExportJson, reads_back_exactly_with_null_for_what_is_not_known) {
  ResultRow odd = row_of(3);
  odd.error = std::numeric_limits<double>::quiet_NaN();
  odd.reason = "broken \xff\xfe bytes";
  const std::vector<ResultRow> rows = {row_of(1), odd};
  const auto json = nlohmann::json::parse(export_rows(rows, ExportFormat::json));
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0].size(), result_columns().size());
  EXPECT_EQ(json[0]["measurement"], 1);
  EXPECT_EQ(json[0]["reason"], kHostile);
  EXPECT_EQ(json[0]["median_ms"].get<double>(), 0.1 + 0.2);
  EXPECT_TRUE(json[0]["ci_high_ms"].is_null());
  EXPECT_EQ(json[0]["deterministic"], 0);
  EXPECT_TRUE(json[1]["error"].is_null());
  EXPECT_THAT(json[1]["reason"].get<std::string>(), HasSubstr("broken"));
}

TEST(ExportMarkdown, is_one_line_a_row_with_no_cell_broken) {
  ResultRow row = row_of(1);
  row.kernel = "a|b\n_c_";
  const std::string text = export_rows(std::vector{row}, ExportFormat::md);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("| a\\|b \\_c\\_ |"));
  EXPECT_THAT(text, HasSubstr("| median, ms |"));
  EXPECT_THAT(text, HasSubstr("| 0.3000 |"));
  EXPECT_THAT(text, HasSubstr("---: |"));
}

TEST(Export, power_energy_and_limiter_are_in_every_format_where_a_row_has_them) {
  ResultRow row = row_of(1);
  row.power_w.reset();
  row.sm_clock_mhz = row.joules = row.joules_per_tflop = std::nullopt;
  row.limiter.clear();
  EXPECT_THAT(export_rows(std::vector{row}, ExportFormat::md), testing::Not(HasSubstr("W |"))) << "a CPU's";
  row.power_w = 717;
  row.sm_clock_mhz = 1710;
  row.joules = 17.25;
  row.joules_per_tflop = 1.0625;
  row.limiter = "sw_power_cap";
  for (const ExportFormat format : {ExportFormat::csv, ExportFormat::json, ExportFormat::md, ExportFormat::latex}) {
    const std::string text = export_rows(std::vector{row_of(2), row}, format);
    for (const char* part : {"717", "17", "cap"}) EXPECT_THAT(text, HasSubstr(part)) << to_string(format);
    EXPECT_THAT(text, testing::ContainsRegex("1[,.]?710")) << to_string(format);
    EXPECT_THAT(text, testing::ContainsRegex("1\\.06")) << to_string(format);
  }
  const std::string table = export_latency_table(make_latency_table(std::vector{row}), ExportFormat::csv);
  for (const char* part : {"power_w", "joules_per_tflop", "limiter", "sw_power_cap", "1.0625"})
    EXPECT_THAT(table, HasSubstr(part));
}

TEST(Export, a_burst_has_no_energy_since_its_power_has_the_pauses_in_it) {
  ResultRow row = row_of(1);
  row.power_w = 717.5;
  row.joules = 17.25;
  row.joules_per_tflop = 1.0625;
  for (const Regime regime : {Regime::sustained, Regime::burst}) {
    row.regime = regime;
    const bool energy = regime == Regime::sustained;
    const std::string rows = export_rows(std::vector{row}, ExportFormat::csv),
                      table = export_latency_table(make_latency_table(std::vector{row}), ExportFormat::csv);
    for (const std::string& text : {rows, table}) {
      EXPECT_THAT(text, HasSubstr("717.5"));
      for (const char* value : {"17.25", "1.0625"}) EXPECT_EQ(text.find(value) != std::string::npos, energy) << text;
    }
  }
}

TEST(ExportLatex, escapes_what_latex_reads_as_syntax) {
  const std::vector<const ResultColumn*> columns = {find_result_column("reason"), find_result_column("peak_fraction")};
  const std::string text = export_rows(std::vector{row_of(1)}, ExportFormat::latex, columns);
  EXPECT_THAT(text, HasSubstr("\\begin{tabular}{ll}"));
  EXPECT_THAT(text, HasSubstr("of peak, \\% \\\\"));
  EXPECT_THAT(text,
              HasSubstr("a,b \"quoted\"  line \\& | \\textbackslash{} \\_x\\_ \\{y\\} \\$5 \\#1 \\textasciitilde{} "
                        "\\textasciicircum{} 100 \\% \\textless{}tag\\textgreater{}"));
}

TEST(ExportCsv, formulas_after_blanks_and_with_full_width_signs_are_text) {
  for (const char* formula : {"=1+1", " =1+1", "\n=1+1",
                              "\xef\xbc\x9d"
                              "1+1",
                              "@x"})
    EXPECT_THAT(escape_text(formula, TableFormat::tsv), testing::StartsWith("'")) << formula;
  for (const char* plain : {"-5", "+1.5e3 %", "a=b", ""}) EXPECT_EQ(escape_text(plain, TableFormat::tsv), plain);
}

TEST(ExportLatex, a_first_cell_is_no_argument_of_the_line_break_before_it) {
  EXPECT_THAT(write_table({{"a"}, {false}, {{"[9pt]x"}, {"*"}}}, TableFormat::latex),
              HasSubstr("\\midrule\n{[}9pt]x \\\\\n{*} \\\\\n"));
}

TEST(Export, no_rows_leave_the_header) {
  EXPECT_EQ(export_rows({}, ExportFormat::json), "[]\n");
  EXPECT_THAT(parse_csv(export_rows({}, ExportFormat::csv)), SizeIs(1));
  EXPECT_THAT(export_rows({}, ExportFormat::md), HasSubstr("| kernel |"));
  EXPECT_THAT(export_rows({}, ExportFormat::latex), HasSubstr("\\end{tabular}"));
}

TEST(Export, format_names_round_trip) {
  for (const ExportFormat format : {ExportFormat::csv, ExportFormat::json, ExportFormat::md, ExportFormat::latex}) {
    EXPECT_EQ(parse_export_format(to_string(format)), format);
  }
  EXPECT_EQ(parse_export_format("xml"), std::nullopt);
}

TEST(WholeFile, replaces_the_whole_file_or_nothing) {
  TemporaryFolder folder;
  write_whole_file(folder / "a.csv", "first");
  write_whole_file(folder / "a.csv", "second");
  std::ifstream in(folder / "a.csv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  EXPECT_THROW(write_whole_file(folder / "no/such/folder.csv", "x"), Error);
}

TEST(WholeFile, writes_through_links_fifos_and_devices) {
  TemporaryFolder folder;
  const auto text_of = [](const fs::path& file) {
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  fs::create_directory(folder / "real");
  fs::create_symlink("real/target.csv", folder / "link.csv");
  for (const char* text : {"made", "replaced"}) {
    write_whole_file(folder / "link.csv", text);
    EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
    EXPECT_EQ(text_of(folder / "real" / "target.csv"), text);
  }
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const int reader = ::open((folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK);
  write_whole_file(folder / "fifo", "through");
  char received[16] = "";
  EXPECT_EQ(::read(reader, received, sizeof received), 7);
  EXPECT_STREQ(received, "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(folder / "fifo"));
  write_whole_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_whole_file("/dev/full", "text"), Error);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_THROW(write_whole_file(folder / "real", "text"), Error);
}

TEST(WholeFile, appends_to_an_open_descriptor) {
  TemporaryFolder folder;
  const int descriptor = ::open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(descriptor, "first ", 6), 6);
  write_whole_file("/dev/fd/" + std::to_string(descriptor), "second");
  ::close(descriptor);
  std::ifstream in(folder / "out");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "first second");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
}

TEST(WholeFile, a_full_disk_leaves_the_old_file) {
  TemporaryFolder folder;
  const std::string answer = in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return "skip: no mount namespace";
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) return "skip: no rights to mount a tmpfs";
    write_whole_file(folder / "a.csv", "kept");
    std::string error = "no error";
    try {
      write_whole_file(folder / "a.csv", std::string(200'000, 'x'));
    } catch (const Error& e) {
      error = e.what();
    }
    std::ifstream in(folder / "a.csv");
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    const auto files = std::distance(fs::directory_iterator(folder.path()), {});
    return content + " " + std::to_string(files) + " " + error;
  });
  if (answer.starts_with("skip")) GTEST_SKIP() << answer;
  EXPECT_THAT(answer, StartsWith("kept 1 "));
  EXPECT_THAT(answer, HasSubstr("No space left"));
}

}  // namespace
}  // namespace triscope
