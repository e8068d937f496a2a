#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

void append(File& file, std::vector<Array> arrays) {
  file.arrays.insert(file.arrays.end(), arrays.begin(), arrays.end());
}

Written write(Truth truth, Random& random) {
  File file{"set.npz"};
  file.packing = chance(random, 0.5) ? Packing::zip : Packing::none;
  const std::string form = pick(random, {"_", "_matrix.", "_matrix_"});
  append(file, adjacencyArrays("adj" + form, truth.vertices, truth.arcs, random));
  if (chance(random, 0.4))
    append(file, sparseArrays("attr" + form, truth.features, random));
  else if (chance(random, 0.7))
    append(file, {matrixArray("attr_matrix", truth.features, random)});
  else
    truth.features = Matrix();
  if (truth.labels.empty()) {
    append(file, {matrixArray("labels", truth.multiLabels, random)});
  } else {
    Array labels{"labels", {truth.vertices}, {truth.labels.begin(), truth.labels.end()}};
    labels.type = pick(random, {"i8", "i4", "i2"});
    append(file, {labels});
  }
  if (chance(random, 0.6)) {
    for (const auto& [name, part] :
         {std::pair("train_mask", Split::train), {"val_mask", Split::valid}, {"test_mask", Split::test}}) {
      Array mask{name, {truth.vertices}, {}};
      for (const Split own : truth.split) mask.values.push_back(own == part ? 1 : 0);
      mask.type = pick(random, {"b1", "u1", "i8"});
      append(file, {mask});
    }
  } else {
    truth.split.clear();
  }
  shuffle(random, file.arrays);
  return {{file}, file.name, std::move(truth)};
}

const Registered<WriterEntry> self{{{"npz", "arrays in one archive", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
