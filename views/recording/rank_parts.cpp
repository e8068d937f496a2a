#include "views/recording/rank_parts.h"

#include <algorithm>
#include <charconv>

#include "views/look/units.h"

namespace halo {
namespace {

/// Parameters are recorded as TOML has them: words in quotes.
std::string wordOf(const std::map<std::string, std::string>& parameters, const char* key) {
  const auto parameter = parameters.find(key);
  std::string word = parameter == parameters.end() ? "" : parameter->second;
  std::erase(word, '"');
  return word;
}

std::int64_t numberIn(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The largest divisor of a number of ranks that is no larger than its root.
std::int64_t sideOf(std::int64_t ranks) {
  std::int64_t side = 1;
  for (std::int64_t i = 1; i * i <= ranks; ++i)
    if (ranks % i == 0) side = i;
  return side;
}

/// How many neighbouring ranks share a part; what does not divide the ranks is none.
std::int64_t sharersOf(std::int64_t ranks, const std::map<std::string, std::string>& parameters) {
  const std::string method = wordOf(parameters, "run.method");
  std::int64_t sharers = 1;
  if (method == "mop") sharers = ranks;
  if (method == "mop-partition") {
    const std::string grid = wordOf(parameters, "run.grid");  // GROUPSxSLICES, or auto
    const std::size_t cross = grid.find('x');
    sharers = cross == std::string::npos ? ranks / sideOf(ranks) : numberIn(grid.substr(cross + 1));
  }
  if (method == "cagnet") {
    const std::string variant = wordOf(parameters, "run.variant");
    if (variant == "1.5d") sharers = numberIn(wordOf(parameters, "run.replication"));
    if (variant == "2d") sharers = sideOf(ranks);
  }
  return sharers > 0 && ranks % sharers == 0 ? sharers : 1;
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
