// Nothing is allocated inside an epoch after the first two: operator new and what a program takes memory by
// in C are replaced by functions that count. Open MPI's own calls, for its requests, are not counted
// (resources/manual/limits/training.md, Allocations).
#include <dlfcn.h>
#include <malloc.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <set>

#include "engine/base/index.h"
#include "tests/engine/kernels/kernel_support.h"
#include "tests/engine/methods/ran.h"
#include "tests/engine/methods/trained.h"
#include "tests/support/graphs.h"

namespace {

std::atomic<bool> counting{false};
std::atomic<std::int64_t> allocations{0};
std::atomic<const char*> lastCaller{""};

bool ofOpenMpi(const char* library) {
  for (const char* part :
       {"libmpi", "libopen-", "/openmpi", "libpmix", "libevent", "libhwloc", "libucp", "libucs", "libfabric"})
    if (std::strstr(library, part) != nullptr) return true;
  return false;
}

void count(const void* caller) {
  if (!counting) return;
  Dl_info info{};
  const char* library =
      ::dladdr(caller, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "unknown";
  if (ofOpenMpi(library)) return;
  ++allocations;
  lastCaller = library;
}

}  // namespace

#ifdef __SANITIZE_ADDRESS__  // has its own malloc
#define HALO_TAKE std::malloc
#define HALO_TAKE_ALIGNED std::aligned_alloc
#else
#define HALO_TAKE __libc_malloc
#define HALO_TAKE_ALIGNED __libc_memalign
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_malloc(bytes);
}
void* calloc(std::size_t number, std::size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_calloc(number, bytes);
}
void* realloc(void* memory, std::size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  count(__builtin_return_address(0));
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif

namespace {

void* required(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* memoryOf(std::size_t bytes, const void* caller) {
  count(caller);
  return required(HALO_TAKE(std::max<std::size_t>(bytes, 1)));
}

void* alignedMemory(std::size_t bytes, std::align_val_t alignment, const void* caller) {
  count(caller);
  const auto align = static_cast<std::size_t>(alignment);
  return required(HALO_TAKE_ALIGNED(align, (bytes + align - 1) / align * align));
}

}  // namespace

void* operator new(std::size_t bytes) { return memoryOf(bytes, __builtin_return_address(0)); }
// not inlined: g++ would see free() where new stands, and warn
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return alignedMemory(bytes, alignment, __builtin_return_address(0));
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

using namespace halo;
using namespace halo::test;

namespace {

constexpr std::int32_t kEpochs = 14;

RunSettings settingsOf(const std::string& method, const std::string& kind, const std::string& norm) {
  RunSettings run = settingsFor(method, kind, 3, 9, 0.5);  // at least a column for each of 8 workers
  run.model.heads = 9;
  run.model.norm = norm;
  run.cluster.workers = worldSize();
  run.record.staleness = 3;
  // in another order of the seeds a batch may read more than any before it
  if (run.parameters.contains("shuffle")) run.parameters["shuffle"] = false;
  return run;
}

std::int64_t allocationsIn(const std::function<void()>& work) {
  allocations = 0;
  counting = true;
  work();
  counting = false;
  return allocations;
}

/// Of an epoch each, those after the first two; between them everything that the worker does between epochs.
std::vector<std::int64_t> allocationsOf(const RunSettings& run, const Dataset& set = hardGraphs().front()) {
  Trained trained(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
  std::vector<std::int64_t> allocationsPerEpoch;
  for (std::int32_t epoch = 0; epoch < kEpochs; ++epoch) {
    const bool observed = run.record.staleness > 0, probed = observed && epoch % run.record.staleness == 0;
    if (probed) trained.method->prepareProbe();
    const std::int64_t inside = allocationsIn([&] { trained.method->runEpoch(epoch); });
    if (epoch > 1) allocationsPerEpoch.push_back(inside);
    trained.method->takeWork();
    trained.comm.takeFlows();
    trained.tracer.clear();
    if (probed) trained.method->probeStaleness();
    if (observed && epoch % 2 == 0) trained.method->evaluate();
  }
  return allocationsPerEpoch;
}

const std::vector<std::int64_t> kNone(kEpochs - 2, 0);

/// Lays out every iteration of its stages when it begins (resources/manual/limits/training.md).
bool plansAnew(std::string_view method) { return method == "hyscale"; }

bool possible(const std::string& words, const RunSettings& run, Ran& ran) {
  const bool can = refusals(*find<MethodEntry>(run.method), run).empty();
  ran.note(words, run, can);
  return can;
}

}  // namespace

TEST_CASE("what is taken by new, by malloc or aligned is counted", "[allocation]") {
  CHECK(allocationsIn([] {}) == 0);
  std::unique_ptr<int> number;
  CHECK(allocationsIn([&] { number = std::make_unique<int>(1); }) == 1);
  CHECK(std::string(lastCaller.load()).find("haloscope") != std::string::npos);
#ifndef __SANITIZE_ADDRESS__
  void* volatile memory = nullptr;
  CHECK(allocationsIn([&] { memory = std::malloc(100); }) == 1);
  std::free(memory);
  CHECK(allocationsIn([&] { memory = std::aligned_alloc(64, 128); }) == 1);
  std::free(memory);
  CHECK(allocationsIn([&] { memory = ::memalign(64, 128); }) == 1);
  std::free(memory);
  CHECK(allocationsIn([&] {
          void* aligned = nullptr;
          if (::posix_memalign(&aligned, 64, 100) == 0) memory = aligned;
        }) == 1);
  std::free(memory);
#endif
}

TEST_CASE("no method allocates inside an epoch after the first two", "[allocation]") {
  Ran ran;
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if ((worldSize() > 1 && !entry.distributed) || plansAnew(name)) continue;
    for (const std::string norm : {"none", "layer"}) {
      RunSettings run = settingsOf(std::string(name), "graphsage", norm);
      // an input that changes every epoch, and a method's own weights, in one of the two
      if (run.parameters.count("label_propagation") > 0 && norm == "layer")
        run.parameters.insert_or_assign("label_propagation", Value(0.5));
      if (!possible(std::string(name), run, ran)) continue;
      for (const std::int64_t staleness : {3, 0})  // and where nothing comes between epochs
        for (const int threads : {1, 2}) {
          const kernel_test::Threads guard(threads);
          run.record.staleness = staleness;
          CAPTURE(name, norm, staleness, threads, lastCaller.load());
          CHECK(allocationsOf(run) == kNone);
        }
    }
  }
  ran.check();
}

TEST_CASE("nor where layers attend, or rows are many blocks of a kernel", "[allocation]") {
  Ran ran;
  const Dataset large = datasetOf("large", 3000, randomArcs(3000, 9000, 5), false);
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if ((worldSize() > 1 && !entry.distributed) || plansAnew(name)) continue;
    for (const std::string kind : {"gat", "gcn"}) {
      RunSettings run = settingsOf(std::string(name), kind, "layer");
      if (!possible(std::string(name), run, ran)) continue;
      for (const int threads : {1, 2}) {
        const kernel_test::Threads guard(threads);
        CAPTURE(name, kind, threads, lastCaller.load());
        CHECK(allocationsOf(run, kind == "gat" ? hardGraphs().front() : large) == kNone);
      }
      // rows of many widths, with nothing between epochs
      setLayers(run, 7);
      run.record.staleness = 0;
      if (!possible(std::string(name) + ", seven layers", run, ran)) continue;
      CAPTURE(name, kind, lastCaller.load());
      CHECK(allocationsOf(run) == kNone);
    }
  }
  ran.check();
}

/// The settings of every method with every other value of each of its switches and choices.
std::vector<std::pair<std::string, RunSettings>> otherChoices(Ran& ran) {
  std::vector<std::pair<std::string, RunSettings>> all;
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    if ((worldSize() > 1 && !entry.distributed) || plansAnew(name)) continue;
    const auto with = [&](std::string_view key, const Value& value, const std::string& word) {
      RunSettings run = settingsOf(std::string(name), "graphsage", "none");
      run.parameters.insert_or_assign(std::string(key), value);
      run.record.staleness = 0;
      const std::string words = std::string(name) + " " + std::string(key) + " = " + word;
      if (possible(words, run, ran)) all.emplace_back(words, run);
    };
    for (const Parameter& parameter : entry.declaration.parameters) {
      if (const auto* flag = std::get_if<Flag>(&parameter.type))
        with(parameter.key, Value(!flag->fallback), flag->fallback ? "false" : "true");
      if (const auto* choice = std::get_if<Choice>(&parameter.type))
        for (const std::string_view option : choice->options)
          if (option != choice->fallback)
            with(parameter.key, Value(std::string(option)), std::string(option));
    }
  }
  return all;
}

