#pragma once

#include <QObject>
#include <deque>
#include <memory>

#include "engine/experiment/experiment.h"

namespace halo {

/// What experiment files may name, told by `haloscope methods --json`: the window itself links no method.
/// Declarations refer to words and parameters kept here; so it is neither copied nor moved.
class KnownNames {
 public:
  KnownNames() = default;
  KnownNames(const KnownNames&) = delete;
  KnownNames& operator=(const KnownNames&) = delete;

  const Known& known() const { return known_; }
  /// One JSON object a line; throws std::runtime_error naming a line that cannot be understood.
  void read(const std::string& lines);

 private:
  std::string_view keep(const std::string& word);
  Declaration declaration(const void* json);
  Parameter parameter(const void* json);
  SimulationKind simulation(const void* json);

  Known known_;
  std::deque<std::string> words_;
  std::deque<std::vector<std::string_view>> options_;
  std::deque<std::vector<Parameter>> parameters_;
};

}  // namespace halo
