// Coding and decoding rows against copying them (memcpy, as many threads, each its part), the
// shortest of the rounds, in one run: what others do on the machine only adds. What is coded reads as many
// bytes of rows as a copy does, what is decoded writes as many.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

#include "engine/base/index.h"
#include "engine/base/philox.h"
#include "engine/kernels/quantise/quantise.h"
#include "engine/kernels/threads/blocks.h"

using namespace halo;

namespace {

double secondsOf(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void copyRows(const Matrix& X, Matrix& Y) {
  const Index part = (X.size() + kernelThreads() - 1) / kernelThreads();
  forBlocks(X.size(), part, [&](Index begin, Index end) {
    std::memcpy(Y.data() + begin, X.data() + begin, at(end - begin) * sizeof(Scalar));
  });
}

void measure(const Matrix& X, int bits, bool nearest, int threads) {
  Matrix Y(X.rows(), X.cols());
  Y.fill(0);
  std::vector<Vertex> order(at(X.rows()));
  std::iota(order.begin(), order.end(), 0);
  const std::vector<std::uint64_t> ids(order.begin(), order.end());
  std::vector<RowRange> ranges(order.size());
  const Coding coding{.bits = bits, .nearest = nearest};
  std::vector<std::uint8_t> codes(at(codeBytes(X.rows(), X.cols(), bits)));
  const int before = kernelThreads();
  setKernelThreads(threads);
  std::vector<double> copies, encodings, decodings;
  for (int round = 0; round < 21; ++round) {
    copies.push_back(secondsOf([&] { copyRows(X, Y); }));
    encodings.push_back(secondsOf([&] { encodeRows(X, order, ids, coding, ranges, codes); }));
    decodings.push_back(secondsOf([&] { decodeRows(codes, ranges, bits, order, Y); }));
  }
  setKernelThreads(before);
  const double copy = std::ranges::min(copies), encode = std::ranges::min(encodings),
               decode = std::ranges::min(decodings);
  const double gigabytes = static_cast<double>(X.bytes()) * 1e-9;
  WARN(X.rows() << " x " << X.cols() << ", " << bits << " bits, " << (nearest ? "nearest" : "stochastic")
                << ", " << threads << " threads, GB/s of rows: copy " << gigabytes / copy << ", encode "
                << gigabytes / encode << ", decode " << gigabytes / decode << "; both together "
                << copy / (encode + decode) << " of the copy");
}

}  // namespace

TEST_CASE("rows as codes, against a copy of the rows", "[!benchmark][quantise]") {
  for (const auto& [rows, cols] :
       {std::pair<Index, Index>{200'000, 256}, {500'000, 64}, {300'000, 128}, {85'000, 602}, {2000, 256}}) {
    Matrix X(rows, cols);
    PhiloxStream random(1, Purpose::generate, 3);
    for (Scalar& value : X.values()) value = static_cast<Scalar>(random.uniform() - 0.5);
    for (const int threads : {1, 2})
      for (const int bits : {2, 4, 8})
        for (const bool nearest : {false, true}) measure(X, bits, nearest, threads);
  }
}
