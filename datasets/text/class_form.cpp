#include "datasets/text/class_form.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "datasets/text/class_number.h"
#include "datasets/text/text.h"
#include "datasets/text/vertex_names.h"

namespace halo {
namespace {

std::optional<double> numberIn(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size()) return std::nullopt;
  if (error == std::errc()) return value;
  if (error != std::errc::result_out_of_range) return std::nullopt;
  // too close to 0, or below it, is no class; the rest is as good as any large number
  return word.find('-') == std::string_view::npos ? std::numeric_limits<double>::max() : -2;
}

/// A whole number from 0 in its one spelling; anything else as it is.
std::string plainSpelling(const std::string& spelling) {
  const auto number = numberIn(spelling);
  const Index integer = number ? wholeNumberOf(*number) : -1;
  return integer >= 0 ? std::to_string(integer) : spelling;
}

}  // namespace

std::string_view withoutPower(std::string_view word) {
  const std::size_t power = word.find_first_of("eE");
  if (power == std::string_view::npos) return word;
  std::string_view behind = word.substr(power + 1);
  if (behind.starts_with('-') || behind.starts_with('+')) behind.remove_prefix(1);
  const bool digits = !behind.empty() && behind.find_first_not_of("0123456789") == std::string_view::npos;
  return digits ? word.substr(0, power) : word;
}

bool isForeignNumber(std::string_view word) {
  const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
  if (word.starts_with("0x") || word.starts_with("0X"))
    return word.size() > 2 && word.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
  if (word.find(',') != std::string_view::npos) word = withoutPower(word);
  const bool percent = word.ends_with('%');
  if (percent) word = word.substr(0, word.find_last_not_of(" %") + 1);
  if (word.empty() || !isDigit(word.front()) || !isDigit(word.back())) return false;
  for (std::size_t i = 1; i < word.size(); ++i)
    if (!isDigit(word[i]) && ((word[i] != ',' && word[i] != '.') || !isDigit(word[i - 1]))) return false;
  return percent || word.find(',') != std::string_view::npos;
}

ClassForm classForm(std::string_view spelling) {
  const auto number = numberIn(spelling);
  if (!number) return isForeignNumber(spelling) ? ClassForm::noClass : ClassForm::name;
  if (isClass(*number)) return ClassForm::number;
  const bool integral = *number > 0 && std::isfinite(*number) && std::trunc(*number) == *number;
  return integral ? ClassForm::tooLarge : ClassForm::noClass;
}

std::set<ClassForm> formsOf(const Spellings& classes) {
  std::set<ClassForm> forms;
  for (const auto& [spelling, label] : classes) forms.insert(classForm(spelling));
  return forms;
}

bool areNumbers(const std::set<ClassForm>& forms) {
  return !forms.contains(ClassForm::name) && !forms.contains(ClassForm::tooLarge);
}

void numberClasses(Spellings& classes) {
  const auto forms = formsOf(classes);
  const bool names = forms.contains(ClassForm::name), numbers = areNumbers(forms);
  const auto canonical = [&](const std::string& spelling) {
    return names ? spelling : plainSpelling(spelling);
  };
  if (numbers) {
    for (auto& [spelling, label] : classes) label = static_cast<std::int32_t>(std::stoi(canonical(spelling)));
    return;
  }
  Spellings inOrder;
  for (const auto& [spelling, label] : classes) inOrder[canonical(spelling)] = 0;
  std::int32_t next = 0;
  for (auto& [spelling, label] : inOrder) label = next++;
  for (auto& [spelling, label] : classes) label = inOrder.at(canonical(spelling));
}

std::string refusedClass(std::string_view spelling) {
  return shown(spelling) + " is no class; " + kClassRange + ", or all classes are names";
}

void remarkCases(const Spellings& classes, const std::string& file, std::vector<std::string>& remarks) {
  std::map<std::string, std::string> byPlainName;  // by what is left of the name
  for (const auto& [spelling, label] : classes) {
    std::string plain;
    for (const char c : spelling)
      if (c != '"') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto [other, fresh] = byPlainName.emplace(plain, spelling);
    if (!fresh && classForm(plain) == ClassForm::name)
      remarks.push_back(file + ": " + shown(other->second) + " and " + shown(spelling) +
                        " differ in case or quotes only; each is a class");
  }
}

void remarkReadAsNames(std::string_view spelling, Index line, const std::string& file,
                       std::vector<std::string>& remarks) {
  const bool name = classForm(spelling) == ClassForm::name;
  remarks.push_back(file + ": " + shown(spelling) + " on line " + std::to_string(line) +
                    (name ? " is no number" : " is beyond " + std::to_string(kLargestClass)) +
                    "; all classes are read as names, in alphabetical order");
}

}  // namespace halo
