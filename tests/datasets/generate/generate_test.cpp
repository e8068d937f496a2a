#include "datasets/generate/generate.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "datasets/graph/asking.h"
#include "datasets/graph/order.h"
#include "engine/base/problem.h"

using namespace halo;

namespace {

const GraphShape& shapeCalled(const std::string& name) {
  const auto& shapes = generatedShapes();
  const auto shape =
      std::find_if(shapes.begin(), shapes.end(), [&](const auto& s) { return s.name == name; });
  REQUIRE(shape != shapes.end());
  return *shape;
}

bool sameBytes(const Dataset& a, const Dataset& b) {
  return a.arcs.offsets == b.arcs.offsets && a.arcs.columns == b.arcs.columns && a.labels == b.labels &&
         a.split == b.split && a.fingerprint == b.fingerprint &&
         std::ranges::equal(a.features.values(), b.features.values()) &&
         std::ranges::equal(a.multiLabels.values(), b.multiLabels.values());
}

Index countOf(const Dataset& data, Split part) { return std::ranges::count(data.split, part); }

/// P X with P = D⁻¹ (A + I): the mean over a vertex and its neighbours.
Matrix smoothed(const Csr& A, const Matrix& X) {
  Matrix Y(X.rows(), X.cols());
  for (Index v = 0; v < A.rows(); ++v) {
    for (Index j = 0; j < X.cols(); ++j) Y(v, j) = X(v, j);
    for (const Vertex u : A.row(v))
      for (Index j = 0; j < X.cols(); ++j) Y(v, j) += X(u, j);
    for (Index j = 0; j < X.cols(); ++j) Y(v, j) /= static_cast<Scalar>(A.degree(v) + 1);
  }
  return Y;
}

/// Columns divided by their deviation over the training rows, so that one step size fits X and P²X.
void scaleColumns(const std::vector<Split>& split, Matrix& X) {
  for (Index j = 0; j < X.cols(); ++j) {
    double sum = 0, squares = 0, count = 0;
    for (Index v = 0; v < X.rows(); ++v) {
      if (split[static_cast<std::size_t>(v)] != Split::train) continue;
      sum += static_cast<double>(X(v, j));
      squares += std::pow(static_cast<double>(X(v, j)), 2);
      ++count;
    }
    const double mean = sum / count, deviation = std::sqrt(std::max(squares / count - mean * mean, 1e-12));
    for (Index v = 0; v < X.rows(); ++v)
      X(v, j) = static_cast<Scalar>((static_cast<double>(X(v, j)) - mean) / deviation);
  }
}

/// A linear model by plain gradient descent, with a sigmoid a class (single labels as one-hot rows).
/// Returns on the test vertices: accuracy, or F1-micro when multi-label.
class Linear {
 public:
  Linear(const Dataset& data, Matrix X) : data_(data), X_(std::move(X)) { scaleColumns(data.split, X_); }

  double score() {
    W_.setZero(X_.cols() + 1, data_.classes);
    Matrix slope;
    for (int step = 0; step < 60; ++step) {
      slope.setZero(W_.rows(), W_.cols());
      for (Index v = 0; v < X_.rows(); ++v) {
        if (data_.split[static_cast<std::size_t>(v)] != Split::train) continue;
        const std::vector<Scalar> error = errors(v);
        for (Index j = 0; j < W_.rows(); ++j) addTo(slope.row(j), value(v, j), error);
      }
      const auto rate = static_cast<Scalar>(2.0 / static_cast<double>(countOf(data_, Split::train)));
      addTo(W_.values(), -rate, slope.values());
    }
    return data_.multiLabel() ? f1Micro() : accuracy();
  }

