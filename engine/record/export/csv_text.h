#pragma once

#include <string>
#include <string_view>

namespace halo {

/// Who reads a CSV file: a program, or a spreadsheet, which takes text that begins with = + - @ for a
/// formula.
enum class CsvFor { program, spreadsheet };

/// A text as a field of a CSV file (RFC 4180), in quotes where it must be; valid UTF-8 without zero bytes.
/// For a spreadsheet an apostrophe stands before what could begin a formula.
std::string csvText(std::string_view text, CsvFor reader = CsvFor::program);

}  // namespace halo
