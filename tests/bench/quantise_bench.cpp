// Coding and decoding rows against copying them, one thread, best of the rounds, in one run.
#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <numeric>

#include "engine/base/philox.h"
#include "engine/kernels/quantise.h"

using namespace halo;

namespace {

double secondsOf(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("rows as codes, against a copy of the rows", "[!benchmark][quantise]") {
  for (const auto& [rows, cols] : {std::pair<Index, Index>{200'000, 256}, {2000, 256}}) {
    Matrix X(rows, cols), Y(rows, cols);
    PhiloxStream random(1, Purpose::generate, 3);
    for (Scalar& value : X.values()) value = static_cast<Scalar>(random.uniform() - 0.5);
    Y.fill(0);
    std::vector<Vertex> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    const std::vector<std::uint64_t> ids(order.begin(), order.end());
    std::vector<RowRange> ranges(order.size());
    for (const int bits : {2, 4, 8})
      for (const bool nearest : {false, true}) {
        const Coding coding{.bits = bits, .nearest = nearest};
        std::vector<std::uint8_t> codes(static_cast<std::size_t>(codeBytes(rows, cols, bits)));
        double copy = 1e9, encode = 1e9, decode = 1e9;
        for (int round = 0; round < 10; ++round) {
          copy = std::min(copy, secondsOf([&] { std::memcpy(Y.data(), X.data(), X.bytes()); }));
          encode = std::min(encode, secondsOf([&] { encodeRows(X, order, ids, coding, ranges, codes); }));
          decode = std::min(decode, secondsOf([&] { decodeRows(codes, ranges, bits, order, Y); }));
        }
        const double gigabytes = static_cast<double>(X.bytes()) * 1e-9;
        WARN(rows << " x " << cols << ", " << bits << " bits, " << (nearest ? "nearest" : "stochastic")
                  << ", GB/s of rows: copy " << gigabytes / copy << ", encode " << gigabytes / encode
                  << ", decode " << gigabytes / decode << "; both together " << copy / (encode + decode)
                  << " of the copy");
      }
  }
}
