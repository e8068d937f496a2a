#include "datasets/formats/edges.h"

#include <cctype>
#include <string>
#include <utility>

#include "datasets/columns.h"
#include "datasets/formats/line_shapes.h"
#include "datasets/formats/numbering.h"

namespace halo {

bool isEdgeHeader(std::string_view line) {
  return !line.empty() &&
         (std::isalpha(static_cast<unsigned char>(line[0])) || line[0] == '"' || line[0] == '_');
}

EdgeListRest eachEdge(TextFile& text, VertexNumbers& numbers,
                      const std::function<void(Index source, Index target)>& use) {
  EdgeListRest rest;
  FurtherColumns further;
  std::string_view line;
  bool first = true, any = false;
  while (text.next(line)) {
    if (isBlankOrComment(line)) continue;
    if (std::exchange(first, false) && isEdgeHeader(line)) {
      requireEndsFirst(text, line);
      rest.header = line;
      continue;
    }
    Fields fields(text, line);
    if (!fields.more()) continue;
    const Index source = numbers.next(text, fields), target = numbers.next(text, fields);
    use(source, target);
    any = true;
    further.skip(fields);
  }
  if (!any) text.damagedWhole("holds no edges; `u v` on a line");
  rest.furtherColumns = further.any();
  return rest;
}

}  // namespace halo
