#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/folder_contents.h"

namespace halo::fuzz {

/// One kind of input that others write: how the program reads it, and sound ones to begin with.
struct Harness {
  std::string name;
  /// Reads as the program would. Throws what the program throws.
  std::function<void(std::string_view bytes)> read;
  std::function<std::vector<std::string>()> seeds;
};

std::vector<Harness> datasetHarnesses();    // one a format, of every format that registers
std::vector<Harness> partHarnesses();       // features, labels, splits; arrays; packed text; JSON
std::vector<Harness> textHarnesses();       // experiments, devices, clusters, links, gates, published figures
std::vector<Harness> recordingHarnesses();  // recordings and their span blocks
std::vector<Harness> frameHarnesses();      // what workers say over their pipe

/// All of them.
const std::vector<Harness>& harnesses();
const Harness* harnessNamed(std::string_view name);

/// "" where the input was read, or refused in words of ours; else what came instead. A crash comes through.
std::string misbehaviour(const Harness& harness, std::string_view bytes);

/// A folder in memory for the files that readers are given, emptied by every call.
std::filesystem::path emptyFolder();

}  // namespace halo::fuzz
