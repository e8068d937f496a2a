#pragma once

#include <QString>
#include <cstdint>
#include <utility>

namespace halo {

// Numbers as a person reads them. The unit is chosen by the size of the value; a decimal point in every
// locale.

/// "0 ns", "853 ns", "12.40 µs", "3.000 ms", "1.250 s", "12 min 05 s"; `digits` significant ones (2 to 9).
QString formatNs(std::int64_t ns, int digits = 4);
/// The same of numbers that are measured or worked out, to the nearest whole number. NaN gives "–". What lies
/// beyond a whole number's range gives "1.00 × 10³⁰⁰ s" and the like.
QString formatNsOf(double ns, int digits = 4);
QString formatBytesOf(double bytes);
QString formatCountOf(double count);
/// A difference: "+12.4 µs", "−3.00 ms", "–" of none (NaN).
QString formatSignedNs(double ns, int digits = 3);
/// How many cycles of a clock a time is: "1 234"; "≈ 1 234" where whole nanoseconds do not tell them exactly.
QString formatCycles(std::int64_t ns, double mhz);
/// The same of a number of seconds that may be less than a nanosecond: "63.1 ps", "6.31 ns".
QString formatSeconds(double seconds, int digits = 4);
/// Of a point in time on a ruler whose ticks stand `stepNs` apart: as many decimals as tell neighbours apart.
QString formatTimeAt(std::int64_t ns, std::int64_t stepNs);
/// "640 B", "1.50 KiB", "3.00 GiB".
QString formatBytes(std::int64_t bytes);
/// "9", "1 234 567", thin spaces between thousands.
QString formatCount(std::int64_t count);
/// Unit of an axis whose largest value is so many seconds, and how many of the unit make a second. It is "s"
/// from 1 s on, else "ms" or "µs".
std::pair<const char*, double> secondsUnit(double largest);
/// Unit of an axis whose largest value is so many bytes, "B" to "TiB"; and what part of a byte it is.
std::pair<const char*, double> bytesUnit(double largest);
/// "1.23 k", "45.6 M", from 10¹⁵ on "1.65 × 10²⁸": for axes and rates.
QString formatShort(double value);
/// Of a share: "61.3 %"; a small positive one is "< 0.1 %", never "0.0 %".
QString formatShare(double share);
/// A number with `digits` significant ones, as "1.234 × 10²⁸" below 1e-4 and from 1e9 on.
QString formatNumber(double value, int digits = 4);
/// "1.65 × 10²⁸": a finite `value` in units of 10^exponent; "10²⁸" where that is 1 without decimals.
QString formatPower(double value, int exponent, int decimals);
/// Of "d.dd… × 10^exponent", rounded to so many decimals.
int exponentOf(double value, int decimals);

}  // namespace halo
