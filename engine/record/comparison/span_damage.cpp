#include "engine/record/comparison/span_damage.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "engine/base/plain_text.h"

namespace halo {
namespace {

constexpr std::string_view kEnding = "; `haloscope check` lists all damaged blocks";

}  // namespace

std::string spanDamage(const std::string& recording, std::int64_t run, const std::string& place) {
  return onOneLine(recording) + ": the spans of run " + std::to_string(run) +
         " are left out, for they are damaged: " + place + std::string(kEnding);
}

std::vector<std::string> spanDamages(const Comparison& comparison) {
  std::vector<std::string> damages;
  std::ranges::copy_if(comparison.notes, std::back_inserter(damages),
                       [](const std::string& note) { return note.ends_with(kEnding); });
  return damages;
}

}  // namespace halo
