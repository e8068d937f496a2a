#include "simulator/hybrid/platform.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "engine/base/problem.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::sim;

namespace {

const std::filesystem::path kPlatforms = std::string(kSourceDir) + "/resources/platforms";

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The FPGA platform with one text replaced by another.
std::filesystem::path altered(const std::filesystem::path& folder, const std::string& from,
                              const std::string& to) {
  std::string text = contents(kPlatforms / "hyscale-u250.toml");
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  const std::filesystem::path file = folder / "altered.toml";
  std::ofstream(file) << text.replace(place, from.size(), to);
  return file;
}

std::string refusal(const std::filesystem::path& file, const std::map<std::string, Value>& changed = {}) {
  try {
    readPlatform(file, changed);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the platforms are those of HyScale's Table II", "[hybrid]") {
  const HybridPlatform fpga = readPlatform(kPlatforms / "hyscale-u250.toml");
  CHECK(fpga.name == "hyscale-u250");
  CHECK(fpga.hostMemoryGbps() == 410);
  CHECK(fpga.cardMemoryGbps == 77);
  CHECK(fpga.cardGmacs == Approx(2048 * 0.3));
  CHECK(fpga.peakTflops() == Approx(9.6));  // what Table VII divides by
  const HybridPlatform gpu = readPlatform(kPlatforms / "hyscale-a5000.toml");
  CHECK(gpu.cardMemoryGbps == 768);
  CHECK(gpu.cardGmacs == Approx(27.8e3 / 2));
  CHECK(gpu.peakTflops() == Approx(2 * 3.6 + 4 * 27.8));
}

TEST_CASE("every figure of every platform says where it comes from", "[hybrid]") {
  for (const auto& file : std::filesystem::directory_iterator(kPlatforms)) {
    const HybridPlatform platform = readPlatform(file.path());
    CHECK(platform.name == file.path().stem());
    REQUIRE(platform.figures.size() == platformParameters().size());
    for (std::size_t i = 0; i < platform.figures.size(); ++i) {
      CHECK(platform.figures[i].name == platformParameters()[i].key);
      CHECK(platform.figures[i].source.size() > 12);
    }
  }
}

TEST_CASE("an experiment changes figures, which then are assumed", "[hybrid]") {
  const HybridPlatform platform =
      readPlatform(kPlatforms / "hyscale-u250.toml",
                   {{"pcie_gbps", 12.0}, {"root_port", std::string("shared")}, {"cards", std::int64_t{7}}});
  CHECK(platform.pcieGbps == 12);
  CHECK(platform.sharedRootPort);
  CHECK(platform.cards == 7);
  for (const PlatformFigure& figure : platform.figures)
    if (figure.name == "pcie_gbps") CHECK(figure.source == "assumed: set in the experiment");
}

TEST_CASE("a platform that is written wrongly is refused by place and name", "[hybrid]") {
  const Scratch scratch;
  const auto with = [&](const std::string& from, const std::string& to) {
    return refusal(altered(scratch.path(), from, to));
  };
  using Catch::Contains;
  CHECK_THAT(with("pcie_gbps = {", "pcie_gbs = {"),
             Contains("altered.toml:") && Contains("figures.pcie_gbs: unknown; did you mean 'pcie_gbps'?") &&
                 Contains("figures.pcie_gbps: missing"));
  CHECK_THAT(with("value = 16.0, source = \"assumed: PCIe", "value = 0, source = \"assumed: PCIe"),
             Contains("figures.pcie_gbps: 0 cannot be used; a number from 0.001"));
  CHECK_THAT(with("value = 77.0", "value = \"fast\""),
             Contains("figures.card_memory_gbps: 'fast' cannot be used"));
  CHECK_THAT(with("\"published: HyScale Table II\"", "\"Table II\""),
             Contains("source: 'Table II' says not how the value is known"));
  CHECK_THAT(with("cards = { value = 4, source = \"published: HyScale VI-A1\" }", "cards = 4"),
             Contains("figures.cards: needs both"));
  CHECK_THAT(with("name = \"hyscale-u250\"", "nam = \"x\""),
             Contains("nam: unknown here") && Contains("name: missing"));
  CHECK_THAT(with("value = \"own\"", "value = \"shard\""), Contains("did you mean 'shared'?"));
  CHECK_THAT(with("[figures]", "[figures"), Contains("altered.toml:"));
  CHECK_THAT(refusal(kPlatforms / "hyscale-u250.toml", {{"pcie_gpbs", 1.0}}),
             Contains("pcie_gpbs: unknown; did you mean 'pcie_gbps'?"));
  CHECK_THAT(refusal(kPlatforms / "hyscale-u250.toml", {{"cards", std::int64_t{0}}}),
             Contains("cards: 0 cannot be used; a whole number from 1 to 1024"));
}
