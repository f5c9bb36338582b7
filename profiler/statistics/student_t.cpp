#include "profiler/statistics/student_t.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

#include "kernels/base/error.hpp"

namespace triscope {
namespace {

namespace math = boost::math;

// Computed in double, which gives the same 12 digits as long double in a quarter of the time. A quantile beyond the
// largest double is infinite: the interval made of it is unbounded.
using Policy = math::policies::policy<math::policies::promote_double<false>,
                                      math::policies::overflow_error<math::policies::ignore_error>>;

void check_domain(double probability, double degrees) {
  if (probability > 0 && probability < 1 && degrees > 0) return;
  throw Error("cannot compute a quantile", "the probability must lie in (0, 1) and the degrees of freedom above 0",
              "report this as a defect of triscope", ExitCode::measured_failed);
}

}  // namespace

double t_quantile(double probability, double degrees) {
  check_domain(probability, degrees);
  return math::quantile(math::students_t_distribution<double, Policy>(degrees), probability);
}

double t_upper_tail(double t, double degrees) {
  check_domain(0.5, degrees);
  return math::cdf(math::complement(math::students_t_distribution<double, Policy>(degrees), t));
}

double normal_quantile(double probability) {
  check_domain(probability, 1);
  return math::quantile(math::normal_distribution<double, Policy>(), probability);
}

double digamma(double x) { return math::digamma(x, Policy()); }
double trigamma(double x) { return math::trigamma(x, Policy()); }

}  // namespace triscope
