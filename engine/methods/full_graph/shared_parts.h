#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/methods/full_graph/full_graph.h"
#include "engine/record/rows/resolved_keys.h"

namespace halo {

/// Full-graph training in which neighbouring ranks work on one part of the graph together. The recording
/// says how many, for who shows parts and knows no method.
class SharedParts final : public FullGraph {
 public:
  SharedParts(WorkerParts& parts, std::unique_ptr<Propagator> propagator, bool layer0Cached, int ranksPerPart)
      : FullGraph(parts, std::move(propagator), layer0Cached), ranksPerPart_(ranksPerPart) {}

  std::map<std::string, std::string> findings() const override {
    return {{kRanksPerPart, std::to_string(ranksPerPart_)}};
  }

 private:
  int ranksPerPart_;
};

}  // namespace halo
