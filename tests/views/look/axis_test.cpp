#include "views/look/axis.h"

#include "views/figure/figure_scale.h"

#include <QStringList>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

using halo::linearTicks;
using halo::logTicks;
using halo::TimeScale;
using halo::timeTicks;

TEST_CASE("linear ticks are round, ascending and within their range", "[views][axis]") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-6, 6);
  for (int i = 0; i < 500; ++i) {
    const double low = std::pow(10, exponent(random)) * (i % 2 ? -1 : 1);
    const double high = low + std::pow(10, exponent(random));
    CAPTURE(low, high);
    const auto ticks = linearTicks(low, high, 6);
    REQUIRE(ticks.size() >= 2);
    CHECK(ticks.size() <= 16);
    const double slack = (high - low) * 1e-6;
    std::set<QString> labels;
    for (std::size_t t = 0; t < ticks.size(); ++t) {
      CHECK(ticks[t].value >= low - slack);
      CHECK(ticks[t].value <= high + slack);
      if (t > 0) CHECK(ticks[t].value > ticks[t - 1].value);
      CHECK_FALSE(ticks[t].label.isEmpty());
    }
  }
}

TEST_CASE("all labels of an axis have one unit and differ", "[views][axis]") {
  for (const double high : {9'000.0, 9'999.0, 10'000.0, 12'345.0, 64'000.0, 999'999.0, 3e6, 7.5e9}) {
    std::set<QString> units, labels;
    std::size_t ticks = 0;
    for (const halo::Tick& tick : linearTicks(0, high, 6)) {
      ++ticks;
      labels.insert(tick.label);
      if (tick.value > 0) units.insert(tick.label.section(QChar(0x00A0), 1));
    }
    CAPTURE(high);
    CHECK(units.size() == 1);
    CHECK(labels.size() == ticks);
  }
}

TEST_CASE("an axis has powers of ten before it has sixteen digits", "[views][axis]") {
  const auto labels = [](double low, double high) {
    QStringList all;
    for (const halo::Tick& tick : linearTicks(low, high, 4)) all << tick.label;
    return all.join(" | ").replace(QChar(0x00A0), ' ').toStdString();
  };
  CHECK(labels(0, 2e28) == "0 | 0.5 × 10²⁸ | 1.0 × 10²⁸ | 1.5 × 10²⁸ | 2.0 × 10²⁸");
  CHECK(labels(-1e15, 1e15) == "−1.0 × 10¹⁵ | −0.5 × 10¹⁵ | 0 | 0.5 × 10¹⁵ | 1.0 × 10¹⁵");
  CHECK(labels(0, 4e-7) == "0 | 10⁻⁷ | 2 × 10⁻⁷ | 3 × 10⁻⁷ | 4 × 10⁻⁷");
  CHECK(labels(0, 8e14) == "0 | 200 T | 400 T | 600 T | 800 T");
  for (const double high : {1.7e308, 9.99e15, 1e15, 1.65e28, 3e-300})
    for (const double low : {0.0, -high, high / 3}) {
      CAPTURE(low, high);
      std::set<QString> different;
      const auto ticks = linearTicks(low, high, 6);
      for (const halo::Tick& tick : ticks) {
        CHECK(tick.label.size() < 16);
        different.insert(tick.label);
      }
      CHECK(ticks.size() >= 2);
      CHECK(different.size() == ticks.size());
    }
}

TEST_CASE("numbers that hardly differ have an axis, and not one of endless ticks", "[views][axis]") {
  for (const double value : {0.6931471805599453, 1.65e28, 1e300}) {
    const double next = std::nextafter(value, INFINITY);
    CHECK(linearTicks(value, next, 6).size() == 2);
    double low = value, high = next;
    halo::niceRange(low, high, false, 6);
    CHECK(high - low > value * 0.1);
  }
}

