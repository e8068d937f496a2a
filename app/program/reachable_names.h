#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halo {

/// Qt knows no names of files but UTF-8. While the object lives, files with other names are reached by links
/// in a folder of its own. The arguments then name the links instead.
class ReachableNames {
 public:
  /// Replaces such arguments. Throws InputError for a file that is not there, or that is to be written.
  explicit ReachableNames(std::span<char*> arguments);
  ~ReachableNames();
  ReachableNames(const ReachableNames&) = delete;
  ReachableNames& operator=(const ReachableNames&) = delete;

  /// `text` with the names as they were given.
  std::string asGiven(std::string text) const;

 private:
  /// The link to a file; makes it.
  std::string reach(std::string_view name);

  std::filesystem::path folder_;  // empty: none is needed
  std::vector<std::string> words_;
  std::vector<std::pair<std::string, std::string>> names_;  // link, name
};

}  // namespace halo
