#include "app/window/simulate_this.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "engine/record/analysis/pairing.h"

namespace halo {
namespace {

constexpr const char* kEmulated =
    "emulated-10gbe";  // whose figures a link of the run's own takes the place of
constexpr const char* kEthernet = "ethernet-10g";
constexpr double kBitsPerByte = 8;

using Parameters = std::map<std::string, std::string>;

/// "key = value" of each parameter `section.key`; keys of tables in it are left out, their table has them.
QString linesOf(const Parameters& parameters, const std::string& section) {
  const std::string prefix = section + ".";
  QString lines;
  for (auto at = parameters.lower_bound(prefix); at != parameters.end() && at->first.starts_with(prefix);
       ++at) {
    const std::string key = at->first.substr(prefix.size());
    if (key.find('.') == std::string::npos && key != "method")
      lines += QString::fromStdString(key + " = " + at->second + "\n");
  }
  return lines;
}

std::optional<std::string> valueOf(const Parameters& parameters, const std::string& key) {
  const auto value = parameters.find(key);
  return value == parameters.end() ? std::nullopt : std::optional(value->second);
}

QString sectionOf(const Parameters& parameters, const std::string& section) {
  QString lines = linesOf(parameters, section);
  if (const auto method = valueOf(parameters, section + ".method"))
    lines.prepend(QString::fromStdString("method = " + *method + "\n"));
  return lines.isEmpty() ? QString() : QString("[%1]\n%2\n").arg(QString::fromStdString(section), lines);
}

/// A number that the run recorded; nothing where the recording has none there, or no finite one.
std::optional<double> numberOf(const Parameters& parameters, const std::string& key) {
  const auto text = valueOf(parameters, key);
  if (!text) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  const bool all = error == std::errc() && end == text->data() + text->size();
  return all && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// The machine, as like the run's network as is known.
QString machineOf(const RunData& run) {
  const auto gbit = numberOf(run.parameters, "cluster.link.bandwidth_gbit"),
             latency = numberOf(run.parameters, "cluster.link.latency_us");
  if (!gbit || !latency) return QString("cluster = \"%1\"\n").arg(kEthernet);
  QString text = QString("cluster = \"%1\"\n").arg(kEmulated);
  for (const char* local : {"", "local_"})
    text += QString("machine.%1gb_per_s = %2\nmachine.%1wire_us = %3\n")
                .arg(local)
                .arg(*gbit / kBitsPerByte, 0, 'g', 12)
                .arg(*latency, 0, 'g', 12);
  return text;
}

}  // namespace

QString simulateRefusal(const RunData& run) {
  if (run.run.id == 0) return "No run is shown; choose one that trained.";
  if (run.run.kind != "training")
    return QString("Run %1 is a simulation already; choose one that trained.").arg(run.run.id);
  if (run.parameters.empty())
    return QString("Run %1 recorded no settings, so nobody knows what to simulate.").arg(run.run.id);
  return {};
}

QString simulateText(const RunData& run) {
  QString text = QString("schema = 1\nname = \"Run %1, simulated\"\n\n").arg(run.run.id);
  for (const char* section : {"dataset", "model", "partition"}) text += sectionOf(run.parameters, section);
  if (const auto seed = valueOf(run.parameters, "training.seed"))
    text += QString::fromStdString("[training]\nseed = " + *seed + "\n\n");
  text += "[[simulate]]\n" + machineOf(run);
  text += QString::fromStdString("method = \"" + run.run.method + "\"\n");
  text += QString("workers = %1\n").arg(run.run.workers);
  return text + linesOf(run.parameters, "run");
}

}  // namespace halo
