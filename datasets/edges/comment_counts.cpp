#include "datasets/edges/comment_counts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>

#include "datasets/text/text.h"

namespace halo {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return c >= 'a' && c <= 'z'; }
bool isGap(char c) { return c == ' ' || c == '\t'; }

/// Finds counts in a comment in small letters.
class Comment {
 public:
  explicit Comment(std::string_view text) : text_(text) {
    std::ranges::transform(text_, text_.begin(), [](unsigned char c) { return std::tolower(c); });
  }

  /// Calls use(kind, count) for every count in it; kind: 'v' or 'e'.
  template <class Use>
  void each(const Use& use) {
    std::string_view before;
    for (std::size_t i = 0; i < text_.size();) {
      if (!isLetter(text_[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (isLetter(at(i))) ++i;
      const char kind = countedBy(begin, i);
      if (kind == 'v' && i - begin == 1 && at(begin - 1) != '|' && !marked(i)) continue;  // `n` of a text
      const std::string_view word = std::string_view(text_).substr(begin, i - begin);
      const bool others = before == "per" || before == "isolated";  // than all
      before = word;
      if (kind == 0 || others) continue;
      Index count = marked(i) ? -1 : numberBefore(begin);
      if (count < 0) count = numberBehind(i);
      if (count >= 0) use(kind, count);
    }
  }

 private:
  char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  /// What the word counts, alone or glued to one for a number: nodes, NumNodes, nEdges; V and E between bars.
  char countedBy(std::size_t begin, std::size_t end) const {
    std::string_view word = std::string_view(text_).substr(begin, end - begin);
    if (word.size() == 1) {
      const bool bars = begin > 0 && at(begin - 1) == '|' && at(end) == '|';
      if (bars) return word == "v" || word == "e" ? word[0] : '\0';
      return begin > 0 && !isGluedTo(at(begin - 1)) && (word == "n" || word == "v") ? 'v' : '\0';
    }
    for (const std::string_view glued : {"num", "total", "n"})
      if (word.size() > glued.size() + 3 && word.starts_with(glued) && !word.starts_with("node")) {
        word.remove_prefix(glued.size());
        break;
      }
    const auto among = [&](std::initializer_list<std::string_view> words) {
      return std::ranges::find(words, word) != words.end();
    };
    if (among({"nodes", "node", "vertices", "vertex", "verts", "knoten"})) return 'v';
    return among({"edges", "arcs", "links", "kanten"}) ? 'e' : '\0';
  }
  /// `-n` is an option, `k_n` a name.
  static bool isGluedTo(char before) { return before == '-' || before == '_' || before == '.'; }
  std::size_t behindGap(std::size_t i) const {
    while (isGap(at(i))) ++i;
    return i;
  }
  /// Where the mark between a word that ends here and its count would be.
  std::size_t markBehind(std::size_t end) const {
    if (at(end) == '|') ++end;
    end = behindGap(end);
    if (text_.compare(end, 5, "count") == 0) end = behindGap(end + 5);
    if (at(end) == '(') end = behindGap(end + 1);
    return end;
  }
  bool marked(std::size_t end) const {
    const char mark = at(markBehind(end));
    return mark == ':' || mark == '=';
  }
  /// Whether three digits stand behind a blank, which may be thousands of one number: 4 039.
  bool goesOn(std::size_t i) const {
    return isGap(at(i)) && isDigit(at(i + 1)) && isDigit(at(i + 2)) && isDigit(at(i + 3)) &&
           !isDigit(at(i + 4));
  }
  Index numberBehind(std::size_t end) {
    std::size_t i = markBehind(end);
    if (marked(end)) i = behindGap(i + 1);
    std::size_t behind = i;
    while (isDigit(at(behind))) ++behind;
    const bool counts = (marked(end) ? endsNumber(behind) : endsPhrase(behind)) && !goesOn(behind);
    return counts ? number(i, behind) : -1;
  }
  Index numberBefore(std::size_t begin) {
    std::size_t end = begin;
    while (end > used_ && isGap(at(end - 1))) --end;
    std::size_t i = end;
    while (i > used_ && isDigit(at(i - 1))) --i;
    const bool piece = i > 0 && !isGap(at(i - 1)) && at(i - 1) != '#' && at(i - 1) != '%' && at(i - 1) != '(';
    const bool behindOthers = i > used_ + 1 && isDigit(at(i - 2)) && goesOn(i - 1);
    return end == begin || piece || behindOthers || !isDigit(at(i)) ? -1 : number(i, end);
  }
  /// No piece of a fraction, a range, a name or thousands.
  bool endsNumber(std::size_t i) const {
    const char c = at(i);
    if (c == '.' || c == ',' || c == '\'') return !isDigit(at(i + 1));
    return (!isLetter(c) || countsNext(i)) && c != '-' && c != '_' && c != '%';
  }
  /// `9Edges: 7`
  bool countsNext(std::size_t i) const {
    std::size_t end = i;
    while (isLetter(at(end))) ++end;
    return end > i + 1 && countedBy(i, end) != 0;
  }
  /// Where no mark says that it is a count, words such as `to` tell that it is none.
  bool endsPhrase(std::size_t i) const {
    if (!endsNumber(i)) return false;
    const std::size_t next = behindGap(i);
    std::size_t end = next;
    while (isLetter(at(end))) ++end;
    return end == next || countedBy(next, end) != 0 || text_.compare(next, end - next, "and") == 0;
  }
  Index number(std::size_t from, std::size_t to) {
    Index count = -1;
    const auto [end, error] = std::from_chars(text_.data() + from, text_.data() + to, count);
    if (error != std::errc()) return -1;
    used_ = to;
    return count;
  }

  std::string text_;
  std::size_t used_ = 0;  // numbers before here are counts of other words
};

/// Two numbers alone, or the first of them twice as rows and columns of a matrix are.
void takeBareNumbers(std::string_view comment, Index number, PromisedCounts& promised) {
  comment.remove_prefix(std::min(comment.find_first_not_of("#% \t"), comment.size()));
  const auto numbers = wholeNumbers(comment);
  if (!numbers || numbers->size() < 2 || numbers->size() > 3) return;
  if (numbers->size() == 3 && (*numbers)[0] != (*numbers)[1]) return;
  promised.bareVertices = numbers->front();
  promised.bareEdges = numbers->back();
  promised.bareAt = number;
}

}  // namespace

void PromisedCounts::takeBare(Index edgesRead) {
  if (bareEdges != edgesRead || vertices >= 0 || edges >= 0) return;
  vertices = bareVertices, edges = bareEdges;
  verticesAt = edgesAt = bareAt;
}

void takeCounts(std::string_view comment, Index number, PromisedCounts& promised) {
  constexpr std::size_t kLongest = 4096;
  takeBareNumbers(comment, number, promised);
  Comment(comment.substr(0, kLongest)).each([&](char kind, Index count) {
    (kind == 'v' ? promised.vertices : promised.edges) = count;
    (kind == 'v' ? promised.verticesAt : promised.edgesAt) = number;
  });
}

void PromisedCounts::remarkVertices(Index total, Index occurring, const std::string& makers,
                                    std::vector<std::string>& remarks) const {
  if (vertices < 0 || vertices == total || vertices == occurring) return;
  remarks.push_back("line " + std::to_string(verticesAt) + " promises " + std::to_string(vertices) +
                    " vertices; the " + makers + " make " + std::to_string(total) +
                    (vertices > total ? "; vertices without " + makers + " are left out" : ""));
}

}  // namespace halo
