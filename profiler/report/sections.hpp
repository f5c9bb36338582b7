// The sections of the paper's page, each as HTML.
#pragma once

#include <string>
#include <string_view>

#include "profiler/report/page_input.hpp"

namespace triscope::report {

/// A heading and what stands below it. Its name in links: "Scaling laws" is #scaling-laws. `page`: that of the window
/// (`PartName`), whose numbers in the paper stand beside the heading: "Tables 3 and 4".
std::string section(const std::string& heading, const std::string& body, std::string_view page = {});
std::string link_name(const std::string& heading);
/// A link to the section with this heading; `after`, HTML, stands in it behind the heading.
std::string link(const std::string& heading, const std::string& after = {});
std::string subheading(const std::string& text);
std::string paragraph(const std::string& text);
/// A formula on a line of its own.
std::string formula(const std::string& text);
/// A part of what the paper writes (`find_written_part`), with a heading of its own.
std::string written(std::string_view id);
std::string figure(const std::string& svg, const std::string& caption);

std::string the_operator(const PaperPageInput& input);
std::string steps();
/// What rotations do to both forms, and what a rotary prologue costs where that was measured.
std::string rotation_section();
std::string table1(const PaperPageInput& input);
std::string lengths(const PaperPageInput& input);
std::string losses();
std::string scaling();
std::string tiles(const PaperPageInput& input);
std::string layers(const PaperPageInput& input);
/// Theorem 1 on a list of numbers, its bound, and a dot-product head beside it.
std::string match3_section();
std::string all_errata();

}  // namespace triscope::report
