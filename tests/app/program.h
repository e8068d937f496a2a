#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/places.h"
#include "tests/support/process.h"
#include "tests/support/scratch.h"

namespace halo::test {

/// The built `haloscope`, working in a folder of its own.
class Program {
 public:
  static std::vector<std::string> command(const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {std::string(kBinDir) + "/haloscope"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  std::map<std::string, std::string> environment(std::map<std::string, std::string> more = {}) const {
    more.emplace("HALO_DB", "");
    more.emplace("XDG_CACHE_HOME", (scratch_ / "cache").string());
    return more;
  }
  Ended operator()(const std::vector<std::string>& arguments,
                   const std::map<std::string, std::string>& more = {}) const {
    return test::run(command(arguments), environment(more), scratch_.path());
  }

  const std::filesystem::path& folder() const { return scratch_.path(); }
  /// Writes a file in the folder; returns its name.
  std::string file(const std::string& name, const std::string& contents) const {
    const auto path = scratch_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << contents;
    return name;
  }
  /// A small experiment: `epochs` of vanilla on the karate club by `workers`.
  std::string experiment(int epochs, int workers, const std::string& more = "") const {
    std::ostringstream text;
    text << "schema = 1\nname = \"small\"\n[training]\nepochs = " << epochs
         << "\n[cluster]\nworkers = " << workers << "\n"
         << more << "[[run]]\nmethod = \"vanilla\"\n";
    return file("small.toml", text.str());
  }

 private:
  Scratch scratch_;
};

/// One JSON object a line.
inline std::vector<nlohmann::json> jsonLines(const std::string& text) {
  std::vector<nlohmann::json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

/// What `compare --json` prints: one object.
inline nlohmann::json comparisonOf(const std::string& text) {
  const auto lines = jsonLines(text);
  return lines.size() == 1 ? lines.front() : nlohmann::json();
}

/// Those of its published figures, in their order.
inline std::vector<nlohmann::json> publishedOf(const nlohmann::json& comparison) {
  const auto& published = comparison.at("published");
  return published.contains("figures") ? published.at("figures").get<std::vector<nlohmann::json>>()
                                       : std::vector<nlohmann::json>();
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// What `script` does as root of its own mounts; nothing where that is not allowed. "$0" is the program. The
/// script ends with 99 where it cannot mount.
inline std::optional<Ended> mounted(const Program& haloscope, const std::string& script) {
  const Ended ended = run({"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script,
                           std::string(kBinDir) + "/haloscope"},
                          haloscope.environment(), haloscope.folder());
  if (ended.status != 99 && ended.status != 127 && !holds(ended.error, "unshare:")) return ended;
  WARN("SKIPPED: nothing can be mounted here");
  return std::nullopt;
}

}  // namespace halo::test
