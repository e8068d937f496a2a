#include "app/program/reachable_names.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "engine/base/plain_text.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

namespace fs = std::filesystem;

/// Whether the option names a file that is written.
bool writes(std::string_view option) {
  return option == "-o" || option == "--output" || option == "--screenshot";
}

void requireReachable(const std::string& name, bool written) {
  std::error_code unseen;
  if (written)
    throw InputError(Problem{.file = name, .message = "a file that is written needs a name in UTF-8"});
  if (!fs::exists(name, unseen)) throw InputError(Problem{.file = name, .message = "there is no such file"});
}

fs::path newFolder() {
  std::string folder = (fs::temp_directory_path() / "haloscope-names-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    throw EnvironmentError(folder + ": cannot be made: " + std::strerror(errno) +
                           "; name a folder that can be written to in TMPDIR");
  return folder;
}

}  // namespace

ReachableNames::ReachableNames(std::span<char*> arguments) {
  const auto valueIn = [](std::string_view word) { return word.starts_with("--") ? word.find('=') + 1 : 0; };
  std::string_view before;
  for (const std::string_view word : arguments) {
    const std::size_t value = valueIn(word);
    const bool written = writes(before) || writes(word.substr(0, std::max<std::size_t>(value, 1) - 1));
    if (validUtf8(word) != word) requireReachable(std::string(word.substr(value)), written);
    before = word;
  }
  words_.reserve(arguments.size());  // the arguments point into them
  for (char*& argument : arguments) {
    const std::string_view word = argument;
    if (validUtf8(word) != word)
      argument =
          words_.emplace_back(std::string(word.substr(0, valueIn(word))) + reach(word.substr(valueIn(word))))
              .data();
  }
}

std::string ReachableNames::reach(std::string_view name) {
  if (folder_.empty()) folder_ = newFolder();
  // by its number besides: two names may become one
  const fs::path link =
      folder_ / (std::to_string(names_.size()) + "-" + validUtf8(fs::path(name).filename().string()));
  fs::create_symlink(fs::absolute(name), link);
  names_.emplace_back(link.string(), name);
  return link.string();
}

ReachableNames::~ReachableNames() {
  std::error_code left;
  if (!folder_.empty()) fs::remove_all(folder_, left);
}

std::string ReachableNames::asGiven(std::string text) const {
  for (const auto& [link, name] : names_)
    for (std::size_t at = 0; (at = text.find(link, at)) != std::string::npos; at += name.size())
      text.replace(at, link.size(), name);
  return text;
}

}  // namespace halo
