#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/places.h"

namespace halo {

/// The file's text, found from the source folder; empty if it is not there.
inline std::string pageText(const std::filesystem::path& page) {
  std::ifstream in(std::filesystem::path(kSourceDir) / page);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Every Markdown page below `folder`, as paths from the source folder.
inline std::vector<std::filesystem::path> pagesBelow(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> pages;
  const std::filesystem::path root = kSourceDir;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
    if (entry.path().extension() == ".md") pages.push_back(std::filesystem::relative(entry.path(), root));
  return pages;
}

/// Everything that we write for readers: manual, design, and what lies on top.
inline std::vector<std::filesystem::path> allPages() {
  std::vector<std::filesystem::path> pages = pagesBelow("resources/manual");
  for (const auto& page : pagesBelow("resources/design")) pages.push_back(page);
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) pages.emplace_back(name);
  return pages;
}

}  // namespace halo
