// Which runs of a test were possible, so that a method that refuses everything does not pass for one that was
// tested.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "tests/engine/methods/trained.h"

namespace halo::test {

/// What a method cannot do at all, whatever else the run asks for: written down here, not asked of it.
inline bool impossible(const RunSettings& run) {
  static const std::set<std::string> attending = {
      "dgcl", "distdglv2", "dorylus", "lhop", "minibatch", "mop",      "mop-partition", "neutronstar",
      "p2p",  "pagraph",   "pipegcn", "sar",  "single",    "supergcn", "vanilla"};
  const std::int64_t workers = run.cluster.workers;
  // fan-outs and the order of seeds, which runs of all methods are given, are nothing to other samplers
  if (run.method == "minibatch" && run.parameters.text("sampler") != "neighbour") return true;
  // nobody says with which fan-outs
  if (run.method == "p2p-minibatch" && run.parameters.text("evaluation") == "sampled" &&
      run.parameters.text("eval_fanouts").empty())
    return true;
  if (run.method == "hyscale") {
    const Values& values = run.parameters;
    if (workers != 1 || values.text("sampler") != "neighbour") return true;
    if (values.text("device") == "host" && values.text("clock") == "virtual") return true;
  }
  if (run.method == "moa" && workers % 2 != 0) return true;  // as many aggregate as update
  if (run.method == "cagnet") {
    const std::string& variant = run.parameters.text("variant");
    if (variant == "1.5d" && workers % 2 != 0) return true;            // two copies of each block
    if (variant == "2d" && workers != 1 && workers != 4) return true;  // no square
  }
  if (run.model.kind != "gat") return false;
  if (!attending.contains(run.method)) return true;
  if (run.method != "supergcn") return false;
  const std::string& aggregation = run.parameters.text("aggregation");  // softmax has no partial sums
  return aggregation == "pre" || aggregation == "hybrid";
}

/// Which methods a test ran, by the words that tell their forms and by kind of layer.
class Ran {
 public:
  /// A run that the test comes to, and whether it will be run.
  void note(const std::string& words, const RunSettings& run, bool runs) {
    Form& form = forms_[words + ", " + run.model.kind];
    form.runs += runs ? 1 : 0;
    form.impossible = impossible(run);
  }
  /// Everything that can be run was, at least once.
  void check() const {
    CHECK_FALSE(forms_.empty());
    for (const auto& [words, form] : forms_) {
      CAPTURE(words, form.runs);
      CHECK((form.runs > 0) == !form.impossible);
    }
  }

 private:
  struct Form {
    int runs = 0;
    bool impossible = false;
  };
  std::map<std::string, Form> forms_;
};

}  // namespace halo::test
