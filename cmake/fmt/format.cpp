// fmt, compiled once. Debian ships fmt as headers and as a shared library, and our programs link no shared library that
// a bare compute node lacks. Compiling it in every file, as fmt::fmt-header-only does, costs 5 s of CPU a file.
// Most of it comes with the include. The three templates below are declared in fmt/format.h and defined there nowhere;
// our programs do not link without any of them. At -O3 the second would be inlined into the first and not be left for
// others.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto thousands_sep_impl(locale_ref locale) -> thousands_sep_result<char>;
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto decimal_point_impl(locale_ref locale) -> char;

}  // namespace detail
FMT_END_NAMESPACE
