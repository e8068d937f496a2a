// The functional twin of the pipeline: batches that are really aggregated and updated, in
// the order that the simulation gives them and by two threads, make the numbers of the mixture of parallelism
// without a pipeline, slice by slice and phase after phase.
#include <algorithm>
#include <catch2/catch.hpp>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#include "datasets/graph/order.h"
#include "engine/base/index.h"
#include "engine/base/matrix.h"
#include "tests/simulator/pipeline/pipeline_fixture.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::test;

namespace {

constexpr int kPhases = 5;
constexpr Index kWidth = 6, kSlices = 3;
constexpr Scalar kMissing = std::numeric_limits<Scalar>::quiet_NaN();

Matrix numbers(Index rows, Index columns, std::uint64_t seed) {
  Matrix matrix;
  matrix.resize(rows, columns);
  PhiloxStream random(seed, Purpose::shuffle, 9);
  for (Scalar& value : matrix.values()) value = static_cast<Scalar>(random.uniform() - 0.5);
  return matrix;
}

/// Columns [first, end) of the sums of a row's neighbours.
void aggregate(const Csr& A, const Matrix& H, Index row, Index first, Index end, Matrix& Z) {
  for (Index c = first; c < end; ++c) {
    Z(row, c) = 0;
    for (const Vertex v : A.row(row)) Z(row, c) += H(v, c);
  }
}

void update(const Matrix& Z, const Matrix& W, Index row, Matrix& H) {
  for (Index c = 0; c < kWidth; ++c) {
    Scalar sum = 0;
    for (Index k = 0; k < kWidth; ++k) sum += Z(row, k) * W(k, c);
    H(row, c) = sum;
  }
}

std::vector<Matrix> weights() {
  std::vector<Matrix> all;
  for (int p = 0; p < kPhases; ++p)
    all.push_back(numbers(kWidth, kWidth, static_cast<std::uint64_t>(p) + 10));
  return all;
}

/// Every slice of the columns aggregated for all vertices, then all rows updated.
Matrix withoutPipeline(const Csr& A, Matrix H) {
  const std::vector<Matrix> W = weights();
  Matrix Z;
  Z.resize(H.rows(), kWidth);
  for (int p = 0; p < kPhases; ++p) {
    for (Index slice = 0; slice < kSlices; ++slice)
      for (Index r = 0; r < H.rows(); ++r)
        aggregate(A, H, r, kWidth * slice / kSlices, kWidth * (slice + 1) / kSlices, Z);
    for (Index r = 0; r < H.rows(); ++r) update(Z, W[at(p)], r, H);
  }
  return H;
}

/// State and sums as the devices keep them: what is not there yet is no number.
struct Devices {
  Devices(const Csr& matrix, BatchCut batches, int buffers, const Matrix& input)
      : A(matrix), cut(std::move(batches)), W(weights()), state(at(buffers)) {
    state[0] = input;
    for (std::size_t b = 1; b < state.size(); ++b) {
      state[b].resize(input.rows(), kWidth);
      state[b].fill(kMissing);
    }
    Z.resize(input.rows(), kWidth);
    Z.fill(kMissing);
  }

  Matrix& stateOf(int phase) { return state[at(phase) % state.size()]; }
  template <class Use>
  void rowsOf(int batch, const Use& use) {
    for (Index r = cut.batching.begin(batch); r < cut.batching.begin(batch + 1); ++r) use(r);
  }
  void aggregateBatch(int phase, int batch) {
    rowsOf(batch, [&](Index r) { aggregate(A, stateOf(phase), r, 0, kWidth, Z); });
  }
  void updateBatch(int phase, int batch) {
    rowsOf(batch, [&](Index r) { update(Z, W[at(phase)], r, stateOf(phase + 1)); });
  }

  const Csr& A;
  BatchCut cut;
  std::vector<Matrix> W, state;
  Matrix Z;
};

/// Bit by bit: every sum has its terms in the same order.
bool same(const Matrix& a, const Matrix& b) { return std::ranges::equal(a.values(), b.values()); }

std::vector<Csr> graphs() {
  return {permuted(grid(8, 12), rcmOrder(grid(8, 12))), bandGraph(90, 7), randomDirected(70, 200, 3),
          star(40), edgeless(20)};
}

/// A thread for each device; they wait for each other as the pipeline says, and for nothing else.
class TwoThreads {
 public:
  explicit TwoThreads(Devices& devices) : d_(devices), batches_(d_.cut.batching.batches) {}

  void run() {
    std::thread aggregator([this] { work(aggregated_, [this](int p, int j) { aggregateOne(p, j); }); });
    work(updated_, [this](int p, int j) { updateOne(p, j); });
    aggregator.join();
  }

