// Quantiles of Student's t and of the normal distribution, derivatives of the gamma function. By Boost.Math, whose
// headers are slow to compile: only the source includes them.
#pragma once

namespace triscope {

/// The t with P(T <= t) = `probability` for Student's t with `degrees` degrees of freedom (any real number above 0) and
/// `probability` in (0, 1); relative error below 1e-9. Throws `Error` outside that domain.
double t_quantile(double probability, double degrees);

/// P(T > t) for the same distribution, `t` any finite number.
double t_upper_tail(double t, double degrees);

/// The x with P(X <= x) = `probability` for a standard normal X, `probability` in (0, 1).
double normal_quantile(double probability);

/// First and second derivative of the logarithm of the gamma function, `x` above 0.
double digamma(double x);
double trigamma(double x);

}  // namespace triscope