 private:
  static void addTo(std::span<Scalar> to, Scalar factor, std::span<const Scalar> addend) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += factor * addend[k];
  }
  Scalar value(Index v, Index j) const { return j < X_.cols() ? X_(v, j) : Scalar{1}; }
  std::vector<Scalar> logits(Index v) const {
    std::vector<Scalar> sum(static_cast<std::size_t>(data_.classes), 0);
    for (Index j = 0; j < W_.rows(); ++j) addTo(sum, value(v, j), W_.row(j));
    return sum;
  }
  Scalar truth(Index v, Index k) const {
    if (data_.multiLabel()) return data_.multiLabels(v, k);
    return data_.labels[static_cast<std::size_t>(v)] == k ? Scalar{1} : Scalar{0};
  }
  /// Softmax or sigmoid, less the truth.
  std::vector<Scalar> errors(Index v) const {
    std::vector<Scalar> error = logits(v);
    Scalar sum = 0;
    for (Scalar& e : error) sum += e = std::exp(e);
    for (std::size_t k = 0; k < error.size(); ++k)
      error[k] = error[k] / (data_.multiLabel() ? 1 + error[k] : sum) - truth(v, static_cast<Index>(k));
    return error;
  }
  double accuracy() const {
    double right = 0;
    for (Index v = 0; v < X_.rows(); ++v) {
      if (data_.split[static_cast<std::size_t>(v)] != Split::test) continue;
      const std::vector<Scalar> z = logits(v);
      right += static_cast<double>(truth(v, std::max_element(z.begin(), z.end()) - z.begin()));
    }
    return right / static_cast<double>(countOf(data_, Split::test));
  }
  double f1Micro() const {
    double hit = 0, predicted = 0, actual = 0;
    for (Index v = 0; v < X_.rows(); ++v) {
      if (data_.split[static_cast<std::size_t>(v)] != Split::test) continue;
      const std::vector<Scalar> z = logits(v);
      for (Index k = 0; k < data_.classes; ++k) {
        const double yes = z[static_cast<std::size_t>(k)] > 0 ? 1 : 0;
        predicted += yes;
        actual += static_cast<double>(truth(v, k));
        hit += yes * static_cast<double>(truth(v, k));
      }
    }
    return 2 * hit / std::max(predicted + actual, 1.0);
  }

  const Dataset& data_;
  Matrix X_, W_;
};

}  // namespace

TEST_CASE("generated graphs have the published degrees", "[generate]") {
  struct Case {
    const char* name;
    double scale, averageTolerance;
  };
  const auto [name, scale, tolerance] = GENERATE(
      Case{"arxiv-like", 1.0, 0.05}, Case{"products-like", 0.02, 0.05}, Case{"com-amazon-like", 1.0, 0.05},
      Case{"yelp-like", 0.05, 0.05}, Case{"road-like", 0.05, 0.02}, Case{"reddit-like", 0.1, 0.10});
  CAPTURE(name);
  GraphShape shape = shapeCalled(name);
  shape.features = 1;
  const Dataset data = generate(shape, scale, /*seed=*/1);
  const Csr& A = data.arcs;
  CHECK(A.rows() == std::llround(scale * static_cast<double>(shape.vertices)));
  const double average = static_cast<double>(A.nonzeros()) / static_cast<double>(A.rows());
  CHECK(average == Approx(shape.averageDegree).epsilon(tolerance));
  CHECK(selfLoops(A) == 0);
  CHECK(isSymmetric(A) != shape.directed);
  Index largest = 0;
  for (Index v = 0; v < A.rows(); ++v) largest = std::max(largest, A.degree(v));
  CAPTURE(largest);
  if (shape.generator == "road") {
    CHECK(largest <= shape.maxDegree);
  } else {
    // the largest of n draws from a power law grows as n^(1 / (exponent − 1))
    const double expected = static_cast<double>(shape.maxDegree) * std::pow(scale, 1 / (shape.exponent - 1));
    CHECK(static_cast<double>(largest) > 0.5 * expected);
    CHECK(static_cast<double>(largest) < 1.5 * expected);
  }
}

TEST_CASE("degrees of a generated graph follow the power law in between too", "[generate]") {
  GraphShape shape = shapeCalled("arxiv-like");
  shape.features = 1;
  const Csr A = generate(shape, 1.0, /*seed=*/2).arcs;
  const auto share = [&](Index atLeast) {
    double count = 0;
    for (Index v = 0; v < A.rows(); ++v) count += A.degree(v) >= atLeast;
    return count / static_cast<double>(A.rows());
  };
  for (const Index degree : {20, 80, 320}) {
    const double slope = std::log(share(degree) / share(degree * 4)) / std::log(4.0);
    CHECK(slope == Approx(shape.exponent - 1).margin(0.25));
  }
}

TEST_CASE("a generated set is the same for any number of threads and another for another seed",
          "[generate]") {
  const auto name = GENERATE("arxiv-like", "yelp-like", "road-like", "reddit-like");
  CAPTURE(name);
  const GraphShape& shape = shapeCalled(name);
  const Dataset dataset = generate(shape, 0.01, /*seed=*/7, {}, /*threads=*/1);
  CHECK(sameBytes(dataset, generate(shape, 0.01, 7, {}, 2)));
  CHECK(sameBytes(dataset, generate(shape, 0.01, 7, {}, 4)));
  const Dataset other = generate(shape, 0.01, 8, {}, 1);
  CHECK_FALSE(dataset.arcs.columns == other.arcs.columns);
  CHECK_FALSE(std::ranges::equal(dataset.features.values(), other.features.values()));
  CHECK(dataset.fingerprint != other.fingerprint);
}

