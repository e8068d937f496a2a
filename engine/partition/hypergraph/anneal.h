#pragma once

#include "engine/base/philox.h"
#include "engine/partition/hypergraph/gain_rows.h"

namespace halo {

/// How an annealing cools: the temperature falls evenly from pass to pass.
struct Cooling {
  int passes = 0;     // over the boundary; 0: none
  double from = 1.0;  // temperatures of the first and of the last pass, in units of weight
  double to = 0.1;
};

/// Simulated annealing (Kirkpatrick, Gelatt and Vecchi 1983). In each pass every boundary node goes to its
/// best part where that pays or costs nothing. Otherwise it goes there with the chance e^(gain /
/// temperature). `gains`: of `state`; gets rows for the boundary. unit: of Σ weight × (λ − 1), 1 or more.
/// Never ends above where it began. Time: passes × boundary × parts that a node's nets touch.
void anneal(NetParts& state, GainRows& gains, const Cooling& cooling, std::int64_t unit,
            PhiloxStream& random);

}  // namespace halo
