#pragma once

#include <cmath>

namespace halo {

/// Power law of degrees on [least, most] whose mean is as asked: p(d) ~ d^−exponent, least found by
/// bisection.
class PowerLaw {
 public:
  PowerLaw(double mean, double most, double exponent) : slope_(exponent - 1) {
    double low = mean * 1e-6, high = mean;
    for (int step = 0; step < 200; ++step) {  // the mean grows with the least value
      least_ = (low + high) / 2;
      cut_ = 1 - std::pow(least_ / most, slope_);
      (meanValue(most) < mean ? low : high) = least_;
    }
  }
  /// The degree that this share of the vertices does not exceed.
  double quantile(double share) const { return least_ * std::pow(1 - share * cut_, -1 / slope_); }
  /// What this share of the vertices, those with the most, has of all degrees.
  double topShare(double share) const {
    const double end = 1 - cut_, power = 1 - 1 / slope_;  // of the vertex with the most, of the integral
    const auto upTo = [&](double t) {
      return std::abs(power) < 1e-9 ? std::log(t) : std::pow(t, power) / power;
    };
    return (upTo(end + share * cut_) - upTo(end)) / (upTo(1) - upTo(end));
  }

 private:
  double meanValue(double most) const {
    if (std::abs(slope_ - 1) < 1e-9) return least_ * std::log(most / least_) / cut_;
    return least_ * slope_ / (slope_ - 1) * (1 - std::pow(least_ / most, slope_ - 1)) / cut_;
  }
  double slope_, least_ = 0, cut_ = 0;
};

}  // namespace halo
