#include "profiler/report/html.hpp"

#include "kernels/base/text/markup_text.hpp"
#include "kernels/base/text/plain_text.hpp"
#include "kernels/base/text/plus_minus.hpp"

namespace triscope {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5c6370; --line: #d5d8dd; --page: #ffffff;
  --a: #1f6fb2; --b: #c2571a; --good: #2e7d4f; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa2ad; --line: #3a3f47; --page: #16181c;
  --a: #64b0f0; --b: #f0975a; --good: #6fcf97; --bad: #f2857c; } }
body { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.4rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
h2 small { font-size: .8rem; font-weight: normal; color: var(--soft); margin-left: .4rem; }
nav small { color: var(--soft); display: inline-block; }
p.formula, pre.formula { font: 14px/1.5 ui-monospace, monospace; margin: .2rem 0 .2rem 1.5rem; }
pre.formula { white-space: pre-wrap; }
a { color: var(--a); text-decoration: none; } a:hover { text-decoration: underline; }
nav { columns: 3 13rem; margin: 1.2rem 0; font-size: 14px; } nav a { display: block; }
p.soft, figcaption, caption { color: var(--soft); } caption { text-align: left; padding-bottom: .3rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .8rem 0; font-size: 14px; }
th, td { padding: .15rem .7rem .15rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th.n, td.n { text-align: right; } td.n { white-space: nowrap; } th { vertical-align: bottom; }
figure { margin: 1rem 0; display: inline-block; } svg { max-width: 100%; height: auto; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; } svg .soft { fill: var(--soft); }
svg .grid { stroke: var(--line); stroke-width: 1; } svg .axis { stroke: var(--soft); stroke-width: 1; }
svg .a { stroke: var(--a); fill: var(--a); } svg .b { stroke: var(--b); fill: var(--b); }
svg .c { stroke: var(--soft); fill: var(--soft); }
svg polyline { fill: none !important; stroke-width: 1.8; } svg polygon { stroke: none !important; opacity: .16; }
svg .edge { stroke-width: 2; } svg .node { fill: var(--ink); } svg .cell { stroke: var(--line); stroke-width: 1; }
svg .frame { fill: none; stroke-width: 1.8; } svg .empty { fill: none; }
td.code { white-space: pre-wrap; font: 12px/1.5 ui-monospace, monospace; min-width: 22rem; }
td.n + td:not(.n), th.n + th:not(.n) { padding-left: .7rem; }
div.grids { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; align-items: flex-start; }
table.grid { font-size: 12px; margin: .2rem 0; } table.grid th { font-weight: normal; color: var(--soft); }
@page { margin: 14mm; }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --page: #fff; --a: #1f6fb2;
    --b: #c2571a; }
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; } table { font-size: 8.5pt; }
  div.wide { overflow: visible; } th, td { padding-right: .45rem; } td.code { font-size: 8pt; min-width: 0; }
  section { orphans: 1; widows: 1; } p { orphans: 2; widows: 2; }
  p.formula, pre.formula { font-size: 9pt; } figure:not(:has(figcaption)) svg { width: 86mm; }
  figure, tr, table.grid { break-inside: avoid; } h2, h3, caption { break-after: avoid; } svg { print-color-adjust: exact; } }
)";

}  // namespace

std::string html_text(std::string_view text) { return plus_minus(markup_text(plain_line(text))); }

std::string html_table(const HtmlTable& table) {
  const auto row = [&](const std::vector<std::string>& cells, const char* tag) {
    std::string out = "<tr>";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out +=
          std::string("<") + tag + (table.numeric[i] ? " class=\"n\">" : ">") + html_text(cells[i]) + "</" + tag + ">";
    }
    return out + "</tr>\n";
  };
  std::string out = "<div class=\"wide\"><table>\n";
  if (!table.caption.empty()) out += "<caption>" + html_text(table.caption) + "</caption>\n";
  out += "<thead>" + row(table.header, "th") + "</thead>\n<tbody>\n";
  for (const auto& cells : table.rows) out += row(cells, "td");
  return out + "</tbody></table></div>\n";
}

std::string html_page(std::string_view title, std::string_view body) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n";
  out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\" />\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n<title>" + html_text(title);
  out += "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<h1>" + html_text(title) + "</h1>\n";
  return out + std::string(body) + "</body>\n</html>\n";
}

}  // namespace triscope
