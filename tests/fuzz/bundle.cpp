#include "tests/fuzz/bundle.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "tests/properties/arrays.h"

namespace halo::fuzz {
namespace {

constexpr std::string_view kMark = "@@@ ";

bool isHarmless(std::string_view name) {
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/';
  });
  return plain && !name.empty() && name.size() < 100 && name[0] != '/' && name.find("..") == name.npos;
}

}  // namespace

std::string bundled(const Bundle& files) {
  std::string bytes;
  for (const auto& [name, content] : files) bytes += std::string(kMark) + name + "\n" + content + "\n";
  return bytes;
}

Bundle unbundled(std::string_view bytes) {
  Bundle files;
  while (bytes.starts_with(kMark)) {
    const std::size_t line = std::min(bytes.find('\n'), bytes.size());
    const std::string_view name = bytes.substr(kMark.size(), line - kMark.size());
    bytes.remove_prefix(std::min(line + 1, bytes.size()));
    const std::size_t end = bytes.starts_with(kMark) ? 0 : bytes.find("\n" + std::string(kMark));
    std::string_view content = bytes.substr(0, end);
    bytes.remove_prefix(end == bytes.npos ? bytes.size() : end == 0 ? 0 : end + 1);
    if (end == bytes.npos && content.ends_with('\n')) content.remove_suffix(1);
    if (isHarmless(name)) files.emplace_back(name, content);
  }
  return files;
}

void save(const Bundle& files, const std::filesystem::path& folder) {
  std::map<std::string, Bundle> archives;
  const auto write = [&](const std::string& name, const std::string& content) {
    std::error_code refused;
    std::filesystem::create_directories((folder / name).parent_path(), refused);
    std::ofstream(folder / name, std::ios::binary) << content;
  };
  for (const auto& [name, content] : files) {
    const std::size_t inside = name.find(".npz/");
    if (inside == name.npos)
      write(name, content);
    else
      archives[name.substr(0, inside + 4)].emplace_back(name.substr(inside + 5), content);
  }
  for (const auto& [name, members] : archives) write(name, properties::zipBytes(members, false));
}

}  // namespace halo::fuzz
