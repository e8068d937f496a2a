#include "simulator/memory/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/problem.h"
#include "engine/experiment/figure_file.h"

namespace halo::sim {
namespace {

constexpr std::pair<double, const char*> kSrams[] = {
    {8, "sram_8kb_64bit"}, {32, "sram_32kb_64bit"}, {1000, "sram_1mb_64bit"}};
constexpr std::pair<double, const char*> kNodes[] = {
    {12, "scaling_12nm"}, {16, "scaling_16nm"}, {28, "scaling_28nm"}, {45, "scaling_45nm"}};
// What a value may be of.
constexpr const char *kPerOperation = "pJ an operation", *kPerAccess = "pJ an access of 8 bytes",
                     *kPerByte = "pJ a byte", *kRatio = "ratio";
constexpr const char* kUnits[] = {kPerOperation, kPerAccess, kPerByte, kRatio};
constexpr std::pair<const char*, const char*> kOthers[] = {{"fp32_add", kPerOperation},
                                                           {"fp32_multiply", kPerOperation},
                                                           {"int32_add", kPerOperation},
                                                           {"register_32bit", kPerOperation},
                                                           {"crossbar_1to4_32bit", kPerOperation},
                                                           {"hbm_byte", kPerByte},
                                                           {"pcie_byte", kPerByte}};
constexpr double kAccessBytes = 8;

/// y at x on the polygon through the points in logarithms, its ends extended.
double onLine(std::span<const std::pair<double, double>> points, double x) {
  std::size_t i = 1;
  while (i + 1 < points.size() && x > points[i].first) ++i;
  const auto [x0, y0] = points[i - 1];
  const auto [x1, y1] = points[i];
  return y0 * std::pow(y1 / y0, std::log(x / x0) / std::log(x1 / x0));
}

}  // namespace

EnergyTable::EnergyTable(const std::filesystem::path& file) {
  static constexpr Parameter kKeys[] = {
      {"value", "pJ, or a ratio of energies", Real{1, 1e-6, 1e6}},
      {"unit", "pJ an operation, pJ an access of 8 bytes, pJ a byte, or ratio", Text{""}},
      {"node_nm", "process it was found in; 0: does not scale", Real{45, 0, 1000}},
  };
  for (const auto& [name, table] : readFigures(file, kKeys))
    items_[name] = {table.figures.real("value"), table.figures.real("node_nm"), table.figures.text("unit"),
                    table.source};
  checkItems(file);
}

void EnergyTable::checkItems(const std::filesystem::path& file) const {
  std::vector<Problem> problems;
  const auto wrong = [&](const std::string& key, std::string message) {
    problems.push_back({.file = file.string(), .key = key, .message = std::move(message)});
  };
  std::set<std::string> needed;
  const auto need = [&](const std::string& name, const std::string& unit) {
    needed.insert(name);
    const auto entry = items_.find(name);
    if (entry == items_.end())
      wrong(name, "missing; accelerators ask for it");
    else if (entry->second.unit != unit)
      wrong(name + ".unit",
            "'" + entry->second.unit + "' is not what this item is counted in; \"" + unit + "\"");
  };
  for (const auto& [kilobytes, name] : kSrams) need(name, kPerAccess);
  for (const auto& [node, name] : kNodes) need(name, kRatio);
  for (const auto& [name, unit] : kOthers) need(name, unit);
  for (const auto& [name, item] : items_)
    if (!needed.contains(name) && std::ranges::find(kUnits, item.unit) == std::end(kUnits))
      wrong(name + ".unit", "'" + item.unit + "' is no unit of this file; " + kUnits[0] + ", " + kUnits[1] +
                                ", " + kUnits[2] + " or " + kUnits[3]);
  if (!problems.empty()) throw InputError(std::move(problems));
}

const EnergyTable::Item& EnergyTable::item(const std::string& name) const {
  const auto entry = items_.find(name);
  HALO_CHECK(entry != items_.end());
  return entry->second;
}

double EnergyTable::scaling(double nodeNm) const {
  std::array<std::pair<double, double>, std::size(kNodes)> points;
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {kNodes[i].first, item(kNodes[i].second).value};
  return onLine(points, nodeNm);
}

bool EnergyTable::extrapolates(double nodeNm) {
  return nodeNm < std::begin(kNodes)->first || nodeNm > std::prev(std::end(kNodes))->first;
}

std::string EnergyTable::scaledSource(const std::string& name, double nodeNm) const {
  const Item& entry = item(name);
  if (nodeNm == entry.nodeNm) return entry.source;
  std::string text =
      fmt::format("{}; scaled from {:g} to {:g} nm, assumed within 30 %", entry.source, entry.nodeNm, nodeNm);
  if (extrapolates(nodeNm))
    text += fmt::format("; extrapolated, the table's processes end at {:g} and {:g} nm",
                        std::begin(kNodes)->first, std::prev(std::end(kNodes))->first);
  return text;
}

double EnergyTable::bytePj(const std::string& name) const {
  const Item& entry = item(name);
  HALO_CHECK(entry.unit == kPerByte);
  return entry.value;
}

double EnergyTable::operationPj(const std::string& name, double nodeNm) const {
  const Item& entry = item(name);
  return entry.value * scaling(nodeNm) / scaling(entry.nodeNm);
}

double EnergyTable::sramPjPerByte(double kilobytes, double nodeNm) const {
  std::array<std::pair<double, double>, std::size(kSrams)> points;
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {kSrams[i].first, item(kSrams[i].second).value};
  const double measured = item(kSrams[0].second).nodeNm;
  return onLine(points, kilobytes) / kAccessBytes * scaling(nodeNm) / scaling(measured);
}

double EnergyTable::dramPjPerByte() const { return bytePj("hbm_byte"); }

const std::string& EnergyTable::source(const std::string& name) const { return item(name).source; }

}  // namespace halo::sim
