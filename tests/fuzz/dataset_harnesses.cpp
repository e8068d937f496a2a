// Every format that registers, over sets that the property generator writes: its members apart, so that what
// is changed in an archive lies below its checksum.

#include <cstdlib>

#include "datasets/contract/format.h"
#include "datasets/load.h"
#include "engine/base/check.h"
#include "tests/fuzz/bundle.h"
#include "tests/fuzz/harness.h"
#include "tests/properties/writer.h"

namespace halo::fuzz {
namespace {

using properties::File;

Bundle bundleOf(const properties::Written& written) {
  Bundle files;
  for (const File& file : written.files)
    if (file.name.ends_with(".npz"))
      for (const properties::Array& array : file.arrays)
        files.emplace_back(file.name + "/" + array.name + ".npy", npyBytes(array));
    else
      files.emplace_back(file.name, render(file));
  return files;
}

std::vector<std::string> seedsOf(const properties::WriterEntry& writer) {
  constexpr std::uint64_t kSeeds = 40;
  std::vector<std::string> seeds;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
    seeds.push_back(bundled(bundleOf(writtenBy(writer, seed))));
  return seeds;
}

/// A reader gives a graph whose parts agree.
void checkParts(const Dataset& set) {
  HALO_CHECK(set.features.rows() == set.vertices());
  HALO_CHECK(static_cast<Index>(set.split.size()) == set.vertices());
  HALO_CHECK(set.multiLabel() ? set.multiLabels.rows() == set.vertices()
                              : static_cast<Index>(set.labels.size()) == set.vertices());
  for (const std::int32_t label : set.labels) HALO_CHECK(label >= -1 && label < set.classes);
  for (const Vertex column : set.arcs.columns) HALO_CHECK(column >= 0 && column < set.vertices());
}

/// The first file, or all of them as a folder.
void readSet(std::string_view bytes, const std::string& format, const std::string& open) {
  ::unsetenv("XDG_CACHE_HOME"), ::unsetenv("HOME");  // nothing is kept
  const auto folder = emptyFolder();
  save(unbundled(bytes), folder);
  DatasetRequest request;
  request.name = (folder / open).string();
  request.format = format;
  request.memoryLimitGib = 0.1;  // under the sanitizers a million generated rows take seconds
  checkParts(loadDataset(request));
}

}  // namespace

std::vector<Harness> datasetHarnesses() {
  std::vector<Harness> all;
  for (const auto& [name, entry] : registry<FormatEntry>()) {
    const auto* writer = find<properties::WriterEntry>(name);
    if (writer == nullptr) continue;  // a test of its own says so
    const std::string open = writtenBy(*writer, 1).open;
    all.push_back({name, [name, open](std::string_view bytes) { readSet(bytes, name, open); },
                   [writer] { return seedsOf(*writer); }});
  }
  all.push_back({"any-format", [](std::string_view bytes) { readSet(bytes, "", ""); },
                 [] {
                   std::vector<std::string> seeds;
                   for (const auto& [name, writer] : registry<properties::WriterEntry>())
                     for (std::uint64_t seed = 1; seed <= 5; ++seed)
                       seeds.push_back(bundled(bundleOf(writtenBy(writer, seed))));
                   return seeds;
                 }});
  return all;
}

}  // namespace halo::fuzz
