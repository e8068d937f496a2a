#include "views/look/units.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace {

/// With plain spaces, as the expectations are written.
std::string plain(QString text) {
  return text.replace(QChar(0x00A0), ' ').replace(QChar(0x202F), ' ').toStdString();
}

}  // namespace

TEST_CASE("durations are written in the unit of their size", "[views][units]") {
  using halo::formatNs;
  CHECK(plain(formatNs(0)) == "0 ns");
  CHECK(plain(formatNs(999)) == "999 ns");
  CHECK(plain(formatNs(12'400)) == "12.40 µs");
  CHECK(plain(formatNs(3'000'000)) == "3.000 ms");
  CHECK(plain(formatNs(1'250'000'000)) == "1.250 s");
  CHECK(plain(formatNs(725'000'000'000)) == "12 min 05 s");
  CHECK(plain(formatNs(-12'400)) == "−12.40 µs");
  CHECK(plain(formatNs(12'400, 2)) == "12 µs");
}

TEST_CASE("numbers that no whole number holds are written all the same", "[views][units]") {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const double none = std::nan(""), endless = std::numeric_limits<double>::infinity();
  CHECK(plain(halo::formatNs(kLeast)).starts_with("−153722867 min"));
  CHECK(plain(halo::formatNs(std::numeric_limits<std::int64_t>::max())).starts_with("153722867 min"));
  CHECK(halo::formatTimeAt(kLeast, 1).startsWith("−"));
  CHECK(halo::formatBytes(kLeast).startsWith("−"));
  CHECK(halo::formatCount(kLeast).startsWith("−9"));
  for (const auto format :
       {+[](double value) { return halo::formatNsOf(value); }, +halo::formatBytesOf, +halo::formatCountOf}) {
    CHECK(format(none) == "–");
    CHECK(format(endless) == "∞");
    CHECK(format(-endless) == "−∞");
  }
  CHECK(plain(halo::formatNsOf(1e300)) == "1.00 × 10²⁹¹ s");
  CHECK(plain(halo::formatNsOf(-1e300)) == "−1.00 × 10²⁹¹ s");
  CHECK(plain(halo::formatNsOf(1250.4)) == plain(halo::formatNs(1250)));
  CHECK(plain(halo::formatBytesOf(1e300)) == "1.00 × 10³⁰⁰ B");
  CHECK(plain(halo::formatCountOf(1e300)) == "1.00 × 10³⁰⁰");
  CHECK(plain(halo::formatSeconds(1e300)) == "1.00 × 10³⁰⁰ s");
  CHECK(plain(halo::formatSignedNs(1e300)).starts_with("+1.00 ×"));
}

TEST_CASE("seconds that are less than a nanosecond keep their digits", "[views][units]") {
  CHECK(plain(halo::formatSeconds(0)) == "0 ns");
  CHECK(plain(halo::formatSeconds(63e-12)) == "63.00 ps");
  CHECK(plain(halo::formatSeconds(6.31e-9)) == "6.310 ns");
  CHECK(plain(halo::formatSeconds(12.4e-6)) == "12.40 µs");
  CHECK(plain(halo::formatSeconds(-63e-12)) == "−63.00 ps");
}

TEST_CASE("a duration that rounds up to a thousand moves to the next unit", "[views][units]") {
  CHECK(plain(halo::formatNs(999'999)) == "1.000 ms");
  CHECK(plain(halo::formatNs(999'994)) == "1.000 ms");
  CHECK(plain(halo::formatNs(999'400)) == "999.4 µs");
}

TEST_CASE("a time on a ruler has the decimals that tell its neighbours apart", "[views][units]") {
  CHECK(plain(halo::formatTimeAt(1'250'000, 50'000)) == "1.25 ms");
  CHECK(plain(halo::formatTimeAt(2'000'000'000, 500'000'000)) == "2.0 s");
  CHECK(plain(halo::formatTimeAt(2'000'000'001, 1)) == "2.000000001 s");
  CHECK(plain(halo::formatTimeAt(0, 1000)) == "0");
  CHECK(plain(halo::formatTimeAt(40'000, 20'000)) == "40 µs");
}

TEST_CASE("bytes, counts and shares are written for people", "[views][units]") {
  CHECK(plain(halo::formatBytes(640)) == "640 B");
  CHECK(plain(halo::formatBytes(1536)) == "1.50 KiB");
  CHECK(plain(halo::formatBytes((1 << 20) - 1)) == "1.00 MiB");
  CHECK(plain(halo::formatBytes(std::int64_t{3} << 30)) == "3.00 GiB");
  CHECK(plain(halo::formatCount(1'234'567)) == "1 234 567");
  CHECK(plain(halo::formatCount(-12)) == "−12");
  CHECK(plain(halo::formatShort(45'600'000)) == "45.6 M");
  CHECK(plain(halo::formatShort(999'600)) == "1.00 M");
  CHECK(plain(halo::formatShare(0.613)) == "61.3 %");
  CHECK(plain(halo::formatShare(1e-6)) == "< 0.1 %");
  CHECK(plain(halo::formatShare(0)) == "0.0 %");
  CHECK(plain(halo::formatShare(-1e-9)) == "0.0 %");
  CHECK(plain(halo::formatNumber(0.81234)) == "0.8123");
  CHECK(plain(halo::formatNumber(1.65e28)) == "1.650 × 10²⁸");
  CHECK(plain(halo::formatNumber(-9.9999e-5)) == "−1.000 × 10⁻⁴");
  CHECK(plain(halo::formatShort(1.65e28)) == "1.65 × 10²⁸");
  CHECK(plain(halo::formatShort(-9.996e14)) == "−1.00 × 10¹⁵");
  CHECK(plain(halo::formatShort(9.99e14)) == "999 T");
  CHECK(plain(halo::formatShort(5e-324)) == "4.94 × 10⁻³²⁴");
}

TEST_CASE("a time is as many cycles as its clock has, about so many where nanoseconds are too coarse",
          "[views]") {
  CHECK(halo::formatCycles(20, 500) == "10");
  CHECK(halo::formatCycles(303, 330) == "100");
  CHECK(halo::formatCycles(7, 1000) == "7");
  CHECK(halo::formatCycles(1000, 1980).startsWith("≈"));
  CHECK(halo::formatCycles(1000, 1980).endsWith(halo::formatCount(1980)));
  CHECK(halo::formatCycles(0, 500) == "0");
}
