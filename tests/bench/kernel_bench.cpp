// kernel_bench GRAPH.gcsr [WIDTH…]: our products beside Eigen and, where it was found at build time,
// SuiteSparse:GraphBLAS, interleaved in one run, on 1 and 2 threads; medians of seven rounds. "of copy" is
// the bandwidth of the product, as if each row of X were read once, over that of copying X; "own rows" is our
// product of the same shape that gathers nothing, for each neighbour is the row itself; "plain rows" sums in
// registers row by row and neither fetches ahead nor stores past the caches, as FusedMM and its like do,
// which Debian does not have. kernel_bench --layers: the other kernels of a training epoch, beside what the
// machine needs to copy the same matrix.
#include <unistd.h>

#include <Eigen/SparseCore>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>

#ifdef HALO_GRAPHBLAS
extern "C" {
#include <GraphBLAS.h>
}
#endif

#include "engine/base/index.h"
#include "engine/kernels/dense/activation.h"
#include "engine/kernels/dense/dense.h"
#include "engine/kernels/dense/loss.h"
#include "engine/kernels/sparse/spmm.h"
#include "engine/kernels/sparse/spmm_rows.h"
#include "engine/kernels/threads/work.h"
#include "tests/bench/gcsr.h"

namespace halo {
namespace {

using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Sparse = Eigen::SparseMatrix<Scalar, Eigen::RowMajor, int>;

struct Contender {
  std::string name;
  std::function<void()> run;
};

// Medians of interleaved runs, in the order of the contenders; one untimed round first.
std::vector<double> race(const std::vector<Contender>& contenders, int threads, int rounds) {
  std::vector<std::vector<double>> samples(contenders.size());
  for (int round = -1; round < rounds; ++round)
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      const double ms = bench::criticalMs(threads, contenders[c].run);
      if (round >= 0) samples[c].push_back(ms);
    }
  std::vector<double> medians;
  for (const auto& s : samples) medians.push_back(bench::median(s));
  return medians;
}

#ifdef HALO_GRAPHBLAS
// C += A B with a full C, the method GraphBLAS documents as its fastest; X and Y are lent, not copied.
class GraphBlasProduct {
 public:
  GraphBlasProduct(const Csr& A, const Matrix& X, Matrix& Y) : Y_(Y) {
    static const bool started = GrB_init(GrB_NONBLOCKING) == GrB_SUCCESS;
    HALO_CHECK(started);
    const auto rows = static_cast<GrB_Index>(A.rows()), cols = static_cast<GrB_Index>(A.cols);
    const auto width = static_cast<GrB_Index>(X.cols());
    std::vector<GrB_Index> i, j(A.columns.begin(), A.columns.end());
    for (Index r = 0; r < A.rows(); ++r) i.insert(i.end(), at(A.degree(r)), static_cast<GrB_Index>(r));
    check(GrB_Matrix_new(&A_, GrB_FP32, rows, cols));
    check(GrB_Matrix_build_FP32(A_, i.data(), j.data(), A.values.data(), i.size(), GrB_PLUS_FP32));
    check(GrB_Matrix_new(&B_, GrB_FP32, cols, width));
    check(GrB_Matrix_new(&C_, GrB_FP32, rows, width));
    auto* copy = static_cast<float*>(std::malloc(X.bytes()));  // GraphBLAS frees what it was given
    std::copy_n(X.data(), X.size(), copy);
    void* buffer = copy;
    check(GxB_Matrix_pack_FullR(B_, &buffer, X.bytes(), false, nullptr));
  }
  ~GraphBlasProduct() {
    GrB_Matrix_free(&A_);
    GrB_Matrix_free(&B_);
    GrB_Matrix_free(&C_);
  }
  GraphBlasProduct(const GraphBlasProduct&) = delete;
  GraphBlasProduct& operator=(const GraphBlasProduct&) = delete;

  void run(int threads) {
    GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, threads);
    Y_.fill(0);
    void* lent = Y_.data();
    check(GxB_Matrix_pack_FullR(C_, &lent, Y_.bytes(), false, nullptr));
    check(GrB_mxm(C_, nullptr, GrB_PLUS_FP32, GrB_PLUS_TIMES_SEMIRING_FP32, A_, B_, nullptr));
    void* back = nullptr;
    GrB_Index bytes = 0;
    bool iso = false;
    check(GxB_Matrix_unpack_FullR(C_, &back, &bytes, &iso, nullptr));
    HALO_CHECK(back == Y_.data());
  }

