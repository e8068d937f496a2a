#pragma once

// What the SpMM benchmarks share: the GCSR file, the features everybody multiplies, and a clock for shared
// machines.

#include <omp.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "datasets/graph/csr.h"
#include "engine/base/index.h"

namespace halo::bench {

template <class T>
void readArray(std::ifstream& file, const std::string& path, Buffer<T>& out, std::size_t count) {
  out.resize(count);
  if (!file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(count * sizeof(T))))
    throw std::runtime_error(path + ": ends too early");
}

/// "GCSR0001", rows, columns, nonzeros, then row pointer (int64), columns (int32), values (float),
/// little-endian.
inline Csr readGcsr(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[8];
  std::int64_t sizes[3];
  if (!file.read(magic, 8) || std::memcmp(magic, "GCSR0001", 8) != 0 ||
      !file.read(reinterpret_cast<char*>(sizes), 24))
    throw std::runtime_error(path + ": not a GCSR file");
  const std::int64_t rows = sizes[0], columns = sizes[1], nonzeros = sizes[2];
  if (rows < 0 || columns < 0 || nonzeros < 0)
    throw std::runtime_error(path + ": negative size in the header");
  Csr A;
  A.cols = columns;
  Buffer<float> values;
  readArray(file, path, A.offsets, at(rows) + 1);
  readArray(file, path, A.columns, at(nonzeros));
  readArray(file, path, values, at(nonzeros));
  if (A.offsets.front() != 0 || A.nonzeros() != nonzeros || !std::ranges::is_sorted(A.offsets))
    throw std::runtime_error(path + ": the row pointer does not fit the number of nonzeros");
  for (const Vertex c : A.columns)
    if (c < 0 || c >= columns)
      throw std::runtime_error(path + ": a column index beyond the number of columns");
  A.values.assign(values.begin(), values.end());
  return A;
}

/// Feature number k of the common input, in [−0.5, 0.5).
inline float feature(std::uint64_t k) {
  auto h = static_cast<std::uint32_t>(k ^ (k >> 32)) * 2654435761U;
  h ^= h >> 15;
  h *= 2246822519U;
  h ^= h >> 13;
  return static_cast<float>(h >> 8) * 0x1p-24F - 0.5F;
}

inline Matrix features(Index rows, Index cols) {
  Matrix X(rows, cols);
  for (Index k = 0; k < X.size(); ++k) X.data()[k] = feature(static_cast<std::uint64_t>(k));
  return X;
}

/// Sum of Y[i][j] · feature(7919 i + j): the same for every correct product, up to rounding.
inline double checksum(const Matrix& Y) {
  double sum = 0;
  for (Index i = 0; i < Y.rows(); ++i)
    for (Index j = 0; j < Y.cols(); ++j)
      sum += static_cast<double>(Y(i, j)) *
             feature(7919 * static_cast<std::uint64_t>(i) + static_cast<std::uint64_t>(j));
  return sum;
}

/// Seconds each thread of the team has been on a core.
inline std::vector<double> onCpuSeconds(int threads) {
  std::vector<double> seconds(at(threads));
#pragma omp parallel num_threads(threads)
  {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    seconds[at(omp_get_thread_num())] =
        static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  return seconds;
}

/// Milliseconds of `call`: on-CPU time of the busiest thread. On an idle machine it equals the elapsed time;
/// on a shared one it leaves out the time that others held the core. Threads must sleep, not spin, while they
/// wait.
template <class Call>
double criticalMs(int threads, const Call& call) {
  const auto before = onCpuSeconds(threads);
  call();
  const auto after = onCpuSeconds(threads);
  double longest = 0;
  for (std::size_t t = 0; t < before.size(); ++t) longest = std::max(longest, after[t] - before[t]);
  return longest * 1e3;
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// OpenMP reads its waiting policy when the program starts: where it is not set, set it and start again.
inline void sleepWhileWaiting(char** arguments) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", arguments);  // where it fails we go on, with spinning threads
}

}  // namespace halo::bench
