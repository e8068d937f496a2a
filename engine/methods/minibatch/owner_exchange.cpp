#include "engine/methods/minibatch/owner_exchange.h"

#include <algorithm>
#include <numeric>

#include "engine/base/index.h"

namespace halo {

OwnerExchange::OwnerExchange(Communicator& comm, const RowDirectory& directory)
    : comm_(comm),
      directory_(directory),
      remoteBegins_(at(comm.size()) + 1, 0),
      served_(remoteBegins_),
      counts_(at(comm.size()), 0),
      theirCounts_(counts_) {
  transfers_.reserve(2 * at(comm.size()));
}

void OwnerExchange::announce(int tag) {
  eachOther([&](int rank) {
    for (int t = tag; t < tag + kTags; ++t) comm_.announce(rank, t);
  });
}

void OwnerExchange::keep(std::span<const Vertex> vertices) {
  sortByOwner(vertices);
  HALO_CHECK(remotePlaces_.empty());
  servedRows_.clear();
  std::ranges::fill(served_, 0);
}

void OwnerExchange::sortByOwner(std::span<const Vertex> vertices) {
  const int self = comm_.rank();
  ownPlaces_.clear();
  ownRows_.clear();
  std::ranges::fill(counts_, 0);
  for (const Vertex v : vertices)
    if (directory_.owner(v) != self) ++counts_[at(directory_.owner(v))];
  std::inclusive_scan(counts_.begin(), counts_.end(), remoteBegins_.begin() + 1);
  remotePlaces_.resize(at(remoteBegins_.back()));
  resizeUndefined(ids_, remotePlaces_.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const int owner = directory_.owner(vertices[i]);
    const Vertex row = directory_.rowAtOwner(vertices[i]);
    if (owner == self) {
      ownPlaces_.push_back(static_cast<Vertex>(i));
      ownRows_.push_back(row);
      continue;
    }
    const std::size_t place = at(remoteBegins_[at(owner)]++);
    remotePlaces_[place] = static_cast<Vertex>(i);
    ids_[place] = row;
  }
  // each part's begin has moved to its end, which is the next one's begin
  std::shift_right(remoteBegins_.begin(), remoteBegins_.end(), 1);
  remoteBegins_.front() = 0;
}

void OwnerExchange::startQuestion(int tag, std::span<const Vertex> vertices) {
  sortByOwner(vertices);
  const auto element = [](std::vector<std::int64_t>& counts, int rank) {
    return std::span(counts).subspan(at(rank), 1);
  };
  theirCounts_[at(comm_.rank())] = 0;
  eachOther(
      [&](int rank) { transfers_.push_back(comm_.startReceive(rank, tag, element(theirCounts_, rank))); });
  comm_.copyOut(static_cast<std::int64_t>(sizeof(std::int64_t)) * (comm_.size() - 1));
  eachOther([&](int rank) {
    transfers_.push_back(comm_.startSend(rank, tag, std::span<const std::int64_t>(element(counts_, rank))));
  });
}

void OwnerExchange::startIds(int tag) {
  std::inclusive_scan(theirCounts_.begin(), theirCounts_.end(), served_.begin() + 1);
  resizeUndefined(theirIds_, at(served_.back()));
  startAnswers(tag, ids_, remoteBegins_, theirIds_, served_);
}

void OwnerExchange::startAnswers(int tag, std::span<const std::int64_t> answers, std::span<const Index> sent,
                                 std::span<std::int64_t> arrived, std::span<const Index> received) {
  post(
      answers, sent, arrived, received, 1,
      [&](int rank, auto ids) { return comm_.startSend(rank, tag, ids); },
      [&](int rank, auto ids) { return comm_.startReceive(rank, tag, ids); });
}

void OwnerExchange::startAnswers(int tag, std::span<const Scalar> answers, std::span<const Index> sent,
                                 std::span<Scalar> arrived, std::span<const Index> received, Index width) {
  post(
      answers, sent, arrived, received, width,
      [&](int rank, auto rows) { return comm_.startSend(rank, tag, rows, width); },
      [&](int rank, auto rows) { return comm_.startReceive(rank, tag, rows, width); });
}

template <class T, class Send, class Receive>
void OwnerExchange::post(std::span<const T> answers, std::span<const Index> sent, std::span<T> arrived,
                         std::span<const Index> received, Index width, const Send& send,
                         const Receive& receive) {
  const auto part = [&](auto all, std::span<const Index> begins, int rank) {
    const Index rows = begins[at(rank) + 1] - begins[at(rank)];
    return all.subspan(at(begins[at(rank)] * width), at(rows * width));
  };
  eachOther([&](int rank) {
    if (const auto rows = part(arrived, received, rank); !rows.empty())
      transfers_.push_back(receive(rank, rows));
  });
  comm_.copyOut(static_cast<std::int64_t>(answers.size_bytes()));
  eachOther([&](int rank) {
    if (const auto rows = part(answers, sent, rank); !rows.empty()) transfers_.push_back(send(rank, rows));
  });
}

void OwnerExchange::finish() {
  comm_.waitAll(transfers_);
  transfers_.clear();
}

std::size_t OwnerExchange::heldBytes() const {
  std::size_t bytes = halo::heldBytes(ids_) + halo::heldBytes(theirIds_);
  for (const auto* all : {&ownPlaces_, &ownRows_, &remotePlaces_, &servedRows_})
    bytes += halo::heldBytes(*all);
  return bytes;
}

}  // namespace halo
