#include "datasets/text.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "datasets/scalar_range.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

constexpr std::string_view kSeparators = " \t,;";

bool separates(char c) { return kSeparators.find(c) != std::string_view::npos; }

/// The whole of `word` as a number; the error otherwise.
template <class Number>
std::errc parse(std::string_view word, Number& value) {
  if (word.size() > 1 && word[0] == '+') word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc()) return error;
  return end == word.data() + word.size() ? std::errc() : std::errc::invalid_argument;
}

}  // namespace

TextFile::TextFile(const std::filesystem::path& file, Progress progress, std::size_t longestLine)
    : file_(file), progress_(std::move(progress)), longestLine_(longestLine), buffer_(kBlock, '\0') {}

bool TextFile::refill() {
  if (begin_ > 0) std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    file_.requireLine(buffer_.size() * 2, line_ + 1);
    buffer_.resize(buffer_.size() * 2);
  }
  const std::size_t got = file_.read(buffer_.data() + end_, buffer_.size() - end_);
  end_ += got;
  if (progress_) progress_("reading " + path().filename().string(), file_.share());
  return got > 0;
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
  line = current_;
  return true;
}

void TextFile::damaged(const std::string& message, std::string_view at) const {
  const bool inside =
      !at.empty() && at.data() >= current_.data() && at.data() < current_.data() + current_.size();
  throw DamagedInput({path().string(), line_, inside ? at.data() - current_.data() + 1 : 0, "", message});
}

void TextFile::damagedWhole(const std::string& message) const {
  throw DamagedInput({path().string(), 0, 0, "", message});
}

void Fields::skip() {
  std::size_t blanks = 0;
  while (blanks < rest_.size() && separates(rest_[blanks])) ++blanks;
  rest_.remove_prefix(blanks);
}

std::string_view Fields::word() {
  std::size_t length = 0;
  while (length < rest_.size() && !separates(rest_[length])) ++length;
  const std::string_view found = rest_.substr(0, length);
  rest_.remove_prefix(length);
  skip();
  return found;
}

Index Fields::integer(const char* what) {
  const std::string_view text = word();
  Index value = 0;
  if (const std::errc error = parse(text, value); error != std::errc()) {
    if (text.empty()) file_.damaged(std::string("the line ends early; ") + what);
    if (error == std::errc::result_out_of_range) file_.damaged(shown(text) + " is too large; " + what, text);
    file_.damaged(shown(text) + " is not a whole number; " + what, text);
  }
  return value;
}

double Fields::real(const char* what) {
  const std::string_view text = word();
  double value = 0;
  if (const std::errc error = parse(text, value); error != std::errc()) {
    if (text.empty()) file_.damaged(std::string("the line ends early; ") + what);
    if (error == std::errc::result_out_of_range)
      file_.damaged(shown(text) + " is out of range; " + what, text);
    file_.damaged(shown(text) + " is not a number; " + what, text);
  }
  return value;
}

double Fields::scalar(const char* what) {
  const std::string_view before = rest_;
  const double value = real(what);
  if (exceedsScalar(value)) {
    const std::string_view text = before.substr(0, before.find_first_of(kSeparators));
    file_.damaged(shown(text) + kBeyondScalar, text);
  }
  return value;
}

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

std::vector<std::string> csvCells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool inQuotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && inQuotes && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += '"';
      ++i;
    } else if (c == '"') {
      inQuotes = !inQuotes;
    } else if (c == ',' && !inQuotes) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string result = "'";
  for (const char c : text.substr(0, kLongest))
    result += c < ' ' || c == 127 ? '?' : c;  // also bytes above 127: a cut may split a letter
  return result + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace halo
