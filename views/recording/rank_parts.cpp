#include "views/recording/rank_parts.h"

#include <algorithm>

#include "engine/base/whole_number.h"
#include "engine/record/rows/resolved_keys.h"
#include "views/look/units.h"

namespace halo {
namespace {

/// How many neighbouring ranks share a part, as the run says; what does not divide the ranks is none.
std::int64_t sharersOf(std::int64_t ranks, const std::map<std::string, std::string>& parameters) {
  const auto recorded = parameters.find(kRanksPerPart);
  if (recorded == parameters.end()) return 1;
  std::int64_t sharers = 0;
  const bool divides = readWhole(recorded->second, sharers) && sharers > 0 && ranks % sharers == 0;
  return divides ? sharers : 1;
}

struct Part {
  std::int64_t number = 0, first = 0, last = 0;  // ranks
  std::int64_t vertices = 0, mostHaloRows = 0;
};

QString textOf(const Part& part) {
  const QString vertices = formatCount(part.vertices), rows = formatCount(part.mostHaloRows);
  if (part.first == part.last)
    return QStringLiteral("part %1: %2 vertices, %3 halo rows").arg(part.number).arg(vertices, rows);
  return QStringLiteral("part %1 of ranks %2 to %3: %4 vertices, at most %5 halo rows a rank")
      .arg(part.number)
      .arg(part.first)
      .arg(part.last)
      .arg(vertices, rows);
}

}  // namespace

std::map<std::int64_t, QString> partsOfRanks(const std::vector<WorkerRow>& workers,
                                             const std::map<std::string, std::string>& parameters) {
  const std::int64_t sharers = sharersOf(std::ssize(workers), parameters);
  const auto owns = [](const WorkerRow& worker) {
    return worker.vertices > 0 && worker.role.find(':') == std::string::npos;  // no engine of a device
  };
  std::map<std::int64_t, Part> parts;
  for (const WorkerRow& worker : workers) {
    if (!owns(worker)) continue;
    const std::int64_t number = worker.rank / sharers;
    Part& part = parts.try_emplace(number, Part{number, worker.rank, worker.rank}).first->second;
    part.first = std::min(part.first, worker.rank);
    part.last = std::max(part.last, worker.rank);
    part.vertices += worker.vertices;
    part.mostHaloRows = std::max(part.mostHaloRows, worker.remote);
  }
  std::map<std::int64_t, QString> texts;
  for (const WorkerRow& worker : workers)
    if (owns(worker)) texts[worker.rank] = textOf(parts.at(worker.rank / sharers));
  return texts;
}

}  // namespace halo
