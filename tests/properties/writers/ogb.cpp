#include "engine/base/index.h"
#include "tests/properties/writer.h"

namespace halo::properties {
namespace {

/// Tables of OGB have no names, no comments, and come plain or as .gz.
File table(const std::string& name, Random& random) {
  File file{name};
  file.separator = ",";
  file.cells = true;
  file.crlf = chance(random, 0.3);
  file.mark = chance(random, 0.1);
  if (chance(random, 0.5)) {
    file.packing = Packing::gzip;
    file.name += ".gz";
  }
  return file;
}

File edges(const Truth& truth, Random& random) {
  File file = table("raw/edge.csv", random);
  for (const Arc arc : truth.arcs) {
    Line line{{vertex(arc.source, truth.vertices), vertex(arc.target, truth.vertices)}, true};
    line.needed = true;
    file.lines.push_back(line);
  }
  return file;
}

File features(const Truth& truth, Random& random) {
  File file = table("raw/node-feat.csv", random);
  for (Index v = 0; v < truth.vertices; ++v) {
    Line line;
    for (const Scalar value : truth.features.row(v))
      line.tokens.push_back(real(static_cast<double>(value), random));
    line.more = v > 0;  // the first row says how many there are
    line.fewer = line.more && truth.features.cols() > 1;
    line.needed = true;
    file.lines.push_back(line);
  }
  return file;
}

File labels(const Truth& truth, Random& random) {
  File file = table("raw/node-label.csv", random);
  file.cells = false;  // an empty one may be a vertex without label
  for (Index v = 0; v < truth.vertices; ++v) {
    Line line;
    line.needed = true;
    if (truth.labels.empty()) {
      for (const Scalar flag : truth.multiLabels.row(v))
        line.tokens.push_back({flag == 1 ? "1" : "0", Role::integer});
      line.fewer = line.more = v > 0;
    } else {
      const std::int32_t label = truth.labels[at(v)];
      line.tokens.push_back({label < 0 ? "nan" : std::to_string(label), Role::integer});
    }
    file.lines.push_back(line);
  }
  return file;
}

void addSplit(Written& written, Random& random) {
  const Truth& truth = written.truth;
  for (const auto& [name, part] :
       {std::pair("train", Split::train), {"valid", Split::valid}, {"test", Split::test}}) {
    File file = table(std::string("split/random/") + name + ".csv", random);
    file.cells = false;
    for (const Index v : anyOrder(random, truth.vertices))
      if (truth.split[at(v)] == part) file.lines.push_back({{vertex(v, truth.vertices)}});
    written.files.push_back(file);
  }
}

Written write(Truth truth, Random& random) {
  Written written{{}, "", std::move(truth)};
  Truth& now = written.truth;
  File count = table("raw/num-node-list.csv", random);
  count.lines.push_back({{{std::to_string(now.vertices), Role::integer}}});
  count.lines[0].more = count.required = true;
  written.files = {count, edges(now, random)};
  written.files[1].required = true;
  if (chance(random, 0.7)) {
    count = table("raw/num-edge-list.csv", random);
    count.lines.push_back({{{std::to_string(now.arcs.size()), Role::count}}});
    written.files.push_back(count);
  } else {
    for (Line& line : written.files[1].lines) line.needed = false;
  }
  if (chance(random, 0.8))
    written.files.push_back(features(now, random));
  else
    now.features = Matrix();
  written.files.push_back(labels(now, random));
  if (chance(random, 0.8))
    addSplit(written, random);
  else
    now.split.clear();
  return written;
}

const Registered<WriterEntry> self{{{"ogb", "a folder of tables", "", {}}, write}};

}  // namespace
}  // namespace halo::properties
