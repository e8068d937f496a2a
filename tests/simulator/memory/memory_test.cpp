#include "simulator/memory/memory.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "engine/base/philox.h"
#include "simulator/memory/bank_dram.h"
#include "tests/simulator/device.h"
#include "tests/support/places.h"
#include "tests/support/scratch.h"

using namespace halo;
using namespace halo::sim;
using namespace halo::simtest;

namespace {

const DramTable& hbm2() { return library().memories.at("hbm2"); }

std::vector<BurstRequest> sequential(std::int64_t bursts) {
  std::vector<BurstRequest> all;
  for (std::int64_t i = 0; i < bursts; ++i) all.push_back({static_cast<std::uint64_t>(i) * 64, 0, false});
  return all;
}

std::vector<BurstRequest> scattered(std::int64_t bursts, std::uint64_t seed) {
  PhiloxStream random(seed, Purpose::shuffle, 3);
  std::vector<BurstRequest> all;
  for (std::int64_t i = 0; i < bursts; ++i)
    all.push_back({random.below(std::uint64_t{1} << 27) * 64, 0, false});
  return all;
}

}  // namespace

TEST_CASE("sequential reads reach nine tenths of the peak", "[simulator]") {
  const auto name = GENERATE("hbm2", "ddr4-3200", "ddr4-2400");
  const auto channels = GENERATE(1, 4);
  const DramTable& table = library().memories.at(name);
  BankDram dram(table, channels, PagePolicy::open);
  const std::int64_t bursts = 40'000 * channels;
  const double ns = dram.serve(sequential(bursts));
  const double peak = table.channelGbps * channels;
  CAPTURE(name, channels);
  CHECK(static_cast<double>(bursts * 64) / ns >= 0.9 * peak);
  CHECK(static_cast<double>(bursts * 64) / ns <= peak);
  CHECK(dram.totals().bursts == bursts);
  CHECK(dram.totals().refreshes > 0);
}

TEST_CASE("a chased pointer takes activate, column and burst", "[simulator]") {
  BankDram dram(hbm2(), 4, PagePolicy::closed);
  double at = 1000;
  const auto requests = scattered(100, 4);
  for (const BurstRequest& request : requests) {
    // apart by more than a row cycle, and not while a refresh is near or under way
    const double since = at - hbm2().refiNs * std::floor(at / hbm2().refiNs);
    if (since < 400 || since > 3800) at += 500;
    const double end = dram.serve(std::vector<BurstRequest>{{request.address, at, false}});
    CHECK(end - at == Approx(hbm2().rcdNs + hbm2().clNs + hbm2().burstNs));
    at = end + 60;
  }
  CHECK(Dram(hbm2(), 32, 64, DramModel::closedPage).latencyNs() == 30);
}

TEST_CASE("random bursts with rows shut are as quick as the closed form within a twentieth", "[simulator]") {
  const auto channels = GENERATE(1, 8);
  const std::int64_t bursts = 30'000 * channels;
  BankDram banks(hbm2(), channels, PagePolicy::closed);
  const double ns = banks.serve(scattered(bursts, 5));
  const Dram closed(hbm2(), 32.0 * channels, 64, DramModel::closedPage);
  const double expected = closed.ns({0, bursts * 64, static_cast<double>(bursts)});
  CAPTURE(channels, ns, expected);
  CHECK(ns == Approx(expected).epsilon(0.05));
  CHECK(banks.totals().activates >= bursts);  // a refresh shuts rows that were just opened
  CHECK(banks.totals().activates <= bursts + banks.totals().refreshes * hbm2().banks());
}

