#pragma once

#include <string>

namespace halo {

/// One figure of a run as the reports name it. Whoever records it declares it: a method's own figures stand
/// in the method's file (MethodEntry::figures). The manual has a page of each, made of this.
struct Metric {
  std::string key;    // with its unit: "epoch_seconds"
  std::string title;  // "epoch, median"
  enum class Unit { seconds, bytes, plain } unit = Unit::plain;
  std::string help = {};  // what it is, with its formula; no full stop; "": the title says it
  /// Made of times that workers took: says little where they shared cores.
  bool timed = false;
};

}  // namespace halo
