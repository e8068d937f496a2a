#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/experiment/published.h"

namespace halo {

/// What one column of a comparison is held against published figures by.
struct Measured {
  std::map<std::string, std::string> parameters;  // as recorded
  std::string experiment;                         // the text of its file
  std::vector<double> values;                     // in the order of metrics()
};

/// A published figure beside ours.
struct Reproduced {
  Published figure;
  double ours = 0;
  enum class Verdict { noBand, inside, outside } verdict = Verdict::noBand;
};

/// The published figures of the experiments that the columns come from, whose runs all stand among the
/// columns. `missing` counts those whose runs do not.
std::vector<Reproduced> reproduced(const std::vector<Measured>& columns, int& missing);

/// The table, and as JSON lines.
void printReproduced(const std::vector<Reproduced>& figures, int missing, bool json);

}  // namespace halo
