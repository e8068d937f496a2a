#include "engine/methods/choices/width_choice.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/base/check.h"
#include "engine/base/index.h"
#include "engine/comm/exchange/coded_exchange.h"

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
    for (const WidthGroup& group : message.groups) append(bytes, group.rows);
  }
  return bytes;
}

std::vector<WidthRequest> decode(std::string_view bytes) {
  std::vector<WidthRequest> requests;
  while (!bytes.empty()) {
    WidthRequest request{take<MessageName>(bytes), {}};
    request.message = {request.name.sender, request.name.receiver, take<std::int64_t>(bytes), {}};
    request.message.groups.resize(take<std::size_t>(bytes));
    for (WidthGroup& group : request.message.groups) group.rows = take<std::int64_t>(bytes);
    requests.push_back(std::move(request));
  }
  return requests;
}

}  // namespace

WidthChoice::WidthChoice(Communicator& comm, const std::vector<WidthRequest>& own, double tradeOff,
                         std::int64_t rangeBytes)
    : comm_(comm), tradeOff_(tradeOff), rangeBytes_(rangeBytes) {
  std::string all;
  for (const std::string& bytes : comm.gather(encode(own))) all += bytes;
  layOut(decode(comm.broadcast(std::move(all))));
  if (comm.rank() == 0) assignAll();  // takes what memory it needs
}

void WidthChoice::layOut(std::vector<WidthRequest> all) {
  messages_ = std::move(all);
  std::ranges::sort(messages_, {}, &WidthRequest::name);
  counts_.assign(at(comm_.size()), 0);
  begin_.push_back(0);
  for (const auto& [name, message] : messages_) {
    const std::size_t groups = message.groups.size();
    if (comm_.rank() == 0) {
      if (exchanges_.empty() || !name.sameExchange(messages_[exchanges_.back().first].name))
        exchanges_.push_back({{}, begin_.size() - 1, {}});
      exchanges_.back().messages.push_back(message);
    }
    if (name.sender == comm_.rank()) own_.push_back(name);
    counts_[at(name.sender)] += static_cast<std::int64_t>(groups);
    begin_.push_back(begin_.back() + groups);
  }
  widths_.resize(begin_.back());
  ownScores_.resize(at(counts_[at(comm_.rank())]));
  if (comm_.rank() == 0) gathered_.resize(begin_.back());
}

void WidthChoice::choose() {
  comm_.gather(ownScores_, gathered_, counts_);
  if (comm_.rank() == 0) assignAll();
  comm_.broadcast(std::span(widths_));
  sumUp();
}

void WidthChoice::assignAll() {
  // a rank's groups come in the order of its messages' names, which is theirs among all messages
  std::vector<std::int64_t>& at = places_;
  at.assign(counts_.size(), 0);
  for (std::size_t r = 1; r < at.size(); ++r) at[r] = at[r - 1] + counts_[r - 1];
  for (Exchange& exchange : exchanges_) {
    for (WidthMessage& message : exchange.messages)
      for (WidthGroup& group : message.groups)
        group.score = gathered_[static_cast<std::size_t>(at[static_cast<std::size_t>(message.sender)]++)];
    const GroupWidths& chosen = exchange.assigner.assign(exchange.messages, comm_.size(), tradeOff_);
    for (std::size_t m = 0; m < chosen.size(); ++m)
      std::ranges::copy(chosen[m], widths_.begin() + static_cast<std::ptrdiff_t>(begin_[exchange.first + m]));
  }
}

void WidthChoice::sumUp() {
  double elements = 0, bits = 0;
  bytes_ = 0;
  for (const WidthRequest& request : messages_) {
    const std::array<std::int64_t, 3> rows = rowsOfWidth(request);
    const std::int64_t width = request.message.width;
    for (std::size_t w = 0; w < kCodeWidths.size(); ++w) {
      elements += static_cast<double>(rows[w] * width);
      bits += static_cast<double>(rows[w] * width * kCodeWidths[w]);
      bytes_ += static_cast<double>(codeBytes(rows[w], width, kCodeWidths[w]) + rows[w] * rangeBytes_);
    }
  }
  meanBits_ = elements > 0 ? bits / elements : 0;
}

std::span<const std::uint8_t> WidthChoice::widths(const MessageName& name) const {
  const auto message = std::ranges::lower_bound(messages_, name, {}, &WidthRequest::name);
  if (message == messages_.end() || message->name != name) return {};
  const auto m = at(message - messages_.begin());
  return std::span(widths_).subspan(begin_[m], begin_[m + 1] - begin_[m]);
}

std::array<std::int64_t, 3> WidthChoice::rowsOfWidth(const WidthRequest& request) const {
  std::array<std::int64_t, 3> rows{};
  const std::span<const std::uint8_t> chosen = widths(request.name);
  for (std::size_t g = 0; g < chosen.size(); ++g)
    rows[indexOfWidth(chosen[g])] += request.message.groups[g].rows;
  return rows;
}

}  // namespace halo
