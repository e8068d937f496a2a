#include "datasets/split_names.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace halo {
namespace {

/// Letters and digits, in lower case: "Is-Val" and "is_val" are one name.
std::string plain(std::string_view name) {
  std::string word;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

constexpr std::pair<std::string_view, Split> kNames[] = {
    {"train", Split::train},       {"training", Split::train},
    {"tr", Split::train},          {"val", Split::valid},
    {"valid", Split::valid},       {"va", Split::valid},
    {"validation", Split::valid},  {"validate", Split::valid},
    {"validating", Split::valid},  {"dev", Split::valid},
    {"development", Split::valid}, {"test", Split::test},
    {"testing", Split::test},      {"te", Split::test}};

}  // namespace

std::optional<Split> partNamed(std::string_view name) {
  const std::string all = plain(name);
  std::string_view word = all;
  for (const std::string_view before : {"index", "idx", "mask", "is", "in"})
    if (word.starts_with(before)) {
      word.remove_prefix(before.size());
      break;
    }
  for (const std::string_view after :
       {"masks", "mask", "idx", "index", "indices", "ids", "nodes", "set", "flag"})
    if (word.ends_with(after)) {
      word.remove_suffix(after.size());
      break;
    }
  const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const auto& entry) { return entry.first == word; });
  return found == std::end(kNames) ? std::nullopt : std::optional(found->second);
}

}  // namespace halo
