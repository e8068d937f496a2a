#include "engine/methods/full_graph/clone_tree.h"

#include <algorithm>
#include <utility>

#include "engine/base/index.h"
#include "engine/kernels/sparse/gather.h"

namespace halo {
namespace {

/// The rows of X that stand last.
std::span<Scalar> lastRows(Matrix& X, Index count) { return X.values().last(at(count * X.cols())); }

void gather(Communicator& comm, const Matrix& X, const std::vector<Vertex>& rows, Matrix& out) {
  const Timed timed(comm.tracer(), Kind::compute, Name::gather);
  out.resize(static_cast<Index>(rows.size()), X.cols());
  gatherRows(X, rows, out.values());
}

}  // namespace

void CloneTree::sum(int tag, Matrix& rows) {
  leaves_.resize(count_, rows.cols());
  std::ranges::copy(lastRows(rows, count_), leaves_.data());
  exchange_.startBackward(tag, leaves_);
  exchange_.finishBackward(rows);
  exchange_.startForward(tag, rows);
  std::ranges::copy(std::as_const(exchange_.finishForward()).values(), lastRows(rows, count_).begin());
}

std::vector<DelayedTree::Bin> DelayedTree::bins(const std::vector<HaloPeer>& peers, Index own,
                                                std::int64_t count, const std::vector<std::int64_t>& binOf) {
  std::vector<Bin> bins(at(count));
  std::vector<Vertex> number(at(own), -1);  // of a root in its bin
  for (const HaloPeer& peer : peers) {
    for (Bin& bin : bins) bin.peers.push_back({peer.rank, {}, static_cast<Index>(bin.leaves.size()), 0});
    for (const Vertex row : peer.sendRows) {
      Bin& bin = bins[at(binOf[at(row)])];
      if (number[at(row)] < 0) {
        number[at(row)] = static_cast<Vertex>(bin.roots.size());
        bin.roots.push_back(row);
      }
      bin.peers.back().sendRows.push_back(number[at(row)]);
    }
    for (Index leaf = own + peer.receiveBegin; leaf < own + peer.receiveBegin + peer.receiveCount; ++leaf) {
      Bin& bin = bins[at(binOf[at(leaf)])];
      bin.leaves.push_back(static_cast<Vertex>(leaf));
      ++bin.peers.back().receiveCount;
    }
  }
  return bins;
}

DelayedTree::DelayedTree(Communicator& comm, const std::vector<Bin>& bins) : comm_(comm), bins_(bins) {
  for (const Bin& bin : bins)
    slots_.push_back({HaloExchange(comm, bin.peers), HaloExchange(comm, bin.peers), {}, {}, {}, {}, {}, {}});
}

void DelayedTree::sum(std::int64_t epoch, int tag, Matrix& rows) {
  epoch_ = epoch;
  const std::size_t active = at(epoch % static_cast<std::int64_t>(bins_.size()));
  const Bin& bin = bins_[active];
  Slot& slot = slots_[active];
  if (slot.postedIn) take(slot, bin);
  if (width_ != rows.cols()) reserve(tag, rows.cols());
  gather(comm_, rows, bin.leaves, slot.sent);
  use(rows);
  gather(comm_, rows, bin.roots, passing_);
  slot.up.startBackward(tag, slot.sent);
  slot.down.startForward(tag, passing_);
  slot.postedIn = epoch;
}

// The bins' turns come one an epoch; what they need is claimed before the first.
void DelayedTree::reserve(int tag, Index width) {
  width_ = width;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    const auto roots = static_cast<Index>(bins_[b].roots.size()),
               leaves = static_cast<Index>(bins_[b].leaves.size());
    Slot& slot = slots_[b];
    for (HaloExchange* exchange : {&slot.up, &slot.down}) exchange->announce(tag);
    slot.up.reserve(width);
    slot.down.reserve(width);
    slot.sent.resize(leaves, width);
    slot.totals.resize(leaves, width);
    slot.remote.setZero(roots, width);
    if (passing_.rows() < roots) passing_.resize(roots, width);
  }
}

void DelayedTree::take(Slot& slot, const Bin& bin) {
  const std::span<const Scalar> arrived = slot.up.awaitBackward();
  slot.remote.fill(0);
  slot.up.addReturned(arrived, slot.remote);
  slot.totals = slot.down.finishForward();
  slot.answered = !bin.leaves.empty();
  slot.usedFrom = slot.postedIn;
}

void DelayedTree::use(Matrix& rows) const {
  const Timed timed(comm_.tracer(), Kind::compute, Name::gather);
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    addRows(slots_[b].remote.values(), bins_[b].roots, rows);
    if (slots_[b].answered) scatterRows(slots_[b].totals.values(), bins_[b].leaves, rows);
  }
}

std::optional<double> DelayedTree::meanAge() const {
  double ages = 0, rows = 0;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    if (!slots_[b].usedFrom) continue;
    const auto used = static_cast<double>(bins_[b].roots.size() + bins_[b].leaves.size());
    ages += used * static_cast<double>(epoch_ - *slots_[b].usedFrom);
    rows += used;
  }
  return rows > 0 ? std::optional(ages / rows) : std::nullopt;
}

void DelayedTree::drain() {
  for (Slot& slot : slots_)
    for (HaloExchange* exchange : {&slot.up, &slot.down})
      if (exchange->underWay()) exchange->drain();
}

std::size_t DelayedTree::bufferBytes() const {
  std::size_t bytes = passing_.heldBytes();
  for (const Slot& slot : slots_)
    bytes += slot.up.bufferBytes() + slot.down.bufferBytes() + slot.sent.heldBytes();
  return bytes;
}

std::size_t DelayedTree::historyBytes() const {
  std::size_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.remote.heldBytes() + slot.totals.heldBytes();
  return bytes;
}

}  // namespace halo