namespace {

struct Learnable {
  const char* name;
  double scale, atLeast, gap;  // score with the graph; what it must be above the score without
};

void graphHelps(const Learnable& set) {
  const auto& [name, scale, atLeast, gap] = set;
  CAPTURE(name);
  GraphShape shape = shapeCalled(name);
  // as strong a signal in fewer columns: a faster test; cora-like has few vertices to learn from as it is
  if (shape.name != "cora-like") shape.features = std::min<Index>(shape.features, 64);
  Dataset data = generate(shape, scale, /*seed=*/3);
  if (data.directed) data.arcs = symmetrised(data.arcs);  // as a loader does unless told otherwise
  const double without = Linear(data, data.features).score();
  const double with = Linear(data, smoothed(data.arcs, smoothed(data.arcs, data.features))).score();
  CAPTURE(without, with);
  CHECK(with >= atLeast);
  CHECK(with >= without + gap);
  const double guess = data.multiLabel() ? 0.0 : 1.5 / data.classes;
  CHECK(without > guess);  // weak, not absent
}

}  // namespace

TEST_CASE("a graph helps to learn generated labels and features alone do not suffice", "[generate]") {
  graphHelps(GENERATE(Learnable{"cora-like", 1.0, 0.55, 0.2}, Learnable{"papers100m-like", 0.00005, 0.4, 0.3},
                      Learnable{"road-like", 0.003, 0.7, 0.2}, Learnable{"yelp-like", 0.005, 0.7, 0.15}));
}

TEST_CASE("a graph helps to learn the labels of every dense set too", "[.nightly]") {
  graphHelps(GENERATE(Learnable{"reddit-like", 0.02, 0.75, 0.3}, Learnable{"arxiv-like", 0.03, 0.5, 0.3},
                      Learnable{"products-like", 0.004, 0.6, 0.4}, Learnable{"orkut-like", 0.001, 0.7, 0.4}));
}

TEST_CASE("a generated set of any scale is complete", "[generate]") {
  for (const GraphShape& shape : generatedShapes()) {
    for (const double scale : {1e-9, 1e-6, 1e-4, 1e-3}) {
      CAPTURE(shape.name, scale);
      const Dataset data = generate(shape, scale, /*seed=*/5);
      const Index n = data.vertices();
      CHECK(n >= 32);
      CHECK(data.classes >= 2);
      CHECK(data.classes <= n);
      CHECK(data.classes <= shape.classes);
      CHECK(data.features.rows() == n);
      CHECK(data.features.cols() == shape.features);
      CHECK(data.split.size() == static_cast<std::size_t>(n));
      CHECK(countOf(data, Split::train) + countOf(data, Split::valid) + countOf(data, Split::test) == n);
      CHECK(countOf(data, Split::train) >= 1);
      CHECK(countOf(data, Split::valid) >= 1);
      CHECK(countOf(data, Split::test) >= 1);
      CHECK(data.arcs.nonzeros() >= n / 2);
      CHECK(data.arcs.nonzeros() <= n * (n - 1) / 2);
      CHECK(data.multiLabel() == shape.multiLabel);
      if (shape.multiLabel) {
        CHECK(data.multiLabels.cols() == data.classes);
      } else {
        const auto [low, high] = std::minmax_element(data.labels.begin(), data.labels.end());
        CHECK(*low >= 0);
        CHECK(*high < data.classes);
      }
    }
  }
}

