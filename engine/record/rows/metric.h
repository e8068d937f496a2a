#pragma once

#include <string>

namespace halo {

/// One figure of a run as the reports name it (resources/manual/reference/metrics/index.md): declared by
/// whoever records it, a method's own figures by the method's file (MethodEntry::figures).
struct Metric {
  std::string key;    // with its unit: "epoch_seconds"
  std::string title;  // "epoch, median"
  enum class Unit { seconds, bytes, plain } unit = Unit::plain;
  /// Made of times that workers took: says little where they shared cores.
  bool timed = false;
};

}  // namespace halo