 private:
  static void check(GrB_Info info) { HALO_CHECK(info == GrB_SUCCESS); }

  GrB_Matrix A_ = nullptr, B_ = nullptr, C_ = nullptr;
  Matrix& Y_;
};
#endif

/// The quickest way there is to read X once and write as much: memcpy stores past the caches (see main).
void streamCopy(const Matrix& X, Matrix& Z, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int t = 0; t < threads; ++t) {
    const Index from = X.size() * t / threads, to = X.size() * (t + 1) / threads;
    std::memcpy(Z.data() + from, X.data() + from, at(to - from) * sizeof(Scalar));
  }
}

/// Every neighbour of a row becomes the row itself.
Csr ownRows(const Csr& A) {
  Csr own = A;
  for (Index i = 0; i < A.rows(); ++i)
    std::fill(own.columns.begin() + own.offsets[at(i)], own.columns.begin() + own.offsets[at(i) + 1],
              static_cast<Vertex>(i));
  return own;
}

void plainRows(const Csr& A, const Matrix& X, Matrix& Y, int threads) {
  RowsTask task;
  task.offsets = A.offsets.data();
  task.columns = A.columns.data();
  task.values = A.values.data();
  task.nonzeros = A.nonzeros();
  task.X = X.data();
  task.Y = Y.data();
  task.strideX = task.strideY = task.width = X.cols();
  constexpr Index kRows = 2048;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (Index begin = 0; begin < A.rows(); begin += kRows)
    spmmRows(task, begin, std::min(A.rows(), begin + kRows));
}

void compareProducts(const Csr& A, const Csr& own, const Sparse& eigenA, Index width, int threads) {
  const Matrix X = bench::features(A.cols, width);
  Matrix Y(A.rows(), width), Z(std::max(A.rows(), A.cols), width);
  setKernelThreads(threads);
  Eigen::setNbThreads(threads);
  std::vector<Contender> all{{"ours", [&] { spmm(A, X, Y); }},
                             {"Eigen",
                              [&] {
                                const Eigen::Map<const RowMajor> x(X.data(), X.rows(), X.cols());
                                Eigen::Map<RowMajor> z(Z.data(), A.rows(), Z.cols());
                                z.noalias() = eigenA * x;
                              }},
                             {"plain rows", [&] { plainRows(A, X, Z, threads); }},
                             {"own rows", [&] { spmm(own, X, Y); }},
                             {"copy", [&] { streamCopy(X, Z, threads); }}};
#ifdef HALO_GRAPHBLAS
  Matrix C(A.rows(), width);
  GraphBlasProduct graphBlas(A, X, C);
  all.push_back({"GraphBLAS", [&] { graphBlas.run(threads); }});
#endif
  const auto ms = race(all, threads, 7);
  std::printf("%5lld %2d", static_cast<long long>(width), threads);
  for (std::size_t c = 0; c < all.size(); ++c) std::printf("  %s %9.2f ms", all[c].name.c_str(), ms[c]);
  std::printf("  ours/Eigen %.3f  ours/plain %.3f", ms[0] / ms[1], ms[0] / ms[2]);
  if (all.size() > 5) std::printf("  ours/GraphBLAS %.3f", ms[0] / ms[5]);
  const auto matrices = static_cast<double>(X.bytes() + Y.bytes());
  const auto graph = static_cast<double>(A.nonzeros() * 8 + A.rows() * 8);
  std::printf("  of copy %.2f", (matrices + graph) / ms[0] / (2.0 * static_cast<double>(X.bytes()) / ms[4]));
  std::printf("  %.1f GFLOP/s\n", 2e-6 * static_cast<double>(A.nonzeros() * width) / ms[0]);
  std::fflush(stdout);
}

/// Whether the matrices of all contenders fit in this machine; says so if not.
bool fits(const Csr& A, Index width) {
  constexpr double kMatrices = 6;  // X, Y, Z; GraphBLAS: its X, its Y and the product that it adds to Y
  const double bytes = kMatrices * static_cast<double>(A.rows() * width) * sizeof(Scalar);
  const double memory =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (bytes < memory) return true;
  std::printf("%5lld     needs %.0f GB of memory, here are %.0f: left out\n", static_cast<long long>(width),
              bytes * 1e-9, memory * 1e-9);
  return false;
}

