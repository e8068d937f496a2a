#pragma once

#include <span>
#include <vector>

#include "engine/comm/communicator/communicator.h"
#include "engine/comm/exchange/row_directory.h"

namespace halo {

/// Questions about vertices to their owners, and the owners' answers. One question at a time, all ranks
/// together:
///
///   startQuestion(tag, vertices)   8 bytes to every other rank, how many of its vertices
///   startIds(tag + 1)              8 bytes a vertex to who has any
///   takeIds()                      whose rows were asked for: served()
///   startAnswers(tag + 2, …)       what the owners made of served(); nothing where there is nothing
///
/// with finish() after each of the three that start, which waits for what was posted; isHere() tells whether
/// it would. In between a rank may do whatever it likes, but for another question of the same tags. Of
/// `vertices`, own ones stand in own…, others' in remotePlaces, one owner after the other.
class OwnerExchange {
 public:
  static constexpr int kTags = 3;  // of one question and its answers

  /// Both outlive this.
  OwnerExchange(Communicator& comm, const RowDirectory& directory);

  /// Makes messages of these tags known, so that none that is the first of its kind has to.
  void announce(int tag);
  /// `vertices`: distinct vertices.
  void startQuestion(int tag, std::span<const Vertex> vertices);
  void startIds(int tag);
  void takeIds() { servedRows_.assign(theirIds_.begin(), theirIds_.end()); }
  /// Of vertices that are all this rank's; nobody is asked.
  void keep(std::span<const Vertex> vertices);

  /// Of those of `vertices` that this rank owns: where they stand there, and their rows here.
  std::span<const Vertex> ownPlaces() const { return ownPlaces_; }
  std::span<const Vertex> ownRows() const { return ownRows_; }
  /// Where others' stand in `vertices`; rank r's are [remoteBegins()[r], remoteBegins()[r + 1]).
  std::span<const Vertex> remotePlaces() const { return remotePlaces_; }
  std::span<const Index> remoteBegins() const { return remoteBegins_; }
  /// Rows of this rank that others asked for; rank r's are [served()[r], served()[r + 1]).
  std::span<const Vertex> servedRows() const { return servedRows_; }
  std::span<const Index> served() const { return served_; }

  /// Posts answers[sent[r] … sent[r + 1]) to every rank r and receives arrived[received[r] …) from it; both
  /// live until finish.
  void startAnswers(int tag, std::span<const std::int64_t> answers, std::span<const Index> sent,
                    std::span<std::int64_t> arrived, std::span<const Index> received);
  /// The same of rows of `width`; `sent` and `received` count rows.
  void startAnswers(int tag, std::span<const Scalar> answers, std::span<const Index> sent,
                    std::span<Scalar> arrived, std::span<const Index> received, Index width);
  /// Whether nothing that was posted last is under way any more.
  bool isHere() { return comm_.areHere(transfers_); }
  void finish();

  std::size_t heldBytes() const;

 private:
  void sortByOwner(std::span<const Vertex> vertices);
  template <class Use>
  void eachOther(const Use& use) const {
    for (int rank = 0; rank < comm_.size(); ++rank)
      if (rank != comm_.rank()) use(rank);
  }
  template <class T, class Send, class Receive>
  void post(std::span<const T> answers, std::span<const Index> sent, std::span<T> arrived,
            std::span<const Index> received, Index width, const Send& send, const Receive& receive);

  Communicator& comm_;
  const RowDirectory& directory_;
  std::vector<Vertex> ownPlaces_, ownRows_, remotePlaces_, servedRows_;
  std::vector<Index> remoteBegins_, served_;        // by rank, where its part begins
  std::vector<std::int64_t> counts_, theirCounts_;  // by rank
  Buffer<std::int64_t> ids_, theirIds_;             // rows at their owner
  std::vector<Transfer> transfers_;
};

}  // namespace halo
