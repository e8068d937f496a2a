#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "engine/record/rows/rows.h"
#include "engine/record/trace/span.h"

namespace halo {

/// Why ranks waited. A wait ends when a message has come or left. So each moment of the wait has the reason
/// for which that message was not there yet. It is found from the spans of both ranks:
///
/// late sender     the message was not sent yet; its sender neither computed nor coded
/// late receiver   the receiver was not ready to take it yet
/// wire            it was on its way, over a network or through shared memory
/// queue           the bytes before it had to leave or arrive first
/// peer computes   it was not sent yet; its sender computed
/// barrier or sum  all ranks meet: the gradients' sum, a barrier
/// quantiser       it was not sent yet; its sender encoded or decoded
/// memory          it was copied out of or into a device
/// unknown         the message had come before; or it is not known which it was, or what its sender did. Also
///                 what is nearer to a change on the other host than the hosts' clocks are known
///
/// A message is waited for `late` epochs after it was sent at most, so an epoch is judged once as many came
/// after it. Memory: the messages and kernels of these epochs. Time: n log n in the spans of an epoch.
class WaitReasons {
 public:
  /// emulated: messages travel an emulated link. workers: the clocks of the ranks, of which all report.
  WaitReasons(std::int64_t late, bool emulated, std::span<const WorkerRow> workers);

  /// What a rank noted in some epochs, with these epochs themselves (lane phase).
  void add(std::int64_t rank, std::span<const Span> spans);

  /// A rank's waits of one epoch, cut into pieces (lane wait, kind idle) that tile them. In order of time.
  struct Judged {
    std::int64_t epoch = 0, rank = 0;
    std::vector<Span> pieces;
  };
  /// Epochs of which enough is known now, in order; each once.
  std::vector<Judged> take();
  /// The last epoch that take() gave, to whose waits nothing comes any more; −1: none yet.
  std::int64_t judgedTo() const { return judgedTo_; }
  /// The newest epoch of which all ranks have told all; −1: none yet.
  std::int64_t toldTo() const { return newest_; }
  /// All ranks have told of an epoch up to a moment that they met at. Its waits for messages that both sides
  /// know of by now: each once, the others later. So memory is bounded in an epoch of any length whose
  /// messages are waited for soon after they were sent.
  std::vector<Judged> takeMet();
  /// All that are left, by what is known of them.
  std::vector<Judged> takeRest();

 private:
  struct Stretch {
    std::int64_t beginNs = 0, endNs = 0;
    bool holds(std::int64_t ns) const { return beginNs <= ns && ns < endNs; }
  };
  /// Times are those of the run's clock; a stretch that did not occur is empty.
  struct Message {
    bool sent = false, received = false;  // whether that side is known
    std::int64_t sentNs = 0;
    Stretch way;  // the receiver's: from departure or, on a real network, from its being ready
    Stretch queuedOut, copiedOut, queuedIn, copiedIn;
    std::int64_t epoch = 0;    // the last in which anything was noted of it
    std::int64_t meeting = 0;  // as many had been when it was
  };
  using MessageKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // sender, receiver, number
  /// A kernel.
  struct Work {
    Stretch time;
    Kind kind = Kind::compute;
  };
  struct Wait {
    std::int64_t rank = 0;
    Span span;
  };
  struct Epoch {
    std::set<std::int64_t> came;
    std::int64_t firstEndNs = INT64_MAX;
    std::vector<Wait> waits;
  };
  /// What is known of a wait while it is judged.
  struct Case {
    std::int64_t rank = 0, peer = 0;
    bool received = false;  // the message that ended it; else the rank sent that
    const Message* message = nullptr;
    const std::vector<Work>* peersWork = nullptr;
  };
  struct Piece {
    Stretch time;
    Name reason = Name::waitsUnknown;
  };

  void noteMessage(std::int64_t rank, const Span& span);
  std::vector<Judged> judge(std::int64_t epoch);
  const Message* messageOf(const Wait& wait) const;
  bool isTold(const Wait& wait) const;
  std::vector<Span> pieces(const Wait& wait) const;
  std::vector<Piece> piecesOf(const Case& situation, Stretch wait) const;
  std::vector<std::int64_t> borders(const Case& situation, Stretch wait) const;
  Name reasonAt(const Case& situation, std::int64_t ns) const;
  std::optional<Kind> peersWorkAt(const Case& situation, std::int64_t ns) const;
  Name senderDoes(const Case& situation, std::int64_t ns) const;
  Name beneathLink(const Case& situation, std::int64_t ns) const;
  std::vector<Piece> blurred(const Case& situation, std::vector<Piece> pieces) const;
  void forget(std::int64_t upTo, std::int64_t beforeNs);
  void forgetMet(std::int64_t waitedSinceNs);

  std::int64_t late_;
  bool emulated_;
  std::map<std::int64_t, std::int64_t> uncertaintyNs_;  // by rank
  std::map<MessageKey, Message> messages_;
  std::map<std::int64_t, std::vector<Work>> work_;  // by rank, in order of time
  std::map<std::int64_t, Epoch> epochs_;
  std::int64_t newest_ = -1;  // of which all ranks have told
  std::int64_t judgedTo_ = -1;
  std::int64_t meetings_ = 0, metNs_ = INT64_MIN, metBeforeNs_ = INT64_MIN;  // the last two meetings
};

}  // namespace halo
