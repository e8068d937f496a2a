#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/parts/split.h"

namespace halo {

/// Keys of nodes in GML that are read over: each may be meant as a label or as a flag of a split.
class UnreadKeys {
 public:
  void pass(std::string_view key) {
    if (!known_.contains(key)) take(*known_.emplace(key).first);
  }
  void remark(std::vector<std::string>& remarks) const {
    if (!flags_.empty())
      remarks.push_back("nodes have " + flags_ +
                        ", not read: no split is taken from GML, dataset.split names a file");
    if (!unknown_.empty())
      remarks.push_back("nodes have " + othersListed() +
                        ", not read: the label is `value`, or dataset.labels names a file");
  }

 private:
  using Keys = std::set<std::string, std::less<>>;

  void take(const std::string& key) {
    constexpr std::string_view kDrawn[] = {"label", "graphics", "LabelGraphics", "x", "y", "z", "w", "h"};
    if (partNamed(key))
      add(key, flags_);
    else if (std::ranges::find(kDrawn, key) == std::end(kDrawn))  // name and picture are no class
      unknown_.insert(key);
  }
  static void add(const std::string& key, std::string& to) {
    constexpr std::size_t kLongest = 40;
    to += (to.empty() ? "`" : ", `") + key.substr(0, kLongest) + "`";
  }
  /// In the order of the alphabet, the first of many.
  std::string othersListed() const {
    constexpr std::size_t kMost = 6;
    std::string text;
    std::size_t count = 0;
    for (const std::string& key : unknown_)
      if (count++ < kMost) add(key, text);
    return count > kMost ? text + " and " + std::to_string(count - kMost) + " more" : text;
  }

  Keys known_, unknown_;
  std::string flags_;
};

}  // namespace halo
