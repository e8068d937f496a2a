#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/matrix.h"

namespace halo {

/// What a class is written as in a format where numbers and names may stand for it.
enum class ClassForm {
  number,    // of a class, in any spelling: "1", "01", "1.0"
  tooLarge,  // a whole number beyond the largest class
  noClass,   // any other number: a fraction, one below 0, or one as not read: "8,5", "10%", "0x1"
  name
};
/// Digits without a power of ten behind them, as in `1,2e-05`.
std::string_view withoutPower(std::string_view word);
/// Digits as other places write them: with a comma, a percent sign, or to the base of 16.
bool isForeignNumber(std::string_view word);
ClassForm classForm(std::string_view spelling);

/// The classes of a file by their spellings.
using Spellings = std::map<std::string, std::int32_t>;

std::set<ClassForm> formsOf(const Spellings& classes);

/// Whether the spellings are read as numbers: neither a name nor too large a number is among them.
bool areNumbers(const std::set<ClassForm>& forms);

/// Numbers the classes, among which none is of the form noClass unless names are. Numbers keep their value.
/// Other spellings count in alphabetical order; without a name among them those of one number are one class.
void numberClasses(Spellings& classes);

/// What is said of a spelling of the form noClass where none is a name.
std::string refusedClass(std::string_view spelling);

/// Remarks names that differ in case or double quotes only, for `file`: each is a class.
void remarkCases(const Spellings& classes, const std::string& file, std::vector<std::string>& remarks);

/// Remarks the spelling on `line` for which the numbers beside it are read as names: it is a name, or too
/// large.
void remarkReadAsNames(std::string_view spelling, Index line, const std::string& file,
                       std::vector<std::string>& remarks);

}  // namespace halo
