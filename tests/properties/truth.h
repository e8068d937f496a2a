#pragma once

#include <string>
#include <vector>

#include "datasets/graph/dataset.h"
#include "tests/properties/random.h"

namespace halo::properties {

/// What files are written from and have to be read back as. Parts that are empty are in no file.
struct Truth {
  Index vertices = 0;
  std::vector<Arc> arcs;  // as `directed = true` gives them: with self loops and repeated arcs
  Matrix features;
  std::vector<std::int32_t> labels;  // −1: none
  Matrix multiLabels;
  std::int32_t classes = 0;
  std::vector<Split> split;
};

/// A small graph, often with isolated vertices, self loops and repeated arcs; features are quarters from −8
/// to 8, which every numeric type of numpy but the whole ones holds.
Truth drawTruth(Random& random);

/// Every vertex of a truth that has labels gets one.
void labelAll(Random& random, Truth& truth);
/// One label a vertex instead of several.
void onlySingleLabels(Random& random, Truth& truth);
/// Leaves the vertices without arcs out, the others move up: for formats that know vertices by their arcs
/// alone. A truth without arcs is given one; only arcs and labels, drawn anew, are kept.
void dropIsolated(Random& random, Truth& truth);
/// Every arc with its inverse, none of them twice.
void makeSymmetric(Truth& truth);

/// By vertex: the targets of its arcs, in their order.
std::vector<std::vector<Index>> targets(const Truth& truth);

/// What edges that have no direction say: each is two arcs, but for self loops.
void addInverses(Truth& truth);

/// What of `set` is not as `truth` says; empty: nothing.
std::string difference(const Dataset& set, const Truth& truth);

}  // namespace halo::properties
