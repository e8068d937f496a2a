#include "datasets/arrays/npy_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "engine/base/index.h"

namespace halo {
namespace {

constexpr const char* kUnclear = "cannot be understood";

/// Takes a Python dictionary apart from its front. What takes says whether it was there.
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : text_(text) {}

  bool take(std::string_view part) {
    skipBlanks();
    if (!text_.starts_with(part)) return false;
    text_.remove_prefix(part.size());
    return true;
  }

  /// A string between either of Python's marks; they hold no escapes here.
  std::optional<std::string> takeString() {
    skipBlanks();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string text(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return text;
  }

  /// "(2, 3)", "(2,)" or "()"; Python 2 wrote "(2L, 3L)". "(2)" is a number.
  std::optional<std::vector<Index>> takeShape() {
    std::vector<Index> shape;
    if (!take("(")) return std::nullopt;
    bool divided = true;
    for (bool closed = take(")"); !closed; closed = take(")")) {
      skipBlanks();
      Index extent = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), extent);
      if (!divided || error != std::errc() || extent < 0) return std::nullopt;
      text_.remove_prefix(at(end - text_.data()));
      if (text_.starts_with('L')) text_.remove_prefix(1);
      shape.push_back(extent);
      divided = take(",");
    }
    if (shape.size() == 1 && !divided) return std::nullopt;
    return shape;
  }

  bool atEnd() {
    skipBlanks();
    return text_.empty();
  }

 private:
  void skipBlanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t\r\n"), text_.size())); }

  std::string_view text_;
};

bool takeType(DictionaryReader& reader, NpyHeader& header, std::string& problem) {
  if (reader.take("[")) {
    problem = "describes records of named fields, not numbers of one type";
    return false;
  }
  const auto type = reader.takeString();
  if (!type || type->size() < 2) return false;
  header.bigEndian = type->front() == '>';
  header.type = type->substr(std::string_view("<>|=").find(type->front()) == std::string_view::npos ? 0 : 1);
  return true;
}

bool takeValue(DictionaryReader& reader, const std::string& key, NpyHeader& header, std::string& problem) {
  if (key == "descr") return takeType(reader, header, problem);
  if (key == "fortran_order") {
    header.fortran = reader.take("True");
    return header.fortran || reader.take("False");
  }
  const auto shape = reader.takeShape();
  if (shape) header.shape = *shape;
  return shape.has_value();
}

}  // namespace

bool parseNpyHeader(std::string_view dictionary, NpyHeader& header, std::string& problem) {
  constexpr std::array<std::string_view, 3> kKeys = {"descr", "fortran_order", "shape"};
  std::array<int, kKeys.size()> times{};
  DictionaryReader reader(dictionary);
  problem = kUnclear;
  if (!reader.take("{")) return false;
  bool divided = true;
  for (bool closed = reader.take("}"); !closed; closed = reader.take("}")) {
    const auto key = reader.takeString();
    if (!divided || !key || !reader.take(":")) return false;
    const auto known = std::ranges::find(kKeys, *key);
    if (known == kKeys.end()) {
      problem = "has the key '" + *key + "', and there are descr, fortran_order and shape";
      return false;
    }
    if (++times[at(known - kKeys.begin())] > 1) {
      problem = "has a key twice";
      return false;
    }
    if (!takeValue(reader, *key, header, problem)) return false;
    divided = reader.take(",");
  }
  if (std::ranges::count(times, 1) == std::ssize(kKeys) && reader.atEnd()) return true;
  if (!reader.atEnd()) problem = "goes on behind its dictionary";
  return false;
}

}  // namespace halo
