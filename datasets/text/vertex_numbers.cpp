#include "datasets/text/vertex_numbers.h"

#include "engine/base/index.h"

namespace halo {

std::string_view digitsOf(std::string_view word) {
  if (word.size() > 2 && word.starts_with('"') && word.ends_with('"')) word = word.substr(1, word.size() - 2);
  if (word.starts_with('+')) word.remove_prefix(1);
  if (word.empty() || word.find_first_not_of("0123456789") != std::string_view::npos) return {};
  return word.substr(std::min(word.find_first_not_of('0'), word.size() - 1));
}

std::optional<Index> VertexNumbers::unusual(std::string_view word) {
  const std::string_view digits = digitsOf(word);
  if (digits.empty()) return std::nullopt;
  Index value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc()) return value;
  const auto [entry, isNew] = known_.emplace(digits, -1 - static_cast<Index>(names_.size()));
  if (isNew) names_.emplace_back(digits);
  return entry->second;
}

void VertexNumbers::refuse(const TextFile& text, std::string_view word) {
  const Index value = Fields(text, word).integer("a vertex number from 0");
  text.damaged("vertex " + std::to_string(value) + " cannot be; a vertex number from 0", word);
}

std::string VertexNumbers::text(Index number) const {
  return number < 0 ? names_[at(-1 - number)] : std::to_string(number);
}

}  // namespace halo
