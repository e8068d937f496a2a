#include "engine/experiment/tag.h"

#include <fmt/format.h>

#include "engine/experiment/read_value.h"

namespace halo {

std::string wrongTag(const std::string& text) {
  if (text.find_first_not_of(' ') == std::string::npos || text.find(',') != std::string::npos ||
      holdsZero(text))
    return std::string("a text in quotes, without commas and ") + kZeroCharacter;
  if (holdsControl(text) || text.size() > kLongestName)
    return fmt::format("at most {} bytes on one line, without control characters", kLongestName);
  return isUtf8(text) ? "" : "a text in UTF-8";
}

}  // namespace halo
