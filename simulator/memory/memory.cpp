#include "simulator/memory/memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/problem.h"
#include "engine/experiment/figure_file.h"

namespace halo::sim {

namespace {

constexpr Real kNs{1, 1e-3, 1e6}, kMa{1, 0, 1e5};
constexpr Parameter kKeys[] = {
    {"channel_gbps", "peak of one channel, 10^9 bytes a second", Real{1, 1e-3, 1e5}},
    {"burst_bytes", "of one access", Integer{64, 8, 4096}},
    {"page_bytes", "of one open row", Integer{1024, 64, 1 << 20}},
    {"bank_groups", "of a channel", Integer{4, 1, 64}},
    {"banks_per_group", "of a channel", Integer{4, 1, 64}},
    {"burst_ns", "that one access takes the bus", kNs},
    {"cl_ns", "column read to data", kNs},
    {"rcd_ns", "activate to column access", kNs},
    {"rp_ns", "precharge", kNs},
    {"ras_ns", "activate to precharge", kNs},
    {"rfc_ns", "one refresh", kNs},
    {"refi_ns", "between refreshes", kNs},
    {"ccd_s_ns", "between column accesses, other bank group", kNs},
    {"ccd_l_ns", "between column accesses, same bank group", kNs},
    {"rrd_s_ns", "between activates, other bank group", kNs},
    {"rrd_l_ns", "between activates, same bank group", kNs},
    {"faw_ns", "in which four activates may stand", kNs},
    {"wtr_ns", "end of written data to a read", kNs},
    {"vdd_v", "supply", Real{1, 0.1, 10}},
    {"idd0_ma", "activate and precharge", kMa},
    {"idd2n_ma", "precharged, standing by", kMa},
    {"idd3n_ma", "row open, standing by", kMa},
    {"idd4r_ma", "reading", kMa},
    {"idd4w_ma", "writing", kMa},
    {"idd5ab_ma", "refreshing", kMa},
};

constexpr std::pair<const char*, double DramTable::*> kTimings[] = {
    {"burst_ns", &DramTable::burstNs},   {"cl_ns", &DramTable::clNs},
    {"rcd_ns", &DramTable::rcdNs},       {"rp_ns", &DramTable::rpNs},
    {"ras_ns", &DramTable::rasNs},       {"rfc_ns", &DramTable::rfcNs},
    {"refi_ns", &DramTable::refiNs},     {"ccd_s_ns", &DramTable::ccdShortNs},
    {"ccd_l_ns", &DramTable::ccdLongNs}, {"rrd_s_ns", &DramTable::rrdShortNs},
    {"rrd_l_ns", &DramTable::rrdLongNs}, {"faw_ns", &DramTable::fawNs},
    {"wtr_ns", &DramTable::wtrNs},       {"vdd_v", &DramTable::vddV},
    {"idd0_ma", &DramTable::idd0Ma},     {"idd2n_ma", &DramTable::idd2nMa},
    {"idd3n_ma", &DramTable::idd3nMa},   {"idd4r_ma", &DramTable::idd4rMa},
    {"idd4w_ma", &DramTable::idd4wMa},   {"idd5ab_ma", &DramTable::idd5abMa}};

DramTable tableOf(const Values& f, const std::string& source) {
  DramTable t;
  t.channelGbps = f.real("channel_gbps");
  t.burstBytes = f.integer("burst_bytes");
  t.pageBytes = f.integer("page_bytes");
  t.bankGroups = f.integer("bank_groups");
  t.banksPerGroup = f.integer("banks_per_group");
  for (const auto& [key, to] : kTimings) t.*to = f.real(key);
  t.source = source;
  return t;
}

}  // namespace

std::map<std::string, DramTable> readMemories(const std::filesystem::path& file) {
  std::map<std::string, DramTable> memories;
  for (const auto& [name, read] : readFigures(file, kKeys)) {
    const DramTable& t = memories[name] = tableOf(read.figures, read.source);
    const auto refuse = [&, name = name](const char* key, const char* message) {
      throw InputError({.file = file.string(), .key = name + "." + key, .message = message});
    };
    if (t.rfcNs + t.rpNs + t.rcdNs + t.clNs + t.burstNs >= t.refiNs)
      refuse("rfc_ns", "with rp_ns, rcd_ns, cl_ns and burst_ns must be below refi_ns, or nothing is served");
    if (t.pageBytes % t.burstBytes != 0) refuse("page_bytes", "must be a multiple of burst_bytes");
    if (t.bankGroups * t.banksPerGroup > 64)
      refuse("bank_groups", "times banks_per_group must be at most 64 banks of a channel");
  }
  return memories;
}

double Dram::ns(const Traffic& traffic) const {
  const auto stream = static_cast<double>(traffic.streamBytes);
  const auto scattered = static_cast<double>(traffic.scatteredBytes);
  if (model_ == DramModel::efficiency)
    return stream / (streamShare() * gbps_) + scattered / (randomShare() * streamShare() * gbps_);
  const double bus = (stream + scattered) / gbps_;
  const double rows = rowsOpened(traffic) / channels_;
  const double activates = rows * table_.fawNs / 4;
  const double banks = rows * table_.rowCycleNs() / static_cast<double>(table_.banks());
  return std::max({bus, activates, banks}) / table_.refreshShare();
}

double Dram::servedNs(const Traffic& traffic, bool anotherOpen) const {
  return traffic.streamBytes + traffic.scatteredBytes == 0 ? 0 : firstAccessNs(anotherOpen) + ns(traffic);
}

double Dram::rowsOpened(std::int64_t touched, std::int64_t all) const {
  if (touched <= 0 || all <= 0) return 0;
  const double perRow = std::min(static_cast<double>(table_.pageBytes) / line_, static_cast<double>(all));
  const double density = std::min(1.0, static_cast<double>(touched) / static_cast<double>(all));
  const double rows = static_cast<double>(all) / perRow;
  // a row stays closed if none of its lines is wanted; never more rows than lines
  return std::min(static_cast<double>(touched), rows * (1 - std::pow(1 - density, perRow)));
}

double Dram::rowsOpened(std::int64_t touched, std::int64_t all, std::int64_t linesEach) const {
  if (touched <= 0 || all <= 0) return 0;
  const double lines = std::max(1.0, static_cast<double>(linesEach));
  const double onChannel = std::max(1.0, std::floor(lines / std::ceil(channels_)));  // side by side
  const double runs = lines / onChannel;  // of a row of features, each on one channel
  const double perRow =
      std::min(static_cast<double>(table_.pageBytes) / (line_ * onChannel), static_cast<double>(all) * runs);
  if (perRow <= 1) return static_cast<double>(touched) * runs / perRow;
  const double density = std::min(1.0, static_cast<double>(touched) / static_cast<double>(all));
  const double rows = static_cast<double>(all) * runs / perRow;
  return std::min(static_cast<double>(touched) * runs, rows * (1 - std::pow(1 - density, perRow)));
}

double Dram::randomShare() const {
  const double bus = line_ / table_.channelGbps;
  const double activate =
      std::max(table_.fawNs / 4, table_.rowCycleNs() / static_cast<double>(table_.banks()));
  return std::min(1.0, bus / activate);
}

}  // namespace halo::sim
