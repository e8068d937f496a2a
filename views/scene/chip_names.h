#pragma once

#include <QStringList>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace halo {

/// What is known of a configuration for its name.
struct ChipFacts {
  QString recording;               // absolute path
  std::vector<std::int64_t> runs;  // by id
  std::string method;
  std::int64_t workers = 1;                       // that train; 0: none, a device is simulated
  std::map<std::string, std::string> parameters;  // keys of the first run, as they are recorded
};

/// A name each: the numbers of the runs and whatever differs among the chips, what all have alike left out.
/// "#1–5 pipegcn ×4", "#7 overlap=local-first"; of several recordings with the name of the file: "a.db #1
/// vanilla". Of more than three settings the others are counted: "and 2 more".
QStringList chipNames(std::span<const ChipFacts> chips);

}  // namespace halo
