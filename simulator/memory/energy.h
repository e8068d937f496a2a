#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace halo::sim {

/// What single actions cost (resources/energy.toml): values of other process nodes are scaled.
class EnergyTable {
 public:
  EnergyTable() = default;
  /// Reads the file; throws InputError for what is written there, and where an item that accelerators
  /// ask for is missing or in another unit.
  explicit EnergyTable(const std::filesystem::path& file);

  /// Of one operation ("fp32_add"), pJ, in a process of `nodeNm`.
  double operationPj(const std::string& item, double nodeNm) const;
  /// Of one byte read from or written to a static memory of macros of `kilobytes`, 64 bits wide. Between the
  /// sizes of the table (and beyond) it lies on the line through them in logarithms.
  double sramPjPerByte(double kilobytes, double nodeNm) const;
  /// Of one byte from or to DRAM off the chip, everything in it.
  double dramPjPerByte() const;
  /// Of one byte over a link or to a memory, by the name of its item ("pcie_byte").
  double bytePj(const std::string& item) const;
  /// Logic energy of `nodeNm` ÷ that of 45 nm; between the nodes of the table as above.
  double scaling(double nodeNm) const;
  /// Whether scaling to this process leaves the nodes of the table (12 to 45 nm).
  static bool extrapolates(double nodeNm);
  /// "published: …" of an item.
  const std::string& source(const std::string& item) const;
  /// The same of a value that is scaled to a process: from where, and whether that is beyond the table.
  std::string scaledSource(const std::string& item, double nodeNm) const;

 private:
  void checkItems(const std::filesystem::path& file) const;
  struct Item {
    double value = 0, nodeNm = 0;
    std::string unit, source;
  };
  const Item& item(const std::string& name) const;
  std::map<std::string, Item> items_;
};

}  // namespace halo::sim
