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

void EdgeListRest::remark(std::vector<std::string>& remarks) const {
  if (!header.empty()) remarks.push_back("the first line is taken for names of columns: " + shown(header));
  if (furtherColumns) remarks.emplace_back(FurtherColumns::kUnused);
}

/// As exactly as counts are written: of lines with an edge each or two of them, or with their own line.
bool FirstEdge::counts(Index vertices, Index edges) const {
  const Index listed = edges_ - 1;
  const bool within = most_ < vertices || (least_ == 1 && most_ == vertices);
  const bool all = most_ == vertices - 1 || (least_ == 1 && most_ == vertices);
  if (!within || edges <= 0) return false;
  return edges == listed || edges == listed + 1 || edges == 2 * listed || 2 * edges == listed ||
         (all && (edges > most_ || edges == vertices));
}

void FirstEdge::remark(const VertexNumbers& numbers, std::vector<std::string>& remarks) const {
  if (edges_ < 2 || least_ < 0 || source_ < 0 || target_ < 0) return;
  const bool forward = counts(source_, target_),
             backward = !forward && target_ > 1 && counts(target_, source_);
  if (!forward && !backward) return;
  remarks.push_back("the first edge (" + numbers.text(source_) + " " + numbers.text(target_) +
                    ") looks like counts of " + (forward ? "vertices and edges" : "edges and vertices") +
                    "; if it is, take its line out" +
                    (forward && target_ == edges_ - 1
                         ? std::string(" or choose dataset.format = \"") + kCountedEdgeListFormat + "\""
                         : ""));
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
