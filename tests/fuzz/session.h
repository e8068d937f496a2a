#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/fuzz/harness.h"

namespace halo::fuzz {

/// What a single input may take.
constexpr std::int64_t kMostNs = 5'000'000'000;               // of processor time
constexpr std::int64_t kSlowNs = 2'000'000'000;               // kept too, though no crash
constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;  // resident

struct Session {
  std::uint64_t seed = 1;
  std::int64_t seconds = 60;  // of processor time of the readers
  std::vector<std::string> corpus;
  std::filesystem::path finds;  // where inputs go that misbehave; empty: nowhere
};

struct Tally {
  std::uint64_t executions = 0, crashes = 0;  // crashes: deaths, hangs and too much memory
  std::uint64_t slow = 0;                     // that took longer than kSlowNs
  double seconds = 0, slowest = 0;            // of processor time: all together, one input
  std::size_t corpus = 0;
  std::vector<std::string> kinds;  // of crash, each once
};

/// Mutates the corpus and runs the harness on what comes out, in processes that may die; inputs that reach
/// something new join the corpus. The first of every kind of crash is shortened and kept.
Tally fuzz(const Harness& harness, const Session& session);

/// How the harness ends on this input in a process of its own; "": it returned.
std::string kindOfCrash(const Harness& harness, const std::string& bytes);

}  // namespace halo::fuzz