TEST_CASE("a point or a reversed range has one or no tick", "[views][axis]") {
  CHECK(linearTicks(3, 3, 5).size() == 1);
  CHECK(linearTicks(3, 2, 5).empty());
  CHECK(linearTicks(0, std::nan(""), 5).empty());
  CHECK(logTicks(0, 10).empty());
  CHECK(timeTicks(5, 5, 100, 50).empty());
}

TEST_CASE("logarithmic ticks are powers of ten, or 1-2-5 where the range is short", "[views][axis]") {
  const auto wide = logTicks(1, 1000);
  int major = 0;
  for (const auto& tick : wide) major += tick.major;
  CHECK(major == 4);
  const auto label = [](double low, double high) { return logTicks(low, high).front().label.toStdString(); };
  CHECK(label(0.01, 1) == "0.01");
  CHECK(label(100, 1e5) == "100");
  CHECK(label(1e13, 1e15) == "10\u00a0T");
  CHECK(label(1e-6, 1) == "10⁻⁶");
  CHECK(label(1e15, 1e20) == "10¹⁵");
  CHECK(label(1e-5, 3e-5) == "10⁻⁵");
  const auto narrow = logTicks(1.5, 8);
  REQUIRE(narrow.size() == 2);
  CHECK(narrow[0].value == Approx(2));
  CHECK(narrow[0].major);
}

TEST_CASE("major time ticks stand at least their spacing apart on a grid fixed to the run", "[views][axis]") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t zero = static_cast<std::int64_t>(random() % 1'000'000'000'000);
    const std::int64_t begin = zero + static_cast<std::int64_t>(random() % 10'000'000'000) - 5'000'000'000;
    const std::int64_t length = std::int64_t{20} << (random() % 38);
    CAPTURE(zero, begin, length);
    const auto ticks = timeTicks(begin, begin + length, 1000, 90, zero);
    const std::int64_t step = halo::timeStep(length, 1000, 90);
    std::int64_t last = begin - step;
    QString lastLabel;
    for (const auto& tick : ticks) {
      CHECK(tick.ns >= begin);
      CHECK(tick.ns < begin + length);
      if (!tick.major) continue;
      CHECK((tick.ns - zero) % step == 0);
      CHECK(tick.ns - last >= step);
      CHECK(static_cast<double>(step) * 1000 / static_cast<double>(length) >= 90 * 0.999);
      CHECK(tick.label != lastLabel);
      last = tick.ns;
      lastLabel = tick.label;
    }
  }
}

TEST_CASE("time to pixel and back ends within the same pixel", "[views][axis]") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t begin = static_cast<std::int64_t>(random() % (std::int64_t{1} << 50));
    const TimeScale scale{begin, begin + (std::int64_t{20} << (random() % 35)), 1920};
    const std::int64_t t =
        begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(scale.endNs - begin));
    CAPTURE(begin, scale.endNs, t);
    CHECK(std::abs(static_cast<double>(scale.toNs(scale.toPixel(t)) - t)) <= 1 + scale.nsPerPixel() * 1e-6);
  }
}

TEST_CASE("a logarithmic axis of one or two powers of ten has numbers between its ends", "[views][axis]") {
  std::vector<std::string> labels;
  for (const auto& tick : logTicks(10, 100)) labels.push_back(tick.label.toStdString());
  CHECK(labels == std::vector<std::string>{"10", "20", "50", "100"});
}

TEST_CASE("an axis of counts has whole ticks alone, as many as there are", "[views][axis]") {
  const auto labels = [](double low, double high, int count) {
    QStringList all;
    for (const halo::Tick& tick : linearTicks(low, high, count, true)) all << tick.label;
    return all.join(" ").toStdString();
  };
  CHECK(labels(0, 1, 6) == "0 1");
  CHECK(labels(0, 2, 6) == "0 1 2");
  CHECK(labels(0, 3, 2) == "0 2");
  CHECK(labels(0.4, 1.3, 6) == "1");
  CHECK(labels(0, 23, 6) == "0 5 10 15 20");
  double low = 0, high = 1.08;
  halo::niceRange(low, high, false, 6, true);
  CHECK(low == 0);
  CHECK(high == 2);
}
