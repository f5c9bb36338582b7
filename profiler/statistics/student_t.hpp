// Quantiles of Student's t and of the normal distribution.
#pragma once

namespace triscope {

/// P(T <= t) for Student's t with `degrees` > 0 degrees of freedom (any real number).
double t_cdf(double t, double degrees);

/// The t with P(T <= t) = `probability`, for `probability` in (0, 1) and `degrees` > 0; relative error below 1e-9.
/// Throws `Error` outside that domain.
double t_quantile(double probability, double degrees);

/// The x with P(X <= x) = `probability` for a standard normal X, `probability` in (0, 1).
double normal_quantile(double probability);

}  // namespace triscope
