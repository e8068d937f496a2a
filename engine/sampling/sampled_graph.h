#pragma once

#include <span>

#include "datasets/graph/csr_rows.h"
#include "engine/base/index.h"
#include "engine/base/stop_asks.h"

namespace halo {

/// The graph that samplers read. Row r lists the in-neighbours of its vertex in ascending global id, whatever
/// rank keeps it. An arc from a vertex to itself is nobody's neighbour and is left out. An arc that is
/// repeated counts as often as it stands there. A data set's arcs have neither.
///
/// rows  of all vertices, or of those in `ids`, perhaps none: row r is of vertex ids[r]. Outlives this, as
/// does `ids`. Time: one look at every arc, for arcs from a vertex to itself.
class SampledGraph {
 public:
  explicit SampledGraph(CsrRows rows, std::span<const Vertex> ids = {}, const AskStop& askStop = {});

  const CsrRows& rows() const { return rows_; }
  Index vertices() const { return rows_.cols; }
  Vertex idOf(Index row) const { return ids_.empty() ? static_cast<Vertex>(row) : ids_[at(row)]; }
  bool hasLoops() const { return hasLoops_; }
  /// Where in row r its own vertex begins to stand, and how often it does.
  struct Loops {
    Index begin = 0, count = 0;
  };
  Loops loopsOf(Index row) const;
  /// d_v: without the vertex itself.
  Index degree(Index row) const { return rows_.degree(row) - (hasLoops_ ? loopsOf(row).count : 0); }

 private:
  CsrRows rows_;
  std::span<const Vertex> ids_;
  bool hasLoops_ = false;
};

}  // namespace halo