 private:
  template <class One>
  void work(int& finishedTasks, const One& task) {
    for (int p = 0; p < kPhases; ++p)
      for (int j = 0; j < batches_; ++j) {
        task(p, j);
        const std::lock_guard lock(mutex_);
        ++finishedTasks;
        moved_.notify_all();
      }
  }
  void await(const int& finishedTasks, int tasks) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return finishedTasks >= tasks; });
  }

  void aggregateOne(int p, int j) {
    const int needed = d_.cut.lastNeeded[at(j)];
    if (p > 0 && needed >= 0) await(updated_, (p - 1) * batches_ + needed + 1);
    d_.aggregateBatch(p, j);
  }
  void updateOne(int p, int j) {
    const int reader = d_.state.size() == 1 ? d_.cut.lastReader[at(j)] : -1;
    await(aggregated_, p * batches_ + std::max(j, reader) + 1);
    d_.updateBatch(p, j);
  }

  Devices& d_;
  int batches_;
  std::mutex mutex_;
  std::condition_variable moved_;
  int aggregated_ = 0, updated_ = 0;
};

/// Every batch refers to its own rows too: the next phase makes its sums anew, once they are updated.
BatchCut withOwn(BatchCut cut) {
  for (int j = 0; j < cut.batching.batches; ++j) {
    auto& needed = cut.lastNeeded[at(j)];
    auto& reader = cut.lastReader[at(j)];
    needed = std::max(needed, j);
    reader = std::max(reader, j);
  }
  return cut;
}

/// What is simulated, really done: rows are read as soon as an aggregation begins, and are there no earlier
/// than their update ends.
void follow(const PipelineTimes& times, Devices& devices) {
  const auto when = [](const PipelineSpan& span) {
    const bool aggregates = span.unit == PipelineUnit::sparse;
    return std::pair(aggregates ? span.beginPs : span.endPs, aggregates);  // of one time, updates first
  };
  std::vector<PipelineSpan> order = times.spans;
  std::ranges::stable_sort(order, {}, when);
  for (const PipelineSpan& span : order)
    if (span.unit == PipelineUnit::sparse)
      devices.aggregateBatch(span.phase, span.batch);
    else
      devices.updateBatch(span.phase, span.batch);
}

}  // namespace

TEST_CASE("batches in the simulated order make the numbers of MoP without a pipeline", "[pipeline]") {
  const auto stages = GENERATE(1, 2, 5, 16);
  const auto buffers = GENERATE(1, 2);
  const auto updatePs = GENERATE(3.0, 10.0, 40.0);
  for (const Csr& A : graphs()) {
    CAPTURE(A.rows(), stages, buffers, updatePs);
    const Matrix input = numbers(A.rows(), kWidth, 1);
    Devices devices(A, withOwn(cutIntoBatches(A, stages, PipelineDependence::exact)), buffers, input);
    const PipelineTimes times = simulatePipeline(
        {.phases = alike(kPhases, devices.cut, byRows(10, updatePs)), .stateBuffers = buffers});
    follow(times, devices);
    CHECK(same(devices.stateOf(kPhases), withoutPipeline(A, input)));
  }
}

TEST_CASE("two threads that wait as the pipeline does make the numbers of MoP without one", "[pipeline]") {
  const auto stages = GENERATE(1, 3, 8);
  const auto buffers = GENERATE(1, 2);
  for (const Csr& A : graphs()) {
    CAPTURE(A.rows(), stages, buffers);
    const Matrix input = numbers(A.rows(), kWidth, 2);
    Devices devices(A, withOwn(cutIntoBatches(A, stages, PipelineDependence::exact)), buffers, input);
    TwoThreads(devices).run();
    CHECK(same(devices.stateOf(kPhases), withoutPipeline(A, input)));
  }
}

TEST_CASE("a batch that does not wait for what it refers to makes other numbers", "[pipeline]") {
  const Csr A = bandGraph(90, 40);
  const Matrix input = numbers(A.rows(), kWidth, 3);
  BatchCut cut = withOwn(cutIntoBatches(A, 6, PipelineDependence::exact));
  for (std::size_t j = 0; j < cut.lastNeeded.size(); ++j) cut.lastNeeded[j] = static_cast<int>(j);
  Devices devices(A, cut, 2, input);
  follow(simulatePipeline({.phases = alike(kPhases, cut, byRows(10, 40))}), devices);
  CHECK_FALSE(same(devices.stateOf(kPhases), withoutPipeline(A, input)));
}
