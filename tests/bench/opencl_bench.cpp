// opencl_bench [PART OF A DEVICE'S NAME] [ROWS]: kernels of OpenCL beside the host's on the same matrices,
// interleaved in one run; medians of elapsed time over seven rounds, copies to and from the card apart.
// Matrices are those of a batch: ROWS targets (default 20,000) of 25 draws each out of five times as many
// sources. Aggregation is given in GB/s, as if each drawn row were read and each sum written once; products
// in GFLOP/s.
#include <omp.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>

#include "engine/base/philox.h"
#include "engine/kernels/dense/dense.h"
#include "engine/kernels/opencl/card_products.h"
#include "engine/kernels/threads/work.h"
#include "tests/bench/gcsr.h"

namespace halo {
namespace {

constexpr int kRounds = 7;
constexpr Index kDraws = 25;

double elapsedMs(const std::function<void()>& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// Runs both by turns, the first time for nothing, and prints `amount` a second of each and their ratio.
/// `amount` is 10⁶ of the unit.
void race(const char* name, Index width, double amount, const char* unit, const std::function<void()>& host,
          const std::function<void()>& card) {
  std::vector<double> hostMs, cardMs;
  for (int round = -1; round < kRounds; ++round) {
    const double ofHost = elapsedMs(host), ofCard = elapsedMs(card);
    if (round < 0) continue;
    hostMs.push_back(ofHost);
    cardMs.push_back(ofCard);
  }
  const double atHost = amount / bench::median(hostMs), atCard = amount / bench::median(cardMs);
  std::printf("%-22s %5ld %10.2f %10.2f %8s %8.2f\n", name, static_cast<long>(width), atHost, atCard, unit,
              atCard / atHost);
}

Csr batchBlock(Index rows) {
  PhiloxStream random(1, Purpose::generate, 1);
  Csr A;
  A.cols = 5 * rows;
  for (Index i = 0; i < rows; ++i) {
    for (Index k = 0; k < kDraws; ++k)
      A.columns.push_back(static_cast<Vertex>(random.below(static_cast<std::uint64_t>(A.cols))));
    A.offsets.push_back(static_cast<Index>(A.columns.size()));
  }
  A.values.assign(A.columns.size(), Scalar{1} / kDraws);
  return A;
}

void raceSums(OpenClDevice& device, const Csr& A, Index width) {
  const Matrix Y = bench::features(A.cols, width);
  Matrix Z;
  CardCsr cardA;
  CardMatrix cardY, cardZ;
  device.up(A, cardA);
  device.up(Y, cardY);
  const double bytes = static_cast<double>((A.nonzeros() + A.rows()) * width) * sizeof(Scalar);
  race(
      "aggregate", width, bytes / 1e6, "GB/s", [&] { spmm(A, Y, Z); },
      [&] {
        spmm(device, cardA, cardY, cardZ);
        device.finish();
      });
  const Csr T = transpose(A);
  const Matrix dZ = bench::features(T.cols, width);
  device.up(T, cardA);
  device.up(dZ, cardY);
  race(
      "aggregate back", width, bytes / 1e6, "GB/s", [&] { spmm(T, dZ, Z); },
      [&] {
        spmm(device, cardA, cardY, cardZ);
        device.finish();
      });
  race(
      "copy to and from", width, 2 * static_cast<double>(dZ.bytes()) / 1e6, "GB/s", [&] { Z = dZ; },
      [&] {
        device.up(dZ, cardZ);
        device.down(cardZ, Z);
      });
}

void raceProducts(OpenClDevice& device, Index rows, Index in, Index out) {
  const Matrix X = bench::features(rows, in), W = bench::features(in, out), dU = bench::features(rows, out);
  Matrix host;
  CardMatrix cardX, cardW, cardDU, cardProduct;
  device.up(X, cardX);
  device.up(W, cardW);
  device.up(dU, cardDU);
  const double flop =
      2 * static_cast<double>(rows) * static_cast<double>(in) * static_cast<double>(out) / 1e6;
  race(
      "update X W", in, flop, "GFLOP/s", [&] { multiply(X, W, host); },
      [&] {
        multiply(device, cardX, cardW, cardProduct);
        device.finish();
      });
  race(
      "gradient X^T dU", in, flop, "GFLOP/s", [&] { multiplyTransposedA(X, dU, host); },
      [&] {
        multiplyTransposedA(device, cardX, cardDU, cardProduct);
        device.finish();
      });
  race(
      "gradient dU W^T", in, flop, "GFLOP/s", [&] { multiplyTransposedB(dU, W, host); },
      [&] {
        multiplyTransposedB(device, cardDU, cardW, cardProduct);
        device.finish();
      });
}

void run(const std::string& part, Index rows) {
  const OpenClLibrary library;
  OpenClDevice device(library, library.choose(part));
  std::printf("%s, driver %s, %ld units; host with %d threads; %ld rows\n", device.info().name.c_str(),
              device.info().driver.c_str(), static_cast<long>(device.info().units), kernelThreads(),
              static_cast<long>(rows));
  std::printf("%-22s %5s %10s %10s %8s %8s\n", "", "width", "host", "card", "", "ratio");
  const Csr A = batchBlock(rows);
  for (const Index width : {16, 100, 256, 602}) raceSums(device, A, width);
  for (const Index in : {100, 256, 602}) raceProducts(device, rows, in, 256);
}

}  // namespace
}  // namespace halo

int main(int count, char** arguments) {
  const halo::Index rows = count > 2 ? std::atoll(arguments[2]) : 20000;
  if (count > 3 || rows < 1) {
    std::fprintf(stderr, "usage: opencl_bench [PART OF A DEVICE'S NAME] [ROWS]   (at least 1)\n");
    return 2;
  }
  try {
    halo::run(count > 1 ? arguments[1] : "", rows);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "opencl_bench: %s\n", failure.what());
    return 5;
  }
  return 0;
}
