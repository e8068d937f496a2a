#include "engine/hybrid/platform.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>

#include "engine/base/problem.h"
#include "tests/engine/hybrid/platform_fixture.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::hybridtest;

namespace {

/// What is wrong with the FPGA platform's file when one text of it is replaced by another.
std::string refusal(const std::string& from, const std::string& to) {
  const Scratch scratch;
  std::ifstream in(kPlatforms / "hyscale-u250.toml");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  std::ofstream(scratch / "altered.toml") << text.replace(place, from.size(), to);
  try {
    (void)readFigureFile(scratch / "altered.toml", "platform", {platformDeclaration()});
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the platforms are those of HyScale's Table II", "[hybrid]") {
  const HybridPlatform fpga = platformNamed("hyscale-u250");
  CHECK(fpga.name == "hyscale-u250");
  CHECK(fpga.hostMemoryGbps() == 410);
  CHECK(fpga.cardMemoryGbps == 77);
  CHECK(fpga.cardGmacs == Approx(2048 * 0.3));
  CHECK(fpga.peakTflops() == Approx(9.6));  // what Table VII divides by
  const HybridPlatform gpu = platformNamed("hyscale-a5000");
  CHECK(gpu.cardMemoryGbps == 768);
  CHECK(gpu.cardGmacs == Approx(27.8e3 / 2));
  CHECK(gpu.peakTflops() == Approx(2 * 3.6 + 4 * 27.8));
}

TEST_CASE("every platform that ships can be read", "[hybrid]") {
  int read = 0;
  for (const auto& file : std::filesystem::directory_iterator(kPlatforms)) {
    CHECK(platformNamed(file.path().stem()).cards >= 1);
    ++read;
  }
  CHECK(read >= 2);
}

TEST_CASE("a platform that is written wrongly is refused by place and name", "[hybrid]") {
  using Catch::Contains;
  CHECK_THAT(refusal("pcie_gbps = 16.0", "pcie_gbs = 16.0"),
             Contains("altered.toml:") &&
                 Contains("figures.pcie_gbs: unknown key; did you mean 'pcie_gbps'?") &&
                 Contains("figures.pcie_gbps: missing"));
  CHECK_THAT(refusal("pcie_gbps = 16.0", "pcie_gbps = 0"),
             Contains("figures.pcie_gbps: 0 cannot be used; a number from 0.001"));
  CHECK_THAT(refusal("\"published: HyScale Table II\"", "\"Table II\""),
             Contains("'Table II' cannot be used; a text that begins with"));
  CHECK_THAT(refusal("root_port = \"own\"", "root_port = \"shard\""), Contains("did you mean 'shared'?"));
  CHECK_THAT(refusal("\"hybrid-node\"", "\"hybrid\""), Contains("platform: 'hybrid' is no platform"));
}

TEST_CASE("a figure that is missing, negative or zero is refused by file, line and key", "[hybrid]") {
  using Catch::Contains;
  std::ifstream in(kPlatforms / "hyscale-u250.toml");
  // boards that do not sample, kernels that start at once, neighbours that caches hold, peaks nobody asks for
  const std::set<std::string> mayBeZero = {"card_sample_medges", "launch_us", "sample_bytes_per_edge",
                                           "socket_tflops", "card_tflops"};
  int place = 0, tried = 0;
  for (std::string line; std::getline(in, line) && line != "[sources]";) {
    ++place;
    const std::size_t end = line.find(" = ");
    const std::string key = line.substr(0, end);
    if (end == std::string::npos || line.find_first_of("0123456789", end) == std::string::npos) continue;
    CAPTURE(line);
    const std::string where = "altered.toml:" + std::to_string(place) + ":";
    for (const std::string value : {"-1", "0"}) {
      if (value == "0" && mayBeZero.contains(key)) continue;
      CHECK_THAT(refusal("\n" + line + "\n", "\n" + key + " = " + value + "\n"),
                 Contains(where) && Contains("figures." + key + ": " + value + " cannot be used; "));
    }
    CHECK_THAT(refusal("\n" + line + "\n", "\n"), Contains("figures." + key + ": missing"));
    ++tried;
  }
  CHECK(tried == 16);
}
