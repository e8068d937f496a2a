#pragma once

#include <string>

#include "datasets/text/text.h"

namespace halo {

/// Lines, or entries, whose number a file says before them. What there is beyond is counted and not kept, so
/// that a small file whose lines swell takes no memory that it did not declare.
class Promised {
 public:
  /// line: on which the number stands
  Promised(const TextFile& text, Index count, Index line) : text_(text), count_(count), line_(line) {}

  /// One more is there: whether it was promised. Throws DamagedInput where a million are there that were not.
  bool take() {
    constexpr Index kCounted = 1'000'000;
    if (++there_ - count_ > kCounted) refuse("more than " + std::to_string(there_ - 1));
    return there_ <= count_;
  }
  Index there() const { return there_; }
  /// Throws DamagedInput where others are there than were promised: "promises 3 edges; the file holds 4".
  void require() const {
    if (there_ != count_) refuse(std::to_string(there_));
  }
  /// "entries" in the place of "edges".
  void call(std::string noun) { things_ = std::move(noun); }
  /// Said last.
  void hint(std::string words) { hint_ = std::move(words); }

 private:
  [[noreturn]] void refuse(const std::string& actual) const {
    text_.damagedAt(
        line_, "promises " + std::to_string(count_) + " " + things_ + "; the file holds " + actual + hint_);
  }

  const TextFile& text_;
  Index count_, line_, there_ = 0;
  std::string things_ = "edges", hint_;
};

}  // namespace halo