TEST_CASE("nor with any other value of a method's switches and choices", "[allocation]") {
  Ran ran;
  for (const auto& [choice, run] : otherChoices(ran)) {
    CAPTURE(choice);
    CHECK(allocationsOf(run) == kNone);
  }
  ran.check();
}

TEST_CASE("nor for vertex sets of some of the vertices, once each was met", "[allocation][p2p]") {
  constexpr std::int32_t kMet = 6;
  const Dataset set = hardGraphs().front();
  for (const std::string sampler : {"uniform", "saint-node"})
    for (const std::string weights : {"block", "global"}) {
      CAPTURE(sampler, weights);
      RunSettings run = with(settingsOf("p2p-minibatch", "gcn", "layer"), "sampler", sampler);
      run = with(with(run, "edge_weights", weights), "budget", std::int64_t{20});
      Trained trained(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      for (std::int32_t epoch = 0; epoch < 2 * kMet; ++epoch) {
        const std::int64_t epochAllocations = allocationsIn([&] { trained.method->runEpoch(epoch % kMet); });
        if (epoch >= kMet) CHECK(epochAllocations == 0);
        trained.method->takeWork();
        trained.comm.takeFlows();
        trained.tracer.clear();
      }
    }
}

TEST_CASE("nor for batches of some of the neighbours, once each was met", "[allocation]") {
  constexpr std::int32_t kMet = 4;
  const Dataset set = hardGraphs().front();
  std::set<std::string> methods;
  for (const auto& [name, entry] : registry<MethodEntry>()) {
    RunSettings run = settingsOf(std::string(name), "graphsage", "layer");
    if ((worldSize() > 1 && !entry.distributed) || plansAnew(name) || !run.parameters.contains("fanouts"))
      continue;
    run = with(with(run, "fanouts", std::string("2,3,2")), "batch", std::int64_t{5});
    for (const bool replace : {false, true}) {
      CAPTURE(name, replace);
      run = with(run, "replace", replace);
      if (!refusals(entry, run).empty()) continue;
      Trained trained(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
      for (std::int32_t epoch = 0; epoch < 3 * kMet; ++epoch) {
        const std::int64_t inside = allocationsIn([&] { trained.method->runEpoch(epoch % kMet); });
        CAPTURE(epoch, lastCaller.load());
        if (epoch >= 2 * kMet) CHECK(inside == 0);  // each batch was met, and no other is larger
        trained.method->takeWork();
        trained.comm.takeFlows();
        trained.tracer.clear();
      }
      methods.insert(std::string(name));
    }
  }
  CHECK(methods.size() >= 4);
}

TEST_CASE("hyscale plans every iteration anew, and takes no more for that in later epochs", "[allocation]") {
  if (worldSize() > 1) return;
  RunSettings run = with(settingsOf("hyscale", "graphsage", "none"), "manage", false);
  run.record.staleness = 0;
  for (const std::string prefetch : {"none", "two"}) {
    CAPTURE(prefetch);
    const std::vector<std::int64_t> taken = allocationsOf(with(run, "prefetch", prefetch));
    CHECK(static_cast<double>(taken.back()) <= 1.05 * static_cast<double>(taken[2]));
  }
}

TEST_CASE("nor where widths are chosen, or drawn, anew", "[allocation][adaqp]") {
  for (const std::int64_t cycle : {1, 3, 5})
    for (const double tradeOff : {0.0, 0.5, 1.0}) {
      RunSettings run = settingsOf("adaqp", "graphsage", "none");
      run.parameters.insert_or_assign("cycle", Value(cycle));
      run.parameters.insert_or_assign("trade_off", Value(tradeOff));
      run.parameters.insert_or_assign("group", Value(std::int64_t{2}));
      CAPTURE(cycle, tradeOff);
      CHECK(allocationsOf(run) == kNone);
    }
  RunSettings run = settingsOf("supergcn", "graphsage", "none");
  run.parameters.insert_or_assign("bits", Value("mixed"));
  run.parameters.insert_or_assign("redraw", Value(std::int64_t{3}));
  CHECK(allocationsOf(run) == kNone);
}

TEST_CASE("nor does pipegcn where messages travel for more epochs than two", "[allocation][pipegcn]") {
  if (worldSize() == 1) return;
  for (const std::string smoothing : {"none", "both"}) {
    RunSettings run = settingsOf("pipegcn", "graphsage", "none");
    run.parameters.insert_or_assign("depth", Value(std::int64_t{4}));
    run.parameters.insert_or_assign("smoothing", Value(smoothing));
    CAPTURE(smoothing);
    CHECK(allocationsOf(run) == kNone);
  }
}

TEST_CASE("mop allocates nothing round a ring either, whether its layers attend or not",
          "[allocation][mop]") {
  for (const std::string kind : {"graphsage", "gat"}) {
    RunSettings run = settingsOf("mop", kind, "none");
    run.parameters.insert_or_assign("adjacency", Value("ring"));
    CAPTURE(kind);
    CHECK(allocationsOf(run) == kNone);
  }
}
