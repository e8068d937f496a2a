#pragma once

#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>
#include <vector>

namespace halo {

/// What a program measured, each beside its target, and how many targets it missed.
class Judge {
 public:
  void judge(const char* what, double value, double target, const char* unit) {
    const bool held = value <= target;
    missed_ += held ? 0 : 1;
    std::printf("%-4s  %-58s %9.3f %s (at most %g)\n", held ? "pass" : "MISS", what, value, unit, target);
  }
  static void note(const char* what, double value, const char* unit) {
    std::printf("      %-58s %9.3f %s\n", what, value, unit);
  }
  /// The exit status: 1 where a target was missed.
  int conclude() const {
    if (missed_ == 0)
      std::puts("all targets held");
    else
      std::printf("%d targets missed\n", missed_);
    return missed_ == 0 ? 0 : 1;
  }

 private:
  int missed_ = 0;
};

inline double milliseconds(const QElapsedTimer& timer) {
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(q * static_cast<double>(values.size())))];
}

}  // namespace halo
