#include "engine/base/index.h"
#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

/// Flags, one a column, or the numbers from 1 of those that are set.
Token cell(const Truth& truth, Index v, bool listed) {
  std::string text;
  for (Index c = 0; c < truth.features.cols(); ++c) {
    const bool set = truth.features(v, c) == 1;
    if (listed && !set) continue;
    text += (text.empty() ? "" : ",") + std::to_string(listed ? c + 1 : set);
  }
  return word(text);
}

File nodes(const Truth& truth, Random& random) {
  File file{"out1_node_feature_label.txt"};
  file.separator = "\t";
  const bool listed = chance(random, 0.5);
  const std::string amount = listed ? "feature_amount:" + std::to_string(truth.features.cols()) : "feature";
  file.lines.push_back({{word("node_id"), word(amount), word("label")}});
  for (const Index v : anyOrder(random, truth.vertices)) {
    const Index label = truth.labels[at(v)];
    Line line{{vertex(v, truth.vertices), cell(truth, v, listed), integer(label)}, true};
    line.unique = true;
    file.lines.push_back(line);
  }
  vary(file, {{}, {}, true, true, true, 1}, random);
  return file;
}

Written write(Truth truth, Random& random) {
  onlySingleLabels(random, truth);
  labelAll(random, truth);
  for (Scalar& value : truth.features.values()) value = value > 0 ? 1 : 0;
  File edges{"out1_graph_edges.txt"};
  edges.separator = "\t";
  edges.lines.push_back({{word("node_id"), word("node_id")}});
  for (const Arc arc : truth.arcs)
    edges.lines.push_back({{vertex(arc.source, truth.vertices), vertex(arc.target, truth.vertices)}, true});
  vary(edges, {{}, {}, true, true, true, 1}, random);
  Written written{{nodes(truth, random), edges}, "", std::move(truth)};
  if (chance(random, 0.4)) {
    written.truth.split.clear();
    return written;
  }
  File masks{"splits/toy_split_0.6_0.2_0.npz"};
  for (const auto& [name, part] :
       {std::pair("train_mask", Split::train), {"val_mask", Split::valid}, {"test_mask", Split::test}}) {
    masks.arrays.push_back({name, {written.truth.vertices}, {}, "i8"});
    for (const Split own : written.truth.split) masks.arrays.back().values.push_back(own == part ? 1 : 0);
  }
  written.files.push_back(masks);
  return written;
}

const Registered<WriterEntry> self{{{"geom-gcn", "two tables and masks in a folder", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
