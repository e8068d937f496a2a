// Nothing large is allocated inside an epoch after the first two: numeric arrays take their memory from the
// aligned operator new, which this program replaces by one that counts.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

namespace {

std::atomic<std::int64_t> allocations{0};

void* alignedMemory(std::size_t bytes, std::align_val_t alignment) {
  ++allocations;
  const auto align = static_cast<std::size_t>(alignment);
  void* memory = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes, std::align_val_t alignment) { return alignedMemory(bytes, alignment); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

using namespace halo;
using namespace halo::test;

namespace {

RunSettings settingsOf(const std::string& method, const std::string& kind, const std::string& norm) {
  RunSettings run = settingsFor(method, kind, 3, 7, 0.5);
  run.model.heads = 7;
  run.model.norm = norm;
  run.cluster.workers = worldSize();
  return run;
}

/// In four epochs after the first two.
std::int64_t allocationsOf(const RunSettings& run) {
  const Dataset set = hardGraphs().front();
  Trained trained(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  for (std::int32_t epoch = 0; epoch < 2; ++epoch) trained.method->runEpoch(epoch);
  const std::int64_t before = allocations;
  for (std::int32_t epoch = 2; epoch < 6; ++epoch) trained.method->runEpoch(epoch);
  return allocations - before;
}

}  // namespace

TEST_CASE("no method allocates a numeric array inside an epoch after the first two", "[allocation]") {
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if (worldSize() > 1 && !entry.distributed) continue;
    for (const std::string norm : {"none", "layer"}) {
      RunSettings run = settingsOf(std::string(name), "graphsage", norm);
      // an input that changes every epoch, and a method's own weights, in one of the two
      if (run.parameters.count("label_propagation") > 0 && norm == "layer")
        run.parameters.insert_or_assign("label_propagation", Value(0.5));
      if (!refusals(entry, run).empty()) continue;
      CAPTURE(name, norm);
      CHECK(allocationsOf(run) == 0);
    }
  }
}

TEST_CASE("mop allocates nothing round a ring either, whether its layers attend or not",
          "[allocation][mop]") {
  for (const std::string kind : {"graphsage", "gat"}) {
    RunSettings run = settingsOf("mop", kind, "none");
    run.parameters.insert_or_assign("adjacency", Value("ring"));
    CAPTURE(kind);
    CHECK(allocationsOf(run) == 0);
  }
}
