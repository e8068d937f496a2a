#include "datasets/text/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "datasets/arrays/scalar_range.h"
#include "datasets/input/unpack_limit.h"
#include "datasets/text/class_form.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

/// The default of numpy.savetxt is 1.000000000000000000e+00.
constexpr const char* kWithoutDecimals = ", without decimals; numpy.savetxt writes it so with fmt=\"%d\"";

constexpr std::size_t kBlock = std::size_t{1} << 20;

enum : std::uint8_t { kComma = 1, kSemicolon = 2, kMarks = kComma | kSemicolon, kTab = 4, kBlank = 8 };

constexpr std::array<std::uint8_t, 256> kKinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  kinds[','] = kComma;
  kinds[';'] = kSemicolon;
  kinds['\t'] = kTab;
  kinds[' '] = kBlank;
  return kinds;
}();

/// 0: no separator.
std::uint8_t kindOf(char c) { return kKinds[static_cast<unsigned char>(c)]; }
bool separates(char c) { return kindOf(c) != 0; }

char separatorOf(std::uint8_t kinds) {
  return kinds & kComma ? ',' : kinds & kSemicolon ? ';' : kinds & kTab ? '\t' : kinds & kBlank ? ' ' : '\0';
}

/// The whole of `word` as a number; the error otherwise.
template <class Number>
std::errc parse(std::string_view word, Number& value) {
  if (word.size() > 1 && word[0] == '+') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc()) return error;
  return end == word.data() + word.size() ? std::errc() : std::errc::invalid_argument;
}

/// The end of a number in double quotes at the start of `rest`; nullptr: there is none.
template <class Number>
const char* quotedNumber(std::string_view rest, Number& value) {
  const std::size_t close = rest.starts_with('"') ? rest.find('"', 1) : std::string_view::npos;
  if (close == std::string_view::npos || parse(rest.substr(1, close - 1), value) != std::errc())
    return nullptr;
  const char* const end = rest.data() + close + 1;
  return end == rest.data() + rest.size() || separates(*end) ? end : nullptr;
}

/// Whether a word that is read as no whole number has the value of one: `1.0`, `1e+00`.
bool isWholeAsReal(std::string_view word) {
  double value = 0;
  return parse(word, value) == std::errc() && std::isfinite(value) && std::trunc(value) == value;
}

/// What stands before the first separator, or a text in double quotes with separators in it.
std::string_view firstCell(std::string_view rest) {
  const std::size_t close = rest.starts_with('"') ? rest.find('"', 1) : std::string_view::npos;
  const bool quoted =
      close != std::string_view::npos && (close + 1 == rest.size() || separates(rest[close + 1]));
  return quoted ? rest.substr(0, close + 1) : firstWord(rest);
}

/// A separator in words.
std::string separatorName(char separator) {
  return separator == '\t' ? "tab" : separator == ' ' ? "blank" : std::string("'") + separator + "'";
}

}  // namespace

TextFile::TextFile(const std::filesystem::path& file, Progress progress, std::size_t longestLine)
    : file_(file), progress_(std::move(progress)), longestLine_(longestLine), buffer_(kBlock) {}

bool TextFile::refill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    if (const void* zero = std::memchr(buffer_.data(), 0, end_))
      throw DamagedInput({.file = path().string(),
                          .line = line_ + 1,
                          .column = static_cast<const char*>(zero) - buffer_.data() + 1,
                          .message = "a zero byte, which no text holds"});
    file_.requireLine(buffer_.size() * 2, line_ + 1);
    buffer_.resize(buffer_.size() * 2);
  }
  std::size_t bytes = 0;
  try {
    bytes = file_.read(buffer_.data() + end_, buffer_.size() - end_);
  } catch (const UnpackedEnough& enough) {
    throw UnpackedEnough(path(), enough.bytes, line_ + 1);
  }
  end_ += bytes;
  if (line_ == 0 && std::string_view(buffer_.data(), end_).starts_with("\x93NUMPY"))
    damagedWhole("is binary, an array of numpy (.npy); text, as numpy.savetxt writes it");
  if (progress_) progress_("reading " + path().filename().string(), file_.share());
  return bytes > 0;
}

