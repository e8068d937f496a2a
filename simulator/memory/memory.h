#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace halo::sim {

/// One kind of DRAM (resources/dram.toml): timings of one channel, in ns, and currents.
struct DramTable {
  double channelGbps = 0;  // peak of one channel
  std::int64_t burstBytes = 0, pageBytes = 0, bankGroups = 0, banksPerGroup = 0;
  double burstNs = 0;  // the bus is taken by one burst
  double clNs = 0, rcdNs = 0, rpNs = 0, rasNs = 0, rfcNs = 0, refiNs = 0;
  double ccdShortNs = 0, ccdLongNs = 0, rrdShortNs = 0, rrdLongNs = 0, fawNs = 0, wtrNs = 0;
  double vddV = 0, idd0Ma = 0, idd2nMa = 0, idd3nMa = 0, idd4rMa = 0, idd4wMa = 0, idd5abMa = 0;
  std::string source;

  std::int64_t banks() const { return bankGroups * banksPerGroup; }
  double rowCycleNs() const { return rasNs + rpNs; }
  /// Share of the time that refreshes leave.
  double refreshShare() const { return 1 - rfcNs / refiNs; }
  /// Array energy of one burst read, above what an open bank draws anyway.
  double readPj() const { return (idd4rMa - idd3nMa) * vddV * burstNs; }
  /// Of opening and closing one row.
  double activatePj() const { return (idd0Ma * rowCycleNs() - idd3nMa * rasNs - idd2nMa * rpNs) * vddV; }
  /// What one channel draws with a row open, mW.
  double backgroundMw() const { return idd3nMa * vddV; }
};

/// Reads a file of such tables. Throws InputError.
std::map<std::string, DramTable> readMemories(const std::filesystem::path& file);

enum class DramModel {
  efficiency,  // D0: bytes ÷ (share · peak), one share for streams, one for what is scattered
  closedPage,  // D1: the busiest of bus, activations and banks, from counts of bytes and rows opened
};

/// What is asked of DRAM in one interval.
struct Traffic {
  std::int64_t streamBytes = 0;     // one after the other
  std::int64_t scatteredBytes = 0;  // whole lines here and there
  double scatteredRows = 0;         // rows opened for these
};

/// Bandwidth of DRAM with `gbps` peak in as many channels as that takes (not rounded: half the bandwidth is
/// half the channels).   Source: resources/design/simulator.md, DRAM
class Dram {
 public:
  Dram(const DramTable& table, double gbps, std::int64_t lineBytes, DramModel model)
      : table_(table),
        gbps_(gbps),
        channels_(gbps / table.channelGbps),
        line_(static_cast<double>(lineBytes)),
        model_(model) {}

  /// How long DRAM is busy with it, without the latency of the first access.
  double ns(const Traffic& traffic) const;
  /// What nothing hides of the first access where DRAM had nothing to do before: its row's activation and the
  /// column read. Where its bank has the row of another stream open, that row's precharge comes before them.
  double firstAccessNs(bool anotherOpen) const {
    return (anotherOpen ? table_.rpNs : 0) + table_.rcdNs + table_.clNs;
  }
  /// From asking for all of it at once until the last of it has come: firstAccessNs and `ns`. Nothing takes
  /// 0.
  double servedNs(const Traffic& traffic, bool anotherOpen = false) const;
  /// Rows opened to fetch `touched` of `all` consecutive lines in order. Each row of the array holds page ÷
  /// line of them. Channels interleave below that, so neighbours in a row are as near in density.
  double rowsOpened(std::int64_t touched, std::int64_t all) const;
  /// The same for `touched` of `all` consecutive rows of features, each of whole lines. One row of the array
  /// holds several of those that lie on one channel.
  double rowsOpened(std::int64_t touched, std::int64_t all, std::int64_t linesEach) const;
  /// Rows opened for the traffic: of a stream, one each page.
  double rowsOpened(const Traffic& traffic) const {
    return static_cast<double>(traffic.streamBytes) / static_cast<double>(table_.pageBytes) +
           traffic.scatteredRows;
  }
  /// From asking for a burst of a closed row to its last byte.
  double latencyNs() const { return table_.rcdNs + table_.clNs + table_.burstNs; }
  /// Share of the peak that scattered lines, each in a row of its own, can reach.
  double randomShare() const;
  double streamShare() const { return table_.refreshShare(); }
  double channels() const { return channels_; }
  const DramTable& table() const { return table_; }

 private:
  const DramTable& table_;
  double gbps_, channels_, line_;
  DramModel model_;
};

}  // namespace halo::sim
