#pragma once

#include <array>
#include <string_view>

#include "engine/base/declaration.h"

namespace halo {

// Keys that several methods and simulations of mini-batches have, each declared once.

inline constexpr std::array<std::string_view, 2> kEdgeWeights = {"global", "block"};
inline constexpr std::array<std::string_view, 2> kAverages = {"weighted", "plain"};
inline constexpr std::array<std::string_view, 2> kEvaluations = {"full", "sampled"};

inline constexpr Parameter kFanoutsParameter = {
    "fanouts", "most neighbours drawn in each layer, from the inputs to the seeds; all: every one",
    Text{"25,10", /*numbers=*/true}};
inline constexpr Parameter kReplaceParameter = {"replace", "draw neighbours with replacement", Flag{false}};
inline constexpr Parameter kEdgeWeightsParameter = {
    "edge_weights", "neighbours weighted as in the whole graph, or as in one that has the drawn arcs alone",
    Choice{"global", kEdgeWeights}};
inline constexpr Parameter kShuffleParameter = {
    "shuffle", "another order of the seeds in every epoch; false: by vertex", Flag{true}};
inline constexpr Parameter kDropLastParameter = {"drop_last", "leave out a batch that is not full",
                                                 Flag{false}};
inline constexpr Parameter kEvaluationParameter = {
    "evaluation", "scores are of the graph with all neighbours, or of drawn ones",
    Choice{"full", kEvaluations}};
inline constexpr Parameter kEvaluationFanoutsParameter = {
    "eval_fanouts", "most neighbours drawn to evaluate, as in fanouts; empty: as many",
    Text{"", /*numbers=*/true}};

}  // namespace halo
