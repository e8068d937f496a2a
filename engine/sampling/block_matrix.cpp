#include "engine/sampling/block_matrix.h"

#include <algorithm>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo {
namespace {

/// own(i): of row i's own entry; entry(i, k): of the arc stored at k.
template <class Own, class Entry>
void write(const Csr& arcs, EdgeRule rule, const Own& own, const Entry& entry, Csr& out) {
  HALO_CHECK(arcs.rows() <= arcs.cols);
  const bool itself = includesItself(rule), valued = rule != EdgeRule::attention;
  const Index rows = arcs.rows(), size = arcs.nonzeros() + (itself ? rows : 0);
  out.cols = arcs.cols;
  resizeUndefined(out.offsets, at(rows) + 1);
  resizeUndefined(out.columns, at(size));
  resizeUndefined(out.values, valued ? at(size) : 0);
  Index next = 0;
  const auto add = [&](Index column, double value) {
    out.columns[at(next)] = static_cast<Vertex>(column);
    if (valued) out.values[at(next)] = static_cast<Scalar>(value);
    ++next;
  };
  out.offsets[0] = 0;
  for (Index i = 0; i < rows; ++i) {
    if (itself) add(i, own(i));
    for (Index k = arcs.offsets[at(i)]; k < arcs.offsets[at(i) + 1]; ++k)
      add(arcs.columns[at(k)], entry(i, k));
    out.offsets[at(i) + 1] = next;
  }
}

}  // namespace

void weighNeighbours(const Blocks& blocks, int layer, const GlobalMatrix& P, EdgeWeights weights, Csr& out) {
  const Csr& arcs = blocks.block(layer);
  const std::span<const Vertex> ids = blocks.at(layer - 1);
  if (weights == EdgeWeights::block) {
    const auto within = [&](Index i) {
      const auto drawn = static_cast<double>(arcs.degree(i));
      return P.rule == EdgeRule::sum ? 1 : 1 / (includesItself(P.rule) ? drawn + 1 : drawn);
    };
    write(
        arcs, P.rule, within, [&](Index i, Index) { return within(i); }, out);
    return;
  }
  write(
      arcs, P.rule, [&](Index i) { return P.entry(ids[at(i)], ids[at(i)]); },
      [&](Index i, Index k) {
        const Vertex v = ids[at(i)];
        const double drawn = static_cast<double>(P.inDegree(v)) / static_cast<double>(arcs.degree(i));
        return drawn * P.entry(v, ids[at(arcs.columns[at(k)])]);
      },
      out);
}

void weighByFactors(const Csr& arcs, std::span<const Vertex> vertices, const GlobalMatrix& P,
                    std::span<const double> factors, std::span<const double> own, Csr& out) {
  HALO_CHECK(std::ssize(vertices) == arcs.cols && std::ssize(factors) == arcs.nonzeros());
  HALO_CHECK(own.empty() || std::ssize(own) == arcs.rows());
  write(
      arcs, P.rule,
      [&](Index i) {
        const Vertex v = vertices[at(i)];
        return P.entry(v, v) * (own.empty() ? 1 : own[at(i)]);
      },
      [&](Index i, Index k) {
        return factors[at(k)] * P.entry(vertices[at(i)], vertices[at(arcs.columns[at(k)])]);
      },
      out);
}

void weighWithin(const Csr& arcs, EdgeRule rule, Csr& out) {
  HALO_CHECK(arcs.rows() == arcs.cols);
  thread_local std::vector<Vertex> in, from;  // degrees, kept from block to block
  in.resize(at(arcs.rows()));
  for (Index i = 0; i < arcs.rows(); ++i) in[at(i)] = static_cast<Vertex>(arcs.degree(i));
  from.assign(at(arcs.cols), 0);
  for (const Vertex u : arcs.columns) ++from[at(u)];
  weighWithin(arcs, rule, in, from, out);
}

void weighWithin(const Csr& arcs, EdgeRule rule, std::span<const Vertex> in, std::span<const Vertex> from,
                 Csr& out) {
  HALO_CHECK(std::ssize(in) == arcs.rows() && std::ssize(from) == arcs.cols);
  const GlobalMatrix P{rule, in, from};  // its whole graph is the block
  write(
      arcs, rule, [&](Index i) { return P.entry(static_cast<Vertex>(i), static_cast<Vertex>(i)); },
      [&](Index i, Index k) { return P.entry(static_cast<Vertex>(i), arcs.columns[at(k)]); }, out);
}

}  // namespace halo
