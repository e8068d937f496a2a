#include "simulator/cluster/degree_model.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

constexpr int kClasses = 20'000;

/// Degree of the class whose vertices are `share` from the top, of a Pareto distribution cut off at
/// `largest`.
double degreeAt(double share, double least, double exponent, double largest) {
  const double a = 1 - exponent;  // of the cumulative distribution
  const double low = std::pow(least, a), high = std::pow(largest, a);
  return std::pow(high + share * (low - high), 1 / a);
}

template <class Each>
void eachClass(double least, double exponent, double largest, Each each) {
  for (int i = 0; i < kClasses; ++i) each(degreeAt((i + 0.5) / kClasses, least, exponent, largest));
}

double meanOf(double least, double exponent, double largest) {
  double sum = 0;
  eachClass(least, exponent, largest, [&](double degree) { sum += degree; });
  return sum / kClasses;
}

}  // namespace

ConsumerHistogram powerLawConsumers(std::int64_t vertices, std::int64_t arcs, double exponent,
                                    std::int64_t largest) {
  HALO_CHECK(exponent > 1);
  if (vertices == 0) return {};
  const double mean = static_cast<double>(arcs) / static_cast<double>(vertices);
  const auto most = static_cast<double>(largest);
  double low = 1e-3, high = std::max(most, low);
  if (mean <= meanOf(low, exponent, most) || mean >= most)
    return {{static_cast<std::int64_t>(std::llround(mean)), vertices}};
  for (int step = 0; step < 60; ++step) {
    const double middle = std::sqrt(low * high);
    (meanOf(middle, exponent, most) < mean ? low : high) = middle;
  }
  ConsumerHistogram consumers;
  std::int64_t given = 0;
  int done = 0;
  double rest = 0;  // of degrees that were rounded
  eachClass(low, exponent, most, [&](double degree) {
    const std::int64_t upTo = vertices * ++done / kClasses;
    const auto whole = static_cast<std::int64_t>(std::floor(degree + rest));
    rest += degree - static_cast<double>(whole);
    if (upTo > given) consumers[std::max<std::int64_t>(whole, 0)] += upTo - given;
    given = upTo;
  });
  return consumers;
}

}  // namespace halo::cluster
