#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace halo {

/// One thing that a person wrote wrongly: where, and what would be right.
struct Problem {
  std::string file;         // path as the user gave it; empty: the command line
  std::int64_t line = 0;    // from 1; 0: the file as a whole
  std::int64_t column = 0;  // from 1; 0: unknown
  std::string key;          // dotted key or field; may be empty
  std::string message;      // what is wrong; what is allowed
};

/// `text` with its control characters, but line ends and tabs, as TOML writes them: \u0000. A zero would end
/// what an exception says, others would change the terminal.
std::string visible(const std::string& text);

/// "file:line:column: key: message"; absent parts are left out.
std::string describe(const Problem& problem);

/// Something a person wrote is wrong (exit status 2). Carries every problem found, in the order of the file.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  explicit InputError(Problem problem) : InputError(std::vector<Problem>{std::move(problem)}) {}
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// A data set or recording that is damaged or unreadable (exit status 4): file, place, what would be right.
class DamagedInput : public std::runtime_error {
 public:
  explicit DamagedInput(const Problem& problem) : std::runtime_error(describe(problem)) {}
};

/// The machine lacks something (exit status 5): what, and how to get it.
class EnvironmentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The one of `candidates` nearest to `word` by edit distance, or "" if none is near enough to be meant.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace halo
