#include "datasets/formats/edges.h"

#include <cctype>
#include <string>

#include "datasets/formats/numbering.h"

namespace halo {

bool isEdgeComment(std::string_view line) { return line.empty() || line[0] == '#' || line[0] == '%'; }

bool isEdgeHeader(std::string_view line) {
  return !line.empty() &&
         (std::isalpha(static_cast<unsigned char>(line[0])) || line[0] == '"' || line[0] == '_');
}

bool eachEdge(TextFile& text, const std::function<void(Index source, Index target)>& use) {
  FurtherColumns further;
  std::string_view line;
  bool first = true, any = false;
  while (text.next(line)) {
    if (isEdgeComment(line)) continue;
    const bool names = first && isEdgeHeader(line);
    first = false;
    if (names) continue;
    Fields fields(text, line);
    if (!fields.more()) continue;
    const auto vertex = [&] {
      const Index number = fields.integer("a vertex number from 0");
      if (number < 0) text.damaged("vertex " + std::to_string(number) + " cannot be; a vertex number from 0");
      return number;
    };
    const Index source = vertex(), target = vertex();
    use(source, target);
    any = true;
    further.skip(fields);
  }
  if (!any) text.damagedWhole("holds no edges; `u v` on a line");
  return further.any();
}

}  // namespace halo
