// Tables and charts of a database as files, drawn by the code that draws the window.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "views/data/print_style.hpp"

namespace triscope {

struct ReportOptions {
  std::int64_t sweep = 0;          ///< 0: the newest
  std::filesystem::path database;  ///< empty: the user's own
  std::filesystem::path folder;    ///< created when absent, its parents are not; its files of the same names and kinds
                                   ///< are replaced. One that was created is removed when the report fails
  bool light = true;
  int width = 1200, height = 720;  ///< of each picture, before `scale`
  float scale = 2;
  PrintSize print_size;  ///< of SVG and PDF
};

struct WrittenReport {
  std::vector<std::filesystem::path> files;
  std::string passed_over;             ///< the sentence of `select_usable`
  std::vector<std::string> not_drawn;  ///< "latency: the table has no room": pictures for print that were refused
};

/// Writes window.png, and each panel of the sweep as PNG and, where it has numbers, as CSV, Markdown and LaTeX; of
/// each an SVG and a PDF too, where it shows something. Also report.html: the paper beside all sweeps of the
/// database (profiler/report), one file that loads nothing. Needs no display, OpenGL or GPU. Returns the files
/// written. Throws `Error`: no sweep, unreadable database, folder not writable.
WrittenReport write_report(const ReportOptions& options);

}  // namespace triscope
