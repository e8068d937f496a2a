#include "datasets/contract/format.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "datasets/input/limits.h"
#include "datasets/input/packings.h"
#include "engine/base/problem.h"

namespace halo {

void requireVertexCount(Index count, const std::filesystem::path& file, const std::string& unit, Index line) {
  const auto refuse = [&](const std::string& why) {
    throw DamagedInput({.file = file.string(),
                        .line = line,
                        .message = std::to_string(count) + " " + unit + " cannot be meant: " + why});
  };
  if (count < 0 || count > std::numeric_limits<Vertex>::max()) refuse("at most 2147483647 can be numbered");
  // while a graph is built two arrays of offsets live beside each other
  const double needed = 2.0 * sizeof(Index) * static_cast<double>(count);
  std::error_code folder;  // a folder has no size: what its files hold is not known here
  const auto bytes = std::filesystem::file_size(file, folder);
  requireRoom(needed, folder ? needed : static_cast<double>(bytes), std::to_string(count) + " " + unit,
              {file.string(), line, 0, "", ""});
}

std::vector<std::filesystem::path> setsAt(const std::filesystem::path& path,
                                          bool (*standsForSet)(const std::filesystem::path& file)) {
  std::vector<std::filesystem::path> sets;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (standsForSet(entry.path())) sets.push_back(entry.path());
    std::sort(sets.begin(), sets.end());
    // of a file that is there plain and packed the plain one stands for the set
    std::erase_if(sets, [](const auto& file) {
      const auto first = plainOrPacked(withoutPacking(file));
      return !first.empty() && first != file;
    });
  } else if (standsForSet(path)) {
    sets.push_back(path);
  }
  return sets;
}

bool namesLabels(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("label") != std::string::npos;
}

}  // namespace halo
