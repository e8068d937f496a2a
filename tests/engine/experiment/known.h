#pragma once

#include <string>

#include "engine/experiment/experiment.h"

namespace halo::test {

/// What the experiment tests may name: their own declarations, so that no other part is needed.
inline Known known() {
  static constexpr std::string_view kSmoothing[] = {"none", "features", "gradients", "both"};
  static constexpr Parameter kPipe[] = {{"smoothing", "average over epochs", Choice{"none", kSmoothing}},
                                        {"decay", "weight of the past", Real{0.95, 0.0, 1.0}},
                                        {"delay", "epochs behind", Integer{1, 0, 8}},
                                        {"check", "compare hashes", Flag{false}},
                                        {"stages", "batches, or auto", Text{"auto", true}}};
  static constexpr Parameter kFile[] = {{"path", "owner of each vertex", Text{""}}};
  static constexpr Parameter kHyper[] = {{"passes", "refinement passes", Integer{8, 0, 100}}};
  static constexpr Parameter kEpsilon[] = {{"learn_epsilon", "train a weight", Flag{}}};
  Known known;
  known.methods = {
      {"pipegcn", "stale", "", kPipe}, {"single", "one worker", "", {}}, {"vanilla", "plain", "", {}}};
  known.partitioners = {{"file", "given", "", kFile},
                        {"hypergraph", "exact", "", kHyper},
                        {"metis", "cut", "", {}},
                        {"random", "even", "", {}}};
  known.layers = {{"gcn", "", "", {}}, {"gin", "", "", kEpsilon}, {"graphsage", "", "", {}}};
  known.links = {{"10gbe", {"10gbe", 9.4, 20.0}}};
  return known;
}

inline Experiment parse(const std::string& text, const std::vector<Override>& set = {}) {
  return parseExperiment(text, "a.toml", known(), set);
}

/// Every problem as a person reads it, one a line.
inline std::string problemsOf(const std::string& text, const std::vector<Override>& set = {}) {
  try {
    (void)parse(text, set);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace halo::test