TEST_CASE("generated features have the deviation that was promised", "[generate]") {
  const GraphShape& shape = shapeCalled("orkut-like");
  const Dataset data = generate(shape, 0.001, /*seed=*/9);
  double sum = 0, squares = 0;
  for (const Scalar x : data.features.values()) {
    sum += static_cast<double>(x);
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  const auto count = static_cast<double>(data.features.size());
  CHECK(sum / count == Approx(0).margin(0.02));
  const double centre = shape.signal * shape.signal / static_cast<double>(shape.features);
  CHECK(squares / count == Approx(1 + centre).epsilon(0.01));
}

TEST_CASE("a road-like graph is connected", "[generate]") {
  GraphShape shape = shapeCalled("road-like");
  shape.features = 1;
  const Csr A = generate(shape, 0.01, /*seed=*/4).arcs;
  std::vector<bool> visited(static_cast<std::size_t>(A.rows()), false);
  std::vector<Vertex> open{0};
  visited[0] = true;
  Index reached = 0;
  while (!open.empty()) {
    const Vertex v = open.back();
    open.pop_back();
    ++reached;
    for (const Vertex u : A.row(v)) {
      if (visited[static_cast<std::size_t>(u)]) continue;
      visited[static_cast<std::size_t>(u)] = true;
      open.push_back(u);
    }
  }
  CHECK(reached == A.rows());
}

TEST_CASE("a scale outside of its range is refused before anything is generated", "[generate]") {
  const GraphShape& shape = shapeCalled("reddit-like");
  for (const double scale : {0.0, -1.0, 1.5, std::nan("")}) {
    CAPTURE(scale);
    CHECK_THROWS_AS(generate(shape, scale, 1), InputError);
  }
  CHECK_THROWS_WITH(generate(shape, 2.0, 1),
                    "dataset.scale: 2 cannot be used for reddit-like; a number above 0, at most 1");
}

TEST_CASE("a graph larger than the memory is refused with the scale that fits", "[generate]") {
  GraphShape shape = shapeCalled("papers100m-like");
  shape.features = 1'000'000;
  CHECK_THROWS_AS(generate(shape, 1.0, 1), EnvironmentError);
  CHECK_THROWS_WITH(generate(shape, 1.0, 1),
                    Catch::Contains("papers100m-like at scale 1 needs about") && Catch::Contains("fits"));
}

TEST_CASE("whoever waits can stop a generator at any of its steps", "[generate]") {
  struct Stop {};
  const auto name = GENERATE("road-like", "yelp-like", "arxiv-like");
  const GraphShape& shape = shapeCalled(name);
  const double scale = 30000.0 / static_cast<double>(shape.vertices);
  std::map<std::string, int> reports;
  generate(
      shape, scale, 1, [&](const std::string& stage, double) { ++reports[stage]; }, 1);
  CAPTURE(name);
  CHECK(reports["drawing arcs"] >= 7);  // once a block of vertices
  CHECK(reports["features"] >= 20);
  for (const auto& [stage, times] : reports) {
    int calls = 0;
    const auto stop = [&, step = stage](const std::string& now, double) {
      if (now == step && ++calls == 1) throw Stop();
    };
    CHECK_THROWS_AS(generate(shape, scale, 1, stop, 1), Stop);
    CHECK(calls == 1);
  }
}

namespace {

/// How often `work` asks; each question can stop it.
template <class Work>
int questions(Work work) {
  struct Stop {};
  int questionCount = 0;
  work([&] { ++questionCount; });
  for (int at = 1; at <= questionCount; ++at) {
    int calls = 0;
    const auto stop = [&] {
      if (++calls == at) throw Stop();
    };
    CHECK_THROWS_AS(work(stop), Stop);
    CHECK(calls == at);
  }
  return questionCount;
}

}  // namespace

TEST_CASE("rows are built until somebody stops it", "[csr]") {
  const std::vector<Arc> arcs(300000, Arc{0, 1});
  // three in each of four passes
  CHECK(questions([&](const AskStop& ask) { buildCsr(2, arcs, false, ask); }) >= 12);
}

TEST_CASE("a graph is turned, mended and put in order until somebody stops it", "[csr]") {
  constexpr Index kVertices = 600;  // all arcs from lower to higher numbers: 179,700
  std::vector<Arc> arcs;
  for (Vertex u = 0; u < kVertices; ++u)
    for (Vertex v = u + 1; v < kVertices; ++v) arcs.push_back({u, v});
  const Csr A = buildCsr(kVertices, arcs, false);
  const std::vector<Vertex> order = degreeOrder(A);
  const int turned = questions([&](const AskStop& ask) { transpose(A, ask); });
  CHECK(turned >= 5);  // of two passes, 2^16 arcs each
  CHECK(questions([&](const AskStop& ask) { symmetrised(A, ask); }) >= turned + 2);  // and two over the rows
  CHECK(questions([&](const AskStop& ask) { isSymmetric(A, ask); }) == turned);
  CHECK(questions([&](const AskStop& ask) { permuted(A, order, ask); }) >= turned + 2);
  // turned to see that it is not symmetric, mended, turned again; searches of twice the arcs
  CHECK(questions([&](const AskStop& ask) { rcmOrder(A, ask); }) >= 4 * turned + 2 * 5);
}
