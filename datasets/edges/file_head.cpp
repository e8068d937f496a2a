#include "datasets/edges/file_head.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "datasets/text/text.h"

namespace halo {

FileHead headWithLines(const std::filesystem::path& file, std::string_view marks) {
  return headWithLines(file, [&](std::string_view line) { return isBlankOrComment(line, marks); });
}

FileHead headWithLines(const std::filesystem::path& file,
                       const std::function<bool(std::string_view line)>& isPreamble) {
  constexpr std::size_t kHead = std::size_t{1} << 16, kLongPreamble = std::size_t{1} << 24;
  std::string head = headOf(file, kHead);
  bool cut = head.size() == kHead;
  auto lines = linesOf(head);
  if (cut && lines.size() > 1) lines.pop_back();  // its rest may stand behind the head
  if (cut && std::all_of(lines.begin(), lines.end(), isPreamble)) {
    std::string longer = headOf(file, kLongPreamble);
    // millions of blank lines alone tell no more than the first of them
    if (longer.find_first_not_of("\r\n") != std::string::npos) {
      head = std::move(longer);
      cut = head.size() == kLongPreamble;
    }
  }
  if (cut)
    if (const std::size_t end = head.rfind('\n'); end != std::string::npos) head.resize(end);
  return {std::move(head), cut};
}

}  // namespace halo
