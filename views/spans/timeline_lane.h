#pragma once

#include <QString>
#include <memory>
#include <unordered_map>
#include <vector>

#include "views/spans/lane_sums.h"
#include "views/spans/pyramid.h"
#include "views/spans/span_store.h"
#include "views/spans/timeline_colors.h"

namespace halo {

struct TimelineRow {
  SpanRow spans;
  Pyramid pyramid;
  ColorPyramid colors;  // cache

  /// Takes the spans from `from` on into pyramid and colours.
  void build(std::size_t from);
};

/// The number of a row of lane link: transfers from a peer, and which of its rows. That of what is in flight
/// is 0.
constexpr std::int32_t linkSub(std::int32_t peer, std::int32_t row) { return (peer + 1) * 4096 + row + 1; }
/// The peer of such a row; −1 of the one of all.
constexpr std::int32_t peerOf(std::int32_t sub) { return (sub - 1) / 4096 - 1; }

/// All spans of one lane of one rank, in as many rows as overlap asks for; those of lane link by their peers.
/// Built by the thread that loads.
class TimelineLane {
 public:
  TimelineLane(std::int64_t rank, Lane lane) : rank_(rank), lane_(lane) {}

  /// Spans of this lane, in any order, none ending before it begins. None may be earlier than another
  /// append's by so much that it matters: late ones open a row.
  void append(const SpanColumns& spans);
  /// The same in two steps, for many blocks at once: pyramids are built when all have been taken.
  void take(const SpanColumns& spans);
  void build();
  /// The rows of single peers are to be drawn: from now on they have their pyramids. Until then only what is
  /// in flight has one.
  void showPeers();
  void releaseSpare();

  std::int64_t rank() const { return rank_; }
  Lane lane() const { return lane_; }
  std::size_t size() const { return size_; }
  struct Row {
    std::int32_t sub = 0;
    std::unique_ptr<TimelineRow> row;
    std::size_t built = 0;  // spans that its pyramid holds
  };
  const std::vector<Row>& rows() const { return rows_; }
  /// When anything of several rows is in flight: transfers that overlap are one span there, with the bytes of
  /// all. Null where the lane has one row, or is not link.
  TimelineRow* inFlight() const { return inFlight_.get(); }
  /// What the idle spans of all rows wait for, as SpanRow::waits().
  std::uint64_t waits() const { return waits_; }
  /// Of all rows together.
  SpanRow::Sum sumOf(std::int64_t beginNs, std::int64_t endNs) const;
  std::size_t bytes() const;

 private:
  /// The rows of one peer; of another lane than link all of them.
  struct Group {
    std::vector<std::int64_t> ends;  // of each row
    std::vector<std::size_t> rows;   // places in rows_
  };
  void grow(Group& group, std::int32_t peer);
  void takeAsOne(const SpanColumns& spans);
  void takeByPeer(const SpanColumns& spans);
  void join();
  void joinFrom(std::int64_t ns, std::vector<Span> spans);
  std::vector<Span> spansFrom(std::int64_t ns) const;

  std::int64_t rank_;
  Lane lane_;
  std::size_t size_ = 0;
  std::uint64_t waits_ = 0;
  std::vector<Row> rows_;
  std::unordered_map<std::int32_t, Group> groups_;
  std::vector<Span> fresh_;  // of lane link: taken since it was built
  std::unique_ptr<TimelineRow> inFlight_;
  std::unique_ptr<LaneSums> sums_;  // of many rows; of few they are added up
  bool peersShown_ = false;
};

}  // namespace halo
