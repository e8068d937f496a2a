#include "engine/methods/width_choice.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "engine/comm/coded_exchange.h"

namespace halo {
namespace {

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
T take(std::string_view& bytes) {
  T value;
  HALO_CHECK(bytes.size() >= sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

std::string encode(const std::vector<WidthRequest>& requests) {
  std::string bytes;
  for (const auto& [name, message] : requests) {
    append(bytes, name);
    append(bytes, message.width);
    append(bytes, message.groups.size());
    for (const WidthGroup& group : message.groups) append(bytes, group);
  }
  return bytes;
}
void decode(std::string_view bytes, std::vector<WidthRequest>& requests) {
  while (!bytes.empty()) {
    WidthRequest request{take<MessageName>(bytes), {}};
    request.message = {request.name.sender, request.name.receiver, take<std::int64_t>(bytes), {}};
    request.message.groups.resize(take<std::size_t>(bytes));
    for (WidthGroup& group : request.message.groups) group = take<WidthGroup>(bytes);
    requests.push_back(std::move(request));
  }
}

std::string encode(const WidthChoices& choices) {
  std::string bytes;
  append(bytes, choices.meanBits);
  append(bytes, choices.bytes);
  for (const auto& [name, widths] : choices.widths) {
    append(bytes, name);
    append(bytes, widths.size());
    bytes.append(reinterpret_cast<const char*>(widths.data()), widths.size());
    append(bytes, choices.rowsOfWidth.at(name));
  }
  return bytes;
}
WidthChoices decodeChoices(std::string_view bytes) {
  WidthChoices choices{{}, {}, take<double>(bytes), take<double>(bytes)};
  while (!bytes.empty()) {
    const auto name = take<MessageName>(bytes);
    auto& widths = choices.widths[name];
    widths.resize(take<std::size_t>(bytes));
    for (std::uint8_t& width : widths) width = take<std::uint8_t>(bytes);
    choices.rowsOfWidth[name] = take<std::array<std::int64_t, 3>>(bytes);
  }
  return choices;
}

/// Of one exchange, the figures added to `choices`: elements in `elements`, their bits in meanBits.
void choose(std::span<const WidthRequest> requests, int parts, double tradeOff, std::int64_t rangeBytes,
            WidthChoices& choices, double& elements) {
  std::vector<WidthMessage> messages;
  for (const WidthRequest& request : requests) messages.push_back(request.message);
  const GroupWidths widths = assignWidths(messages, parts, tradeOff);
  for (std::size_t m = 0; m < messages.size(); ++m) {
    auto& rows = choices.rowsOfWidth[requests[m].name];
    for (std::size_t g = 0; g < widths[m].size(); ++g)
      rows[indexOfWidth(widths[m][g])] += messages[m].groups[g].rows;
    for (std::size_t w = 0; w < kCodeWidths.size(); ++w) {
      const std::int64_t count = rows[w], width = messages[m].width;
      const int bits = kCodeWidths[w];
      elements += static_cast<double>(count * width);
      choices.meanBits += static_cast<double>(count * width * bits);
      choices.bytes += static_cast<double>(codeBytes(count, width, bits) + count * rangeBytes);
    }
    choices.widths[requests[m].name] = widths[m];
  }
}

WidthChoices chooseAll(std::vector<WidthRequest> requests, int parts, double tradeOff,
                       std::int64_t rangeBytes) {
  std::ranges::sort(requests, {}, &WidthRequest::name);
  WidthChoices choices;
  double elements = 0;
  for (auto from = requests.begin(); from != requests.end();) {
    const auto to = std::find_if(from, requests.end(),
                                 [&](const WidthRequest& r) { return !r.name.sameExchange(from->name); });
    choose(std::span(from, to), parts, tradeOff, rangeBytes, choices, elements);
    from = to;
  }
  if (elements > 0) choices.meanBits /= elements;
  return choices;
}

}  // namespace

WidthChoices chooseTogether(Communicator& comm, const std::vector<WidthRequest>& own, double tradeOff,
                            std::int64_t rangeBytes) {
  std::vector<WidthRequest> all;
  for (const std::string& bytes : comm.gather(encode(own))) decode(bytes, all);
  std::string chosen;
  if (comm.rank() == 0) chosen = encode(chooseAll(std::move(all), comm.size(), tradeOff, rangeBytes));
  return decodeChoices(comm.broadcast(std::move(chosen)));
}

}  // namespace halo
