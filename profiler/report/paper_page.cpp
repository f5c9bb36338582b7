#include "profiler/report/paper_page.hpp"

#include "profiler/report/html.hpp"
#include "profiler/report/sections.hpp"

namespace triscope {

std::string paper_page(const PaperPageInput& input) {
  std::string body =
      report::paragraph("Fast and Simplex: 2-Simplicial Attention in Triton, beside the measurements in " +
                        (input.database.empty() ? "no database" : input.database) + ".");
  body += report::the_operator(input) + report::turning();
  body += report::table1(input) + report::lengths(input);
  if (!input.tiles.empty()) body += report::tiles(input);
  body += report::steps();
  body += report::losses() + report::scaling();
  body += report::layers(input) + report::rotation_section() + report::match3_section() + report::all_errata();
  return html_page("2-simplicial attention: the paper and this machine", body);
}

}  // namespace triscope
