#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/plain_text.h"

namespace halo::test {

/// A CSV file by RFC 4180 to the letter (line ends with or without CR). Throws where it is no such file or
/// where rows are not as wide as the first. Throws also where it holds what is no UTF-8 or a zero byte.
class Csv {
 public:
  using Row = std::vector<std::string>;

  explicit Csv(std::string_view text) : text_(text) {
    if (halo::validUtf8(text) != text) fail("no UTF-8");
    while (at_ < text_.size()) rows_.push_back(row());
    if (rows_.empty()) fail("no header");
    for (const Row& fields : rows_)
      if (fields.size() != rows_.front().size()) fail("rows of several widths");
  }

  const Row& head() const { return rows_.front(); }
  std::size_t rows() const { return rows_.size() - 1; }
  /// The field of a row, from 0, in the column of that heading.
  const std::string& at(std::size_t row, const std::string& heading) const {
    for (std::size_t c = 0; c < head().size(); ++c)
      if (head()[c] == heading) return rows_.at(row + 1)[c];
    throw std::runtime_error("no column " + heading);
  }
  const Row& at(std::size_t row) const { return rows_.at(row + 1); }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw std::runtime_error("byte " + std::to_string(at_) + ": " + problem);
  }

  Row row() {
    Row fields{field()};
    while (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      fields.push_back(field());
    }
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ == text_.size() || text_[at_] != '\n') fail("a line end or comma is wanted");
    ++at_;
    return fields;
  }

  std::string field() {
    std::string value;
    if (at_ == text_.size() || text_[at_] != '"') {
      const std::size_t end = std::min(text_.find_first_of(",\r\n\"", at_), text_.size());
      value = text_.substr(at_, end - at_);
      at_ = end;
      return value;
    }
    for (++at_;; ++at_) {
      if (at_ >= text_.size()) fail("a quote is not closed");
      if (text_[at_] == '"' && (++at_ == text_.size() || text_[at_] != '"')) return value;
      value += text_[at_];
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Row> rows_;
};

}  // namespace halo::test
