#include "engine/sampling/fanouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/base/index.h"
#include "engine/base/whole_number.h"

namespace halo {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// 0: it cannot be used.
std::int32_t fanoutOf(std::string_view word) {
  if (word == "all") return kAllNeighbours;
  std::int32_t number = 0;
  return readWhole(word, number) && number >= 1 && number <= kMostFanout ? number : 0;
}

}  // namespace

Fanouts readFanouts(std::string_view text, int layers, std::string_view key, std::vector<Problem>& problems) {
  const auto wrong = [&](const std::string& message) {
    problems.push_back({.key = std::string(key), .message = message});
  };
  Fanouts fanouts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = trimmed(text.substr(begin, end - begin));
    fanouts.push_back(fanoutOf(word));
    if (fanouts.back() == 0)
      wrong(fmt::format("'{}' of '{}' cannot be used; 1 to {}, or all", visible(std::string(word)),
                        visible(std::string(text)), kMostFanout));
    begin = end + 1;
  }
  if (const std::size_t count = fanouts.size(); count != at(layers))
    wrong(fmt::format(
        "'{}' has {} number{}, and the model {} layer{}; one each, from the inputs to the seeds",
        visible(std::string(text)), count, count == 1 ? "" : "s", layers, layers == 1 ? "" : "s"));
  return fanouts;
}

}  // namespace halo