bool TextFile::next(std::string_view& line) {
  std::size_t searched = 0;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const void* newline = std::memchr(start + searched, '\n', end_ - begin_ - searched);
    if (newline) {
      current_ = {start, static_cast<std::size_t>(static_cast<const char*>(newline) - start)};
      begin_ += current_.size() + 1;
      break;
    }
    searched = end_ - begin_;
    if (searched > longestLine_) {
      ++line_;
      damaged("is longer than " + std::to_string(longestLine_) + " bytes; a text file, of lines");
    }
    if (refill()) continue;
    if (begin_ == end_) return false;
    current_ = {buffer_.data() + begin_, end_ - begin_};  // the last line has no end
    begin_ = end_;
    break;
  }
  if (!current_.empty() && current_.back() == '\r') current_.remove_suffix(1);
  ++line_;
  if (line_ == 1 && endsWithCr(current_)) damaged(kCrAlone);
  line = current_;
  return true;
}

void TextFile::damaged(const std::string& message, std::string_view at) const {
  const bool inside =
      !at.empty() && at.data() >= current_.data() && at.data() < current_.data() + current_.size();
  throw DamagedInput({.file = path().string(),
                      .line = line_,
                      .column = inside ? at.data() - current_.data() + 1 : 0,
                      .message = message});
}

void TextFile::damagedAt(Index line, const std::string& message) const {
  throw DamagedInput({.file = path().string(), .line = line, .message = message});
}

void TextFile::damagedWhole(const std::string& message) const { damagedAt(0, message); }

void Fields::emptyCell(const char* at) const {
  file_.damaged("an empty cell; every " + separatorName(*at) + " stands between two values", {at, 1});
}

/// One more separator on the line.
void Fields::join(std::uint8_t kind, const char* at) {
  const auto kinds = static_cast<std::uint8_t>(kinds_ | kind);
  const bool single = (kinds & (kinds - 1)) == 0;
  if (!single && (kinds != (kTab | kBlank) || layout_ == Layout::table))
    file_.damaged(separatorName(separatorOf(kinds_)) + " and " + separatorName(separatorOf(kind)) +
                      " on one line; one kind of separator, and decimals with a point",
                  {at, 1});
  kinds_ = kinds;
}

/// Passes the separator at `from`, of any length; `leading`: no field stands before it.
void Fields::separate(const char* from, bool leading) {
  const char* const last = unread_.data() + unread_.size();
  if (leading && from != last && !separates(*from)) return;
  const char *at = from, *mark = nullptr, *firstTab = nullptr, *secondTab = nullptr;
  for (std::uint8_t kind = 0; at != last && (kind = kindOf(*at)) != 0; ++at) {
    if (kind & kMarks) {
      if (mark || leading) emptyCell(at);
      mark = at;
    } else if (kind == kTab) {
      (firstTab ? secondTab : firstTab) = at;
    }
  }
  unread_ = {at, static_cast<std::size_t>(last - at)};
  if (unread_.empty()) {
    if (mark) emptyCell(mark);
    return;
  }
  if (!mark && layout_ != Layout::list && (secondTab || (leading && firstTab)))
    emptyCell(secondTab ? secondTab : firstTab);
  if (leading) return;
  if (mark)
    join(kindOf(*mark), mark);
  else if (firstTab)
    join(kTab, firstTab);
  else
    join(kBlank, from);
}

/// Goes on behind the field that ends at `end`.
inline void Fields::pass(const char* end) {
  const char* const last = unread_.data() + unread_.size();
  if (last - end > 1) {
    const std::uint8_t kind = kindOf(*end);
    if ((kinds_ | kind) == kind && !separates(end[1])) {  // one character, of the kind before or the first
      kinds_ = kind;
      unread_ = {end + 1, static_cast<std::size_t>(last - end - 1)};
      return;
    }
  }
  separate(end, false);
}

std::string_view Fields::word() {
  std::size_t length = 0;
  while (length < unread_.size() && !separates(unread_[length])) ++length;
  const std::string_view text = unread_.substr(0, length);
  pass(unread_.data() + length);
  return text;
}

template <class Number>
Number Fields::number(const char* expected, const char* kind, const char* beyond) {
  const char* const last = unread_.data() + unread_.size();
  const bool plus = unread_.size() > 1 && unread_[0] == '+' && unread_[1] != '-';
  Number value{};
  const auto [end, error] = std::from_chars(unread_.data() + plus, last, value);
  if (error == std::errc() && (end == last || separates(*end))) {
    pass(end);
    return value;
  }
  if (const char* const close = quotedNumber(unread_, value)) {
    pass(close);
    return value;
  }
  const std::string_view text = firstCell(unread_);
  if (text.empty()) file_.damaged(std::string("the line ends early; ") + expected);
  if (error == std::errc::result_out_of_range && end == text.data() + text.size())
    file_.damaged(shown(text) + beyond + "; " + expected, text);
  if (std::is_same_v<Number, Index> && isWholeAsReal(unquoted(text)))
    file_.damaged(shown(text) + " is not " + kind + "; " + expected + kWithoutDecimals, text);
  if (text.starts_with('"') && text.find(',') != std::string_view::npos && isForeignNumber(unquoted(text)))
    file_.damaged(shown(text) + " is not " + kind + "; " + expected + ", decimals with a point", text);
  file_.damaged(shown(text) + " is not " + kind + "; " + expected, text);
}

