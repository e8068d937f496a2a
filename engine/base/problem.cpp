#include "engine/base/problem.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/plain_text.h"

namespace halo {
namespace {

std::string all(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += (text.empty() ? "" : "\n") + describe(problem);
  return text;
}

/// What a file brings along may be megabytes long. A word that is longer than any path is cut, and so is a
/// line that is longer than any of ours.
std::string readable(std::string_view line) {
  constexpr std::size_t kLongestWord = 4096, kLongestLine = 4 * kLongestWord;
  if (line.size() <= kLongestWord) return std::string(line);
  std::string text;
  for (std::size_t at = 0; at < line.size() && text.size() <= kLongestLine;) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    text += word.size() > kLongestWord ? shortened(word) : std::string(word);
    if (end < line.size()) text += ' ';
    at = end + 1;
  }
  return text.size() <= kLongestLine ? text : text.substr(0, kLongestLine) + "…";
}

/// Letters put in, left out, replaced, or exchanged with their neighbour.
std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, above, row(b.size() + 1);  // of the prefixes of a: the last three
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string describe(const Problem& problem) {
  // of no place and no key: whole lines, described before
  if (problem.file.empty() && problem.key.empty()) return visible(problem.message);
  std::string text = problem.file;
  if (problem.line > 0) text += ":" + std::to_string(problem.line);
  if (problem.line > 0 && problem.column > 0) text += ":" + std::to_string(problem.column);
  if (!text.empty()) text += ": ";
  if (!problem.key.empty()) text += shortened(problem.key) + ": ";
  // a name within it must not look like a line of ours, which an indented one does not
  constexpr std::string_view kFurther = "\n  ";
  const std::string description = text + problem.message;
  std::string lines;
  for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + kFurther.size()) {
    to = description.find(kFurther, from);
    lines += (from > 0 ? std::string(kFurther) : "") +
             onOneLine(readable(std::string_view(description).substr(from, to - from)));
  }
  return lines;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(all(problems)), problems_(std::move(problems)) {
  for (Problem& problem : problems_) {
    problem.key = shortened(problem.key);
    problem.message = visible(problem.message);
  }
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t bestDistance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const auto [shorter, longer] = std::minmax({word.size(), candidate.size()});
    if (longer - shorter >= bestDistance) continue;  // at least so many letters to put in
    const std::size_t distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace halo
