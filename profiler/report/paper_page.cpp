#include "profiler/report/paper_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"

namespace triscope {
namespace {

/// Links to the sections of `body`, in their order, with their numbers in the paper.
std::string contents(const std::string& body) {
  constexpr std::string_view kBegin = "<h2>", kEnd = "</h2>";
  std::string links;
  for (std::size_t at = body.find(kBegin); at != std::string::npos; at = body.find(kBegin, at)) {
    at += kBegin.size();
    const std::string heading = body.substr(at, body.find(kEnd, at) - at);
    const std::size_t numbers = std::min(heading.find(" <small>"), heading.size());
    links += report::link(heading.substr(0, numbers), heading.substr(numbers)) + "\n";
  }
  return "<nav>\n" + links + "</nav>\n";
}

}  // namespace

std::string paper_page(const PaperPageInput& input) {
  std::string head =
      report::paragraph("Fast and Simplex: 2-Simplicial Attention in Triton, " +
                        (input.database.empty() ? "without measurements"
                                                : "beside the measurements in " + input.database +
                                                      (input.device.empty() ? "" : " on " + input.device)) +
                        ".");
  if (!input.other_devices.empty())
    head += report::paragraph(fmt::format(
        "The database also has rows of {}. They are not on this page; triscope report with one of their sweeps shows "
        "them.",
        fmt::join(input.other_devices, ", ")));
  std::string body = report::the_operator(input) + report::rotation_section();
  body += report::table1(input) + report::lengths(input);
  if (!input.tiles.empty()) body += report::tiles(input);
  body += report::steps();
  body += report::losses() + report::scaling();
  body += report::layers(input) + report::match3_section() + report::all_errata();
  return html_page("2-simplicial attention: the paper and this machine", head + contents(body) + body);
}

}  // namespace triscope