TEST_CASE("the closed form has the shares of the peak that the timings give", "[simulator]") {
  const Dram dram(hbm2(), 1024, 64, DramModel::closedPage);
  CHECK(dram.channels() == 32);
  CHECK(dram.randomShare() == Approx(0.267).margin(0.0005));            // 64 B in 7.5 of 2 ns
  CHECK(2 / (hbm2().rowCycleNs() / 16) == Approx(0.67).margin(0.005));  // banks alone would allow
  CHECK(dram.streamShare() == Approx(0.933).margin(0.0005));
  CHECK(dram.ns({1'024'000, 0, 0}) == Approx(1000 / dram.streamShare()));
  CHECK(dram.ns({0, 64'000, 1000}) == Approx(1000 * 7.5 / 32 / dram.streamShare()));
  CHECK(Dram(hbm2(), 1024, 64, DramModel::efficiency).ns({0, 64'000, 0}) ==
        Approx(1000 * 7.5 / 32 / dram.streamShare()));
  CHECK(dram.ns({0, 0, 0}) == 0);
}

TEST_CASE("rows opened follow how dense the wanted lines are", "[simulator]") {
  const Dram dram(hbm2(), 32, 64, DramModel::closedPage);
  CHECK(dram.rowsOpened(0, 1000) == 0);
  CHECK(dram.rowsOpened(1600, 1600) == Approx(100));
  CHECK(dram.rowsOpened(1, 1600) == Approx(1).epsilon(0.01));
  PhiloxStream random(6, Purpose::shuffle, 4);
  constexpr std::int64_t kLines = 16'000;
  for (const std::int64_t draws : {200, 2000, 9000}) {
    std::vector<bool> line(kLines), row(kLines / 16);
    std::int64_t touched = 0, rows = 0;
    for (std::int64_t i = 0; i < draws; ++i) line[random.below(kLines)] = true;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i]) ++touched, row[i / 16] = true;
    for (const bool open : row) rows += open ? 1 : 0;
    CHECK(dram.rowsOpened(touched, kLines) == Approx(static_cast<double>(rows)).epsilon(0.05));
  }
}

TEST_CASE("energies of DRAM are the currents' of its table", "[simulator]") {
  CHECK(hbm2().readPj() == Approx(804));
  CHECK(hbm2().activatePj() == Approx(828));
  CHECK(hbm2().backgroundMw() == Approx(66));
  BankDram dram(hbm2(), 2, PagePolicy::closed);
  dram.serve(scattered(500, 7));
  CHECK(dram.arrayPj() == Approx(500 * (804 + 828)));
  CHECK(dram.backgroundPj(1000) == Approx(2 * 66 * 1000));
}

TEST_CASE("reads wait for data that was written before", "[simulator]") {
  BankDram dram(hbm2(), 1, PagePolicy::open);
  const double end = dram.serve(std::vector<BurstRequest>{{0, 0, true}, {64, 0, false}});
  const double written = hbm2().rcdNs + hbm2().clNs + hbm2().burstNs;
  CHECK(end == Approx(written + hbm2().wtrNs + hbm2().clNs + hbm2().burstNs));
}

TEST_CASE("a file without memories is refused", "[simulator]") {
  const Scratch folder;
  std::ofstream(folder / "dram.toml") << "# nothing left\n";
  try {
    readMemories(folder / "dram.toml");
    FAIL("was taken");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("dram.toml: holds nothing; a table of figures each") !=
          std::string::npos);
  }
}

TEST_CASE("a file of memories is read strictly", "[simulator]") {
  const Scratch folder;
  std::ifstream in(std::filesystem::path(kSourceDir) / "resources/dram.toml");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto wrong = [&](const std::string& pattern, const std::string& by) {
    std::string other = text;
    const auto at = other.find(pattern);
    REQUIRE(at != std::string::npos);
    other.replace(at, pattern.size(), by);
    std::ofstream(folder / "dram.toml") << other;
    try {
      readMemories(folder / "dram.toml");
    } catch (const InputError& error) {
      return std::string(error.what()).substr(folder.path().string().size() + 1);
    }
    return std::string();
  };
  CHECK(wrong("channel_gbps = 32.0", "channel_gbps = 32.0").empty());
  CHECK(wrong("channel_gbps = 32.0", "channel_gbps = 0") ==
        "dram.toml:4:16: hbm2.channel_gbps: 0 cannot be used; a number from 0.001 to 100000");
  CHECK(wrong("channel_gbps = 32.0", "channel_mbps = 32.0") ==
        "dram.toml:3:1: hbm2.channel_gbps: missing; peak of one channel, 10^9 bytes a second\n" +
            (folder / "dram.toml").string() +
            ":4:1: hbm2.channel_mbps: unknown key; did you mean 'channel_gbps'?");
  CHECK(wrong("rfc_ns = 260.0", "rfc_ns = 4000.0") ==
        "dram.toml: hbm2.rfc_ns: with rp_ns, rcd_ns, cl_ns and burst_ns must be below refi_ns, or nothing is "
        "served");
  CHECK(!wrong("rfc_ns = 260.0", "rfc_ns = 3890.0").empty());  // no time for a row to be opened and read
  CHECK(wrong("burst_bytes = 64", "burst_bytes = 4096") ==
        "dram.toml: hbm2.page_bytes: must be a multiple of burst_bytes");
  CHECK(wrong("bank_groups = 4", "bank_groups = 32") ==
        "dram.toml: hbm2.bank_groups: times banks_per_group must be at most 64 banks of a channel");
}