void compareOnGraph(const std::string& path, const std::vector<Index>& widths) {
  const Csr A = bench::readGcsr(path);
  const std::vector<int> offsets(A.offsets.begin(), A.offsets.end());
  const Eigen::Map<const Sparse> lent(A.rows(), A.cols, A.nonzeros(), offsets.data(), A.columns.data(),
                                      A.values.data());
  const Sparse eigenA = lent;
  std::printf("%s: %lld rows, %lld nonzeros\nwidth threads\n", path.c_str(), static_cast<long long>(A.rows()),
              static_cast<long long>(A.nonzeros()));
  const Csr own = ownRows(A);
  for (const Index width : widths)
    if (fits(A, width))
      for (const int threads : {1, 2}) compareProducts(A, own, eigenA, width, threads);
}

// The layer kernels at the sizes of the Reddit-like graph.
void compareLayers(Index rows, Index in, Index out, int threads) {
  setKernelThreads(threads);
  Eigen::setNbThreads(threads);
  const Matrix X = bench::features(rows, in), W = bench::features(in, out), G = bench::features(rows, out);
  Matrix Y(rows, in), H, saved, D, dX(rows, in);
  std::vector<Vertex> ids(at(rows));
  std::iota(ids.begin(), ids.end(), 0);
  std::vector<Scalar> scale(at(in), 1), shift = scale, a = scale, b = scale;
  const std::vector<std::int32_t> labels(at(rows), 0);
  const std::vector<std::uint8_t> chosen(at(rows), 1);
  const Eigen::Map<const RowMajor> x(X.data(), rows, in), w(W.data(), in, out), g(G.data(), rows, out);
  RowMajor nn(rows, out), tn(in, out), nt(rows, in);
  const std::vector<Contender> all{
      {"copy", [&] { Y = X; }},
      {"dropout",
       [&] {
         dropout(X, ids, {1, 2, 3}, 0.5, Y);
       }},
      {"relu", [&] { relu(X, Y); }},
      {"layer norm", [&] { layerNorm(X, scale, shift, Y, saved); }},
      {"layer norm back", [&] { layerNormBackward(X, saved, scale, Y, dX, a, b); }},
      {"softmax loss", [&] { softmaxLoss(G, labels, chosen, 1.0, D); }},
      {"A W", [&] { multiply(X, W, H); }},
      {"A W, Eigen", [&] { nn.noalias() = x * w; }},
      {"AT G", [&] { multiplyTransposedA(X, G, H); }},
      {"AT G, Eigen", [&] { tn.noalias() = x.transpose() * g; }},
      {"G WT", [&] { multiplyTransposedB(G, W, H); }},
      {"G WT, Eigen", [&] { nt.noalias() = g * w.transpose(); }}};
  const auto ms = race(all, threads, 7);
  std::printf("%lld rows, %lld to %lld features, %d threads\n", static_cast<long long>(rows),
              static_cast<long long>(in), static_cast<long long>(out), threads);
  for (std::size_t c = 0; c < all.size(); ++c) {
    std::printf("  %-16s %9.2f ms", all[c].name.c_str(), ms[c]);
    if (c >= 6) std::printf("  %6.1f GFLOP/s", 2e-6 * static_cast<double>(rows * in * out) / ms[c]);
    std::printf("\n");
  }
}

int start(const std::vector<std::string>& words) {
  if (words.empty()) {
    std::fprintf(stderr, "usage: kernel_bench GRAPH.gcsr [WIDTH…]  |  kernel_bench --layers\n");
    return 2;
  }
  if (words[0] == "--layers") {
    for (const auto& [in, out] :
         {std::pair<Index, Index>{602, 256}, {256, 256}, {256, 41}, {64, 64}, {16, 16}})
      for (const int threads : {1, 2}) compareLayers(50000, in, out, threads);
    return 0;
  }
  std::vector<Index> widths;
  for (std::size_t k = 1; k < words.size(); ++k) widths.push_back(std::max(1, std::atoi(words[k].c_str())));
  if (widths.empty()) widths = {16, 64, 128, 256, 602};
  compareOnGraph(words[0], widths);
  return 0;
}

}  // namespace
}  // namespace halo

int main(int count, char** arguments) {
  halo::bench::sleepWhileWaiting(arguments);
  if (std::getenv("GLIBC_TUNABLES") == nullptr) {  // glibc would keep copies of some size in the last cache
    ::setenv("GLIBC_TUNABLES", "glibc.cpu.x86_non_temporal_threshold=0x100000", 1);
    ::execv("/proc/self/exe", arguments);
  }
  try {
    return halo::start({arguments + 1, arguments + count});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "kernel_bench: %s\n", failure.what());
    return 4;
  }
}
