#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

/// What a launcher and its ranks say, line by line. Of many lines the first and the last are kept: what ends
/// a run is said last. Of a long line its beginning is kept.
class LaunchLog {
 public:
  /// Keeps up to `lines` lines, an even number of them.
  explicit LaunchLog(std::size_t lines) : half_(lines / 2) {}

  void add(std::string_view line);
  bool empty() const { return first_.empty(); }
  /// Those that are kept, in order.
  std::vector<std::string> lines() const;
  /// The same, each with a line's end; where lines were left out, a line says how many.
  std::string text() const;

 private:
  std::size_t half_, leftOut_ = 0;
  std::vector<std::string> first_;
  std::deque<std::string> last_;
};

}  // namespace halo
