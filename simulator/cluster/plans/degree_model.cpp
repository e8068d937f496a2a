#include "simulator/cluster/plans/degree_model.h"

#include <algorithm>
#include <cmath>

#include "engine/base/check.h"

namespace halo::cluster {
namespace {

constexpr int kClasses = 4000;

/// Degree of the class whose vertices are `share` from the top, of a Pareto distribution cut off at
/// `largest`.
double degreeAt(double share, double least, double exponent, double largest) {
  const double a = 1 - exponent;  // of the cumulative distribution
  const double low = std::pow(least, a), high = std::pow(largest, a);
  return std::pow(high + share * (low - high), 1 / a);
}

/// Calls each(degree, vertices) for classes of vertices by degree: the few of high degree one by one, and
/// more and more in a class below.
template <class Each>
void eachClass(std::int64_t vertices, double least, double exponent, double largest, Each each) {
  const auto all = static_cast<double>(vertices);
  std::int64_t classBegin = 0;
  for (int i = 0; i <= kClasses; ++i) {
    const auto upTo =
        std::min<std::int64_t>(vertices, std::llround(std::pow(all, static_cast<double>(i) / kClasses)));
    if (upTo <= classBegin) continue;
    each(degreeAt(static_cast<double>(classBegin + upTo) / 2 / all, least, exponent, largest),
         upTo - classBegin);
    classBegin = upTo;
  }
}

double meanOf(std::int64_t vertices, double least, double exponent, double largest) {
  double sum = 0;
  eachClass(vertices, least, exponent, largest,
            [&](double degree, std::int64_t count) { sum += degree * static_cast<double>(count); });
  return sum / static_cast<double>(vertices);
}

}  // namespace

ConsumerHistogram powerLawConsumers(std::int64_t vertices, std::int64_t arcs, double exponent,
                                    std::int64_t largest) {
  HALO_CHECK(exponent > 1);
  if (vertices == 0) return {};
  const double mean = static_cast<double>(arcs) / static_cast<double>(vertices);
  const auto most = static_cast<double>(largest);
  double low = 1e-3, high = std::max(most, low);
  if (mean <= meanOf(vertices, low, exponent, most) || mean >= most)
    return {{static_cast<std::int64_t>(std::llround(mean)), vertices}};
  for (int step = 0; step < 60; ++step) {
    const double middle = std::sqrt(low * high);
    (meanOf(vertices, middle, exponent, most) < mean ? low : high) = middle;
  }
  ConsumerHistogram consumers;
  double arcsLeft = 0;  // of degrees that were rounded
  eachClass(vertices, low, exponent, most, [&](double degree, std::int64_t count) {
    const double exactArcs = degree * static_cast<double>(count) + arcsLeft;
    const auto roundedDegree =
        std::max<std::int64_t>(0, std::llround(exactArcs / static_cast<double>(count)));
    arcsLeft = exactArcs - static_cast<double>(roundedDegree) * static_cast<double>(count);
    consumers[roundedDegree] += count;
  });
  return consumers;
}

}  // namespace halo::cluster
