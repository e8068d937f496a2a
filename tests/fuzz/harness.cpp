#include "tests/fuzz/harness.h"

#include <algorithm>
#include <new>

#include "engine/base/problem.h"
#include "engine/record/database/database.h"
#include "tests/support/scratch.h"

namespace halo::fuzz {
namespace {

/// What goes to a person's terminal.
std::string strange(const std::string& message) {
  if (message.empty()) return "a refusal without a word";
  const bool control = std::ranges::any_of(message, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
  });
  return control ? "control characters in a message" : "";
}

}  // namespace

const std::vector<Harness>& harnesses() {
  static const std::vector<Harness> all = [] {
    std::vector<Harness> joined;
    for (auto* group : {datasetHarnesses, partHarnesses, textHarnesses, recordingHarnesses, frameHarnesses})
      for (Harness& harness : group()) joined.push_back(std::move(harness));
    return joined;
  }();
  return all;
}

const Harness* harnessNamed(std::string_view name) {
  const auto harness = std::ranges::find(harnesses(), name, &Harness::name);
  return harness == harnesses().end() ? nullptr : &*harness;
}

std::string misbehaviour(const Harness& harness, std::string_view bytes) {
  try {
    harness.read(bytes);
    return "";
  } catch (const InputError& error) {
    return strange(error.what());
  } catch (const DamagedInput& error) {
    return strange(error.what());
  } catch (const EnvironmentError& error) {
    return strange(error.what());
  } catch (const RecordError& error) {
    return strange(error.what());
  } catch (const std::exception& error) {
    return std::string("no refusal of ours: ") + error.what();
  }
}

std::filesystem::path emptyFolder() {
  static const Scratch scratch;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
    std::filesystem::remove_all(entry.path());
  return scratch.path();
}

}  // namespace halo::fuzz
