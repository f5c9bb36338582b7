#include "kernels/base/files/output_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "kernels/base/error.hpp"
#include "kernels/base/files/atomic_file.hpp"
#include "tests/temporary_folder.hpp"

namespace triscope {
namespace {

using testing::HasSubstr;

/// Why `file` is refused; empty when it is not.
std::string refusal(const std::filesystem::path& file, FileKind kind) {
  try {
    require_output(file, kind, "-o");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void put(const std::filesystem::path& file, std::string_view bytes) { std::ofstream(file, std::ios::binary) << bytes; }

TEST(OutputFile, a_new_file_is_named_as_its_kind_or_has_no_ending) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(folder / "x.png", FileKind::picture), "");
  EXPECT_EQ(refusal(folder / "x.PNG", FileKind::picture), "");
  EXPECT_EQ(refusal(folder / "x", FileKind::csv), "");
  EXPECT_EQ(refusal(folder / "x.txt", FileKind::markdown), "");
  EXPECT_THAT(refusal(folder / "x.jpg", FileKind::picture), HasSubstr("-o writes a PNG picture"));
  EXPECT_THAT(refusal(folder / "x.json", FileKind::csv), HasSubstr("name a file that ends in .csv or .txt"));
  EXPECT_THAT(refusal(folder / "x.png", FileKind::database), HasSubstr("a database"));
  EXPECT_THAT(refusal(folder / "no" / "x.png", FileKind::picture), HasSubstr("create the folder first"));
  EXPECT_FALSE(std::filesystem::exists(folder / "no"));
  EXPECT_THAT(refusal(folder.path(), FileKind::picture), HasSubstr("it is a folder"));
  EXPECT_EQ(refusal("/dev/null", FileKind::picture), "");
}

TEST(OutputFile, what_is_there_is_replaced_only_by_its_own_kind) {
  const TemporaryFolder folder;
  put(folder / "photo.png", "\xff\xd8\xff\xe0 a JPEG under another name");
  EXPECT_THAT(refusal(folder / "photo.png", FileKind::picture), HasSubstr("it is not a PNG picture"));
  put(folder / "picture.png", "\x89PNG\r\n\x1a\n...");
  EXPECT_EQ(refusal(folder / "picture.png", FileKind::picture), "");
  put(folder / "drawing.svg", "a drawing of somebody");
  EXPECT_THAT(refusal(folder / "drawing.svg", FileKind::svg), HasSubstr("it is not an SVG picture"));
  put(folder / "page.svg", "<html><body><svg></svg></body></html>");
  EXPECT_THAT(refusal(folder / "page.svg", FileKind::svg), HasSubstr("it is not an SVG picture"));
  put(folder / "ours.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
  EXPECT_EQ(refusal(folder / "ours.svg", FileKind::svg), "");
  put(folder / "xml.svg", "<?xml version=\"1.0\"?>\n<svg/>");
  EXPECT_EQ(refusal(folder / "xml.svg", FileKind::svg), "");
  put(folder / "letter.pdf", "Dear all,\n");
  EXPECT_THAT(refusal(folder / "letter.pdf", FileKind::pdf), HasSubstr("it is not a PDF"));
  put(folder / "ours.pdf", "%PDF-1.6\n");
  EXPECT_EQ(refusal(folder / "ours.pdf", FileKind::pdf), "");
  put(folder / "Makefile", "all:\n");
  EXPECT_THAT(refusal(folder / "Makefile", FileKind::csv), HasSubstr("it is there already"));
  put(folder / "thesis.tex", "\\documentclass{article}\n");
  EXPECT_THAT(refusal(folder / "thesis.tex", FileKind::csv), HasSubstr("it is not a CSV table"));
  put(folder / "notes.txt", "Call her, buy milk.\n");
  EXPECT_THAT(refusal(folder / "notes.txt", FileKind::csv), HasSubstr("does not say of what kind it is"));
  put(folder / "empty.txt", "");
  EXPECT_EQ(refusal(folder / "empty.txt", FileKind::csv), "");
  for (const auto& [name, kind] : {std::pair("my.csv", FileKind::csv),
                                   {"my.md", FileKind::markdown},
                                   {"my.tex", FileKind::latex},
                                   {"my.json", FileKind::json},
                                   {"my.html", FileKind::page},
                                   {"my.htm", FileKind::page}}) {
    put(folder / name, "my data\n");
    EXPECT_THAT(refusal(folder / name, kind), HasSubstr("it is there already")) << name;
  }
  put(folder / "my.tex", "\\documentclass{article}\n");
  EXPECT_THAT(refusal(folder / "my.tex", FileKind::latex), HasSubstr("it is not a LaTeX table"));
  put(folder / "my.md", "# Notes\n\n| a | b |\n");
  EXPECT_THAT(refusal(folder / "my.md", FileKind::markdown), HasSubstr("it is not a Markdown table"));
  put(folder / "one.csv", "kernel\ncpu.fast\n");
  EXPECT_EQ(refusal(folder / "one.csv", FileKind::csv), "") << "a table of one column";
  put(folder / "t.md", std::string(700, 'x') + ".\n\n| a | b |\n");
  EXPECT_EQ(refusal(folder / "t.md", FileKind::markdown), "") << "a table below a sentence";
  put(folder / "t.tex", "% needs \\usepackage{booktabs}\n\\begin{tabular}{ll}\n");
  EXPECT_EQ(refusal(folder / "t.tex", FileKind::latex), "");
  put(folder / "t.json", "[\n {}\n]\n");
  EXPECT_EQ(refusal(folder / "t.json", FileKind::json), "");
  put(folder / "t.html", "\xEF\xBB\xBF\n<!doctype html>\n");
  EXPECT_EQ(refusal(folder / "t.html", FileKind::page), "");
  put(folder / "table.csv", "a,b\n");
  EXPECT_EQ(refusal(folder / "table.csv", FileKind::csv), "");
  EXPECT_THAT(refusal(folder / "table.csv", FileKind::database), HasSubstr("it is not a database"));
  put(folder / "empty.db", "");
  EXPECT_EQ(refusal(folder / "empty.db", FileKind::database), "");
  std::filesystem::create_symlink("thesis.tex", folder / "link.csv");
  put(folder / "thesis.tex", std::string_view("\0\1\2", 3));
  EXPECT_THAT(refusal(folder / "link.csv", FileKind::csv), HasSubstr("it is not a CSV table"));
}

TEST(OutputFile, links_in_a_circle_are_refused_and_stay) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("b.csv", folder / "a.csv");
  std::filesystem::create_symlink("a.csv", folder / "b.csv");
  std::filesystem::create_symlink("self.db", folder / "self.db");
  EXPECT_THAT(refusal(folder / "a.csv", FileKind::csv), HasSubstr("lead to each other"));
  EXPECT_THAT(refusal(folder / "self.db", FileKind::database), HasSubstr("lead to each other"));
  EXPECT_THROW(write_whole_file(folder / "a.csv", "a,b\n"), Error);
  EXPECT_EQ(std::filesystem::read_symlink(folder / "a.csv"), "b.csv");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 3) << "nothing beside them";
}

TEST(OutputFile, what_belongs_to_a_database_is_never_written) {
  const TemporaryFolder folder;
  for (const char* name : {"x.db-wal", "x.db-shm", "x.db-journal", "x.db.sweep3.lock", "x.db.0123.spool"}) {
    put(folder / name, "rows");
    EXPECT_THAT(refusal(folder / name, FileKind::csv), HasSubstr("belong to the database")) << name;
    EXPECT_THAT(refusal(folder / name, FileKind::database), HasSubstr("belong to the database")) << name;
    EXPECT_THROW(write_whole_file(folder / name, "a,b\n"), Error) << name;
    EXPECT_EQ(std::filesystem::file_size(folder / name), 4U) << name;
  }
  for (const char* folder_name : {"new.db-journal/", "new.db-wal/.", "new.db.lock//"}) {
    EXPECT_THROW(refuse_database_files(folder / folder_name, folder / folder_name), Error) << folder_name;
  }
  std::filesystem::create_symlink("x.db-wal", folder / "link.csv");
  EXPECT_THROW(write_whole_file(folder / "link.csv", "a,b\n"), Error);
  put(folder / "data", std::string_view("SQLite format 3\0 and so on", 26));
  EXPECT_THAT(refusal(folder / "data", FileKind::csv), HasSubstr("it is a database"));
  EXPECT_EQ(refusal(folder / "data", FileKind::database), "");
}

TEST(OutputFile, a_replaced_file_keeps_its_mode) {
  const TemporaryFolder folder;
  const auto mode = [&] {
    struct stat facts {};
    ::stat((folder / "a.csv").c_str(), &facts);
    return facts.st_mode & 07777U;
  };
  put(folder / "a.csv", "old");
  for (const mode_t kept : {0600U, 0664U}) {
    ASSERT_EQ(::chmod((folder / "a.csv").c_str(), kept), 0);
    write_whole_file(folder / "a.csv", "new");
    EXPECT_EQ(mode(), kept);
  }
}

}  // namespace
}  // namespace triscope