Index Fields::integer(const char* expected) {
  return number<Index>(expected, "a whole number", " is too large");
}

double Fields::real(const char* expected) { return number<double>(expected, "a number", " is out of range"); }

double Fields::scalar(const char* expected) {
  const std::string_view before = unread_;
  const double value = real(expected);
  if (exceedsScalar(value)) file_.damaged(shown(firstWord(before)) + kBeyondScalar, before.substr(0, 1));
  return value;
}

void Fields::end(const char* expected) const {
  if (more()) file_.damaged(shown(unread_) + " is too much; " + expected, unread_);
}

char Fields::separator() const { return separatorOf(kinds_); }

std::optional<std::vector<Index>> wholeNumbers(std::string_view line) {
  std::vector<Index> numbers;
  for (std::size_t i = 0; i < line.size();) {
    if (separates(line[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && !separates(line[end])) ++end;
    Index value = 0;
    if (parse(line.substr(i, end - i), value) != std::errc()) return std::nullopt;
    numbers.push_back(value);
    i = end;
  }
  return numbers;
}

bool endsWithCr(std::string_view line) {
  const std::size_t end = line.find('\r');
  return end != std::string_view::npos && line.find_first_not_of('\r', end) != std::string_view::npos;
}

std::vector<std::string_view> linesOf(std::string_view head) {
  std::vector<std::string_view> lines;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    std::string_view line = head.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    head.remove_prefix(std::min(end + 1, head.size()));
  }
  return lines;
}

std::vector<std::string_view> rawCells(std::string_view line, char separator) {
  std::vector<std::string_view> cells;
  cells.reserve(8);  // most lines have no more
  bool inQuotes = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') inQuotes = !inQuotes;  // "" inside: out and in again
    if (line[i] != separator || inQuotes) continue;
    cells.push_back(line.substr(begin, i - begin));
    begin = i + 1;
  }
  cells.push_back(line.substr(begin));
  return cells;
}

std::string unquoted(std::string_view cell) {
  if (cell.find('"') == std::string_view::npos) return std::string(cell);  // as most are
  std::string text;
  bool inQuotes = false;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    if (cell[i] != '"') {
      text += cell[i];
    } else if (inQuotes && i + 1 < cell.size() && cell[i + 1] == '"') {
      text += '"';
      ++i;
    } else {
      inQuotes = !inQuotes;
    }
  }
  return text;
}

std::vector<std::string> csvCells(std::string_view line, char separator) {
  std::vector<std::string> cells;
  for (const std::string_view cell : rawCells(line, separator)) cells.push_back(unquoted(cell));
  return cells;
}

namespace {

/// Blanks that no keyboard has, and a minus sign that is no hyphen, look like others: they have their number.
bool looksLikeAnother(char32_t c) {
  constexpr char32_t kSigns[] = {0xA0, 0xAD, 0x202F, 0x205F, 0x2212, 0x3000, 0xFEFF};
  return (c >= 0x2000 && c <= 0x200F) || std::ranges::find(kSigns, c) != std::end(kSigns);
}

std::string signOf(std::string_view bytes, const CodePoint& c) {
  if (c.valid && c.value == '\t') return "\\t";
  if (!c.valid || !looksLikeAnother(c.value)) return onOneLine(bytes);
  std::array<char, 8> number{};
  std::snprintf(number.data(), number.size(), "\\u%04X", static_cast<unsigned>(c.value));
  return number.data();
}

}  // namespace

std::string inOneLine(std::string text) {
  for (char& c : text)
    if ((c >= 0 && c < ' ') || c == 127) c = '?';
  return text;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string result = "'";
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint c = codePointAt(text, at);
    if (at + c.bytes > kLongest) break;  // no half letters
    result += signOf(text.substr(at, c.bytes), c);
    at += c.bytes;
  }
  return result + (at < text.size() ? "...'" : "'");
}

}  // namespace halo
