// How long each reader takes for a set of 100,000 vertices and 300,000 arcs as the property tests write them:
// reading_bench [FORMAT…]. Medians of nine, processor's time. Ratios between two builds: run both in turn.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <set>
#include <string>

#include "datasets/contract/format.h"
#include "engine/base/problem.h"
#include "tests/properties/saved.h"
#include "tests/properties/writer.h"

using namespace halo;
using namespace halo::properties;

namespace {

constexpr Index kVertices = 100'000, kArcs = 300'000, kFeatures = 8;
constexpr std::int32_t kClasses = 4;

/// Every vertex has an arc and a label: what formats leave out otherwise is not what is timed.
Truth largeTruth(Random& random) {
  Truth truth;
  truth.vertices = kVertices;
  const auto vertex = [&] { return static_cast<Vertex>(between(random, 0, kVertices - 1)); };
  for (Vertex v = 0; v < kVertices; ++v) truth.arcs.push_back({v, vertex()});
  while (static_cast<Index>(truth.arcs.size()) < kArcs) truth.arcs.push_back({vertex(), vertex()});
  truth.features.resize(kVertices, kFeatures);
  for (Scalar& value : truth.features.values()) value = static_cast<Scalar>(between(random, -32, 32)) / 4;
  truth.classes = kClasses;
  for (Index v = 0; v < kVertices; ++v) {
    truth.labels.push_back(static_cast<std::int32_t>(v % kClasses));
    truth.split.push_back(static_cast<Split>(1 + v % 3));
  }
  return truth;
}

double processorMs() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

double medianOfNine(const FormatEntry& format, const std::filesystem::path& path) {
  std::array<double, 9> times{};
  format.read(path, {});  // the first one also fills the system's cache of files
  for (double& time : times) {
    const double begin = processorMs();
    const RawDataset raw = format.read(path, {});
    time = processorMs() - begin;
  }
  std::ranges::nth_element(times, times.begin() + times.size() / 2);
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::set<std::string> names(argv + 1, argv + argc);
  for (const auto& [name, writer] : registry<WriterEntry>()) {
    const FormatEntry* format = find<FormatEntry>(name);
    if (format == nullptr || (!names.empty() && !names.contains(name))) continue;
    Random random = randomOf(/*seed=*/3);
    const SavedSet saved(writer.write(largeTruth(random), random));
    try {
      fmt::print("{:20} {:8.1f} ms\n", name, medianOfNine(*format, saved.path()));
    } catch (const DamagedInput& error) {
      fmt::print("{:20} {}\n", name, error.what());
    }
    std::fflush(stdout);
  }
}
