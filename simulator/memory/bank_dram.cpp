#include "simulator/memory/bank_dram.h"

#include <algorithm>

#include "engine/base/check.h"

namespace halo::sim {
namespace {

constexpr std::size_t kQueue = 32;

}  // namespace

BankDram::BankDram(const DramTable& table, int channels, PagePolicy policy, std::string_view map)
    : table_(table), policy_(policy), map_(map) {
  HALO_CHECK(channels >= 1);
  std::string letters(map);
  std::ranges::sort(letters);
  HALO_CHECK(letters == "bcghr" && "each field of the address once");
  Channel fresh;
  fresh.banks.resize(static_cast<std::size_t>(table.banks()));
  fresh.activates.fill(-1e9);
  fresh.refreshAt = table.refiNs;
  channels_.assign(static_cast<std::size_t>(channels), fresh);
}

BankDram::Place BankDram::placeOf(std::uint64_t address) const {
  std::uint64_t rest = address / static_cast<std::uint64_t>(table_.burstBytes);
  Place place;
  std::int64_t bankOfGroup = 0;
  const auto take = [&](std::int64_t count) {
    const auto value = static_cast<std::int64_t>(rest % static_cast<std::uint64_t>(count));
    rest /= static_cast<std::uint64_t>(count);
    return value;
  };
  for (auto field = map_.rbegin(); field != map_.rend(); ++field) switch (*field) {
      case 'h':
        place.channel = static_cast<int>(take(static_cast<std::int64_t>(channels_.size())));
        break;
      case 'g':
        place.group = static_cast<int>(take(table_.bankGroups));
        break;
      case 'b':
        bankOfGroup = take(table_.banksPerGroup);
        break;
      case 'c':
        take(table_.pageBytes / table_.burstBytes);
        break;
      default:  // rows: as many as the address asks for where they are highest, else 32 Ki
        place.row = field + 1 == map_.rend() ? static_cast<std::int64_t>(rest) : take(1 << 15);
    }
  place.bank = static_cast<int>(place.group * table_.banksPerGroup + bankOfGroup);
  return place;
}

double BankDram::serve(std::span<const BurstRequest> requests) {
  std::vector<std::vector<Waiting>> perChannel(channels_.size());
  for (const BurstRequest& request : requests) {
    const Place place = placeOf(request.address);
    perChannel[static_cast<std::size_t>(place.channel)].push_back(
        {place, request.arrivalNs, request.write, false});
  }
  double last = 0;
  for (std::size_t c = 0; c < channels_.size(); ++c)
    last = std::max(last, serveChannel(channels_[c], perChannel[c]));
  return last;
}

double BankDram::serveChannel(Channel& channel, std::span<const Waiting> requests) {
  double last = 0;
  std::size_t next = 0;
  while (next < requests.size() || !channel.queue.empty()) {
    while (next < requests.size() && channel.queue.size() < kQueue) channel.queue.push_back(requests[next++]);
    const Choice choice = choose(channel);
    if (choice.atNs >= channel.refreshAt) {
      refresh(channel, channel.refreshAt);
      continue;
    }
    last = std::max(last, issue(channel, choice));
  }
  return last;
}

double BankDram::earliest(const Channel& channel, const Waiting& waiting, Command command) const {
  const Bank& bank = channel.banks[static_cast<std::size_t>(waiting.place.bank)];
  switch (command) {
    case Command::precharge:
      return std::max(waiting.arrivalNs, bank.prechargeAt);
    case Command::activate: {
      const double apart =
          waiting.place.group == channel.lastActivateGroup ? table_.rrdLongNs : table_.rrdShortNs;
      const double window = channel.activates[static_cast<std::size_t>(channel.nextActivate)] + table_.fawNs;
      return std::max({waiting.arrivalNs, bank.activateAt, channel.lastActivate + apart, window});
    }
    case Command::column: {
      const double apart =
          waiting.place.group == channel.lastColumnGroup ? table_.ccdLongNs : table_.ccdShortNs;
      const double turn = waiting.write ? 0 : channel.readAfterWrite;
      return std::max({waiting.arrivalNs, bank.columnAt, channel.lastColumn + apart,
                       channel.busFree - table_.clNs, turn});
    }
  }
  return 0;
}

BankDram::Choice BankDram::choose(const Channel& channel) const {
  Choice best{channel.queue.size(), Command::column, 0};
  std::uint64_t decided = 0;  // banks whose oldest request, or row, has had its say
  std::uint64_t hit = 0;      // banks with a request for their open row
  HALO_CHECK(channel.banks.size() <= 64);
  for (const Waiting& waiting : channel.queue)
    if (channel.banks[static_cast<std::size_t>(waiting.place.bank)].openRow == waiting.place.row)
      hit |= std::uint64_t{1} << waiting.place.bank;
  for (std::size_t i = 0; i < channel.queue.size(); ++i) {
    const Waiting& waiting = channel.queue[i];
    const std::uint64_t bit = std::uint64_t{1} << waiting.place.bank;
    const std::int64_t open = channel.banks[static_cast<std::size_t>(waiting.place.bank)].openRow;
    Command command = Command::column;
    if (open != waiting.place.row) {
      if ((decided | hit) & bit) continue;  // an older one goes first, or the open row is still wanted
      command = open < 0 ? Command::activate : Command::precharge;
      decided |= bit;
    }
    const double at = earliest(channel, waiting, command);
    const bool better = best.index == channel.queue.size() || at < best.atNs ||
                        (at == best.atNs && command == Command::column && best.command != Command::column);
    if (better) best = {i, command, at};
  }
  return best;
}

void BankDram::refresh(Channel& channel, double nowNs) {
  double begin = std::max(nowNs, channel.busFree);
  for (const Bank& bank : channel.banks)
    begin = std::max(begin, bank.openRow >= 0 ? bank.prechargeAt + table_.rpNs : bank.activateAt);
  for (Bank& bank : channel.banks) {
    bank.openRow = -1;
    bank.activateAt = begin + table_.rfcNs;
  }
  for (Waiting& waiting : channel.queue) waiting.opened = false;
  channel.refreshAt += table_.refiNs;
  ++totals_.refreshes;
}

double BankDram::issue(Channel& channel, const Choice& choice) {
  Waiting& waiting = channel.queue[choice.index];
  Bank& bank = channel.banks[static_cast<std::size_t>(waiting.place.bank)];
  const double at = choice.atNs;
  if (choice.command == Command::precharge) {
    bank.openRow = -1;
    bank.activateAt = std::max(bank.activateAt, at + table_.rpNs);
    return 0;
  }
  if (choice.command == Command::activate) {
    bank.openRow = waiting.place.row;
    bank.columnAt = at + table_.rcdNs;
    bank.prechargeAt = at + table_.rasNs;
    bank.activateAt = at + table_.rowCycleNs();
    channel.lastActivate = at;
    channel.lastActivateGroup = waiting.place.group;
    channel.activates[static_cast<std::size_t>(channel.nextActivate)] = at;
    channel.nextActivate = (channel.nextActivate + 1) % 4;
    waiting.opened = true;
    ++totals_.activates;
    return 0;
  }
  const double end = at + table_.clNs + table_.burstNs;
  channel.lastColumn = at;
  channel.lastColumnGroup = waiting.place.group;
  channel.busFree = end;
  if (waiting.write) channel.readAfterWrite = end + table_.wtrNs;
  bank.prechargeAt = std::max(bank.prechargeAt, waiting.write ? end + table_.wtrNs : at + table_.burstNs);
  ++totals_.bursts;
  if (!waiting.opened) ++totals_.rowHits;
  if (policy_ == PagePolicy::closed) {
    bank.openRow = -1;
    bank.activateAt = std::max(bank.activateAt, bank.prechargeAt + table_.rpNs);
  }
  channel.queue.erase(channel.queue.begin() + static_cast<std::ptrdiff_t>(choice.index));
  return end;
}

double BankDram::arrayPj() const {
  return static_cast<double>(totals_.bursts) * table_.readPj() +
         static_cast<double>(totals_.activates) * table_.activatePj();
}

double BankDram::backgroundPj(double ns) const {
  return static_cast<double>(channels_.size()) * table_.backgroundMw() * ns;  // mW · ns
}

}  // namespace halo::sim
