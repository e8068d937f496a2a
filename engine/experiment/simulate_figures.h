#pragma once

#include "engine/experiment/document.h"

namespace halo {

/// The figures of the devices that a [[simulate]] names: read from their files, replaced where it says so.
class SimulateFigures {
 public:
  SimulateFigures(Document& document, const SimulationKind& kind, const RunTable& table)
      : d_(document), kind_(kind), table_(table) {}

  /// False where some are missing; what is wrong is added to the document's problems.
  bool fill(const Effective& effective, SimulateSettings& simulation);

 private:
  bool read(const FigureKey& key, const Effective& effective, SimulateSettings& simulation);
  bool refuseNone(const FigureKey& key, const Effective& effective);
  void replace(const FigureKey& key, const Effective& effective, FigureSet& set);
  void wrong(Problem at, std::string message);

  Document& d_;
  const SimulationKind& kind_;
  const RunTable& table_;
};

}  // namespace halo
