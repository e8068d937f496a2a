#pragma once

#include "engine/experiment/document.h"

namespace halo {

/// As it stands in a [[simulate]] table, of a key as its kind declares it: "simulate.slices",
/// "pipeline.stages".
std::string simulateKey(const std::string& declared);

/// The simulations of one [[simulate]] table.
class SimulationTable {
 public:
  SimulationTable(Document& document, const Known& known, const SimulationKind& kind, const RunTable& table);

  /// Whether a key can matter to simulations of this kind.
  bool concerns(const Assignment& a) const;
  /// Adds the simulation that one choice of all keys makes; what is wrong with it, to the document.
  void resolve(const Combination& combination, std::vector<SimulateSettings>& to);

 private:
  bool reads(const std::string& section) const;
  void ownKeys(const Effective& effective, SimulateSettings& simulation);
  void method(const Effective& effective, SimulateSettings& simulation);
  /// What the sections say; those that the kind does not read stay at their defaults.
  void sections(const Effective& effective, SimulateSettings& simulation);
  void flatSections(SimulateSettings& simulation) const;

  /// Whether the simulation has this key.
  bool takes(const SimulateSettings& simulation, const Assignment& a) const;
  std::optional<Value> valueOf(const SimulateSettings& simulation, const Assignment& a) const;
  std::string nameOf(const SimulateSettings& simulation, const Effective& effective) const;

  void wrong(Problem at, std::string message);
  /// Keys of the table itself that the simulation does not have.
  void refuseUnknown(const Effective& effective, const SimulateSettings& simulation);
  /// In words: the sections whose keys a table of this kind may have beside its own.
  std::string whatIsRead() const;
  /// What may stand where this key does.
  std::vector<std::string> keysBeside(const SimulateSettings& simulation, const Assignment& a) const;
  /// Adds what `ask` finds wrong, or throws for, at the key that is.
  template <class Ask>
  void report(const Effective& effective, const SimulateSettings& simulation, Ask ask);

  Document& d_;
  const Known& known_;
  const SimulationKind& kind_;
  const RunTable& table_;
  std::map<std::string, LinkSettings> links_;  // presets, and tables written in this file
};

}  // namespace halo
