#pragma once

#include <string_view>

namespace halo {

/// `sep=,` as Excel puts it above a table; what separates is seen in the lines themselves.
inline bool namesSeparator(std::string_view line) {
  constexpr std::string_view kMarks = ",;|\t";
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line.size() == 5 && line.starts_with("sep=") && kMarks.find(line[4]) != std::string_view::npos;
}

}  // namespace halo
