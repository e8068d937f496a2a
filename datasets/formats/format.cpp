#include "datasets/formats/format.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "datasets/limits.h"
#include "engine/base/problem.h"

namespace halo {

void requireVertexCount(Index count, const std::filesystem::path& file, const std::string& what) {
  const auto refuse = [&](const std::string& why) {
    throw DamagedInput(
        {file.string(), 0, 0, "", std::to_string(count) + " " + what + " cannot be meant: " + why});
  };
  if (count < 0 || count > std::numeric_limits<Vertex>::max()) refuse("at most 2147483647 can be numbered");
  // while a graph is built two arrays of offsets live beside each other
  const double needed = 2.0 * sizeof(Index) * static_cast<double>(count);
  std::error_code folder;  // a folder has no size: what its files hold is not known here
  const auto bytes = std::filesystem::file_size(file, folder);
  requireRoom(needed, folder ? needed : static_cast<double>(bytes), std::to_string(count) + " " + what,
              {file.string(), 0, 0, "", ""});
}

bool namesLabels(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("label") != std::string::npos;
}

std::filesystem::path labelsBeside(const std::filesystem::path& graph) {
  const std::string file = graph.filename().string();
  const std::string stem = file.substr(0, file.find('.'));
  const std::size_t cut = stem.find_last_of("_-");
  const std::string family = cut == std::string::npos ? stem : stem.substr(0, cut + 1);
  std::vector<std::filesystem::path> found;
  std::error_code ignored;  // an unreadable folder holds no labels
  for (const auto& entry : std::filesystem::directory_iterator(
           graph.parent_path().empty() ? "." : graph.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    const bool belongs = name.starts_with(stem) || (name.starts_with(family) && family.size() < stem.size());
    if (belongs && name != file && namesLabels(name) && entry.is_regular_file(ignored))
      found.push_back(entry.path());
  }
  return found.empty() ? std::filesystem::path() : *std::min_element(found.begin(), found.end());
}

}  // namespace halo
