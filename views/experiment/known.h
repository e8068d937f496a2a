#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace halo {

/// What experiment files may name, as `haloscope methods --json` tells it: views link no method. Declarations
/// refer to words and parameters kept here; so it is neither copied nor moved.
class KnownNames {
 public:
  KnownNames() = default;
  KnownNames(const KnownNames&) = delete;
  KnownNames& operator=(const KnownNames&) = delete;

  const Known& known() const { return known_; }
  /// One JSON object a line. Folders named there begin at `resources`, and the links are those of its
  /// links.toml. Throws std::runtime_error naming a line that cannot be understood, InputError of the links.
  void read(const std::string& lines, const std::filesystem::path& resources);

 private:
  std::string_view keep(const std::string& word);
  Declaration declaration(const void* json);
  Parameter parameter(const void* json);
  SimulationKind simulation(const void* json, const std::filesystem::path& resources);

  Known known_;
  std::deque<std::string> words_;
  std::deque<std::vector<std::string_view>> options_;
  std::deque<std::vector<Parameter>> parameters_;
};

}  // namespace halo
