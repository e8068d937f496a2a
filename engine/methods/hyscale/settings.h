#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "engine/hybrid/drift.h"
#include "engine/hybrid/mapping.h"
#include "engine/hybrid/node_keys.h"
#include "engine/methods/minibatch/batch_settings.h"
#include "engine/record/rows/hybrid_rows.h"

namespace halo::hyscale {

inline constexpr std::array<std::string_view, 3> kDevices = {"modelled", "host", "opencl"};
inline constexpr std::array<std::string_view, 2> kClocks = {"real", "virtual"};

inline constexpr std::array<Parameter, 27> kParameters = {{
    {"batch", "seeds of a card, and of the processors, in an iteration; 0: 1024, or as many as there are",
     Integer{0, 0, 2'147'483'647}},
    {"global_batch", "seeds of an iteration; 0: batch times the cards and one", Integer{0, 0, 2'147'483'647}},
    kFanoutsParameter,
    {"sampler", "how batches are drawn; seeds are shared out, so neighbour alone",
     Choice{"neighbour", kSamplers}},
    kReplaceParameter,
    kEdgeWeightsParameter,
    kShuffleParameter,
    kDropLastParameter,
    {"average", "weighted: mean over the seeds of all trainers; plain: mean over the trainers' means",
     Choice{"weighted", kAverages}},
    kEvaluationParameter,
    kEvaluationFanoutsParameter,
    platformParameter("hyscale-u250"),
    {"cards", "of the platform's that are used; 0: all", Integer{0, 0, 1024}},
    {"cpu_trains", "the processors train too", Flag{true}},
    {"prefetch",
     "stages that work on later batches beside training: none; loading and transfer as one; each by itself",
     Choice{"two", kPrefetches}},
    {"mapping", "where seeds and threads begin: model, best, or CPU/SAMPLE/LOAD/TRAIN as \"2048/42/42/44\"",
     Text{"model"}},
    {"manage", "move seeds and threads to the longest stage while training", Flag{true}},
    {"drift",
     "rates of a modelled platform that change while training: \"FIGURE TIMES ITERATIONS\", several by "
     "comma; "
     "in every second so many iterations the figure is so many times the file's",
     Text{""}},
    {"window", "iterations between two decisions to move", Integer{5, 1, 1'000'000}},
    {"queue_depth", "batches that wait before a stage at most", Integer{1, 1, 8}},
    {"device",
     "modelled: stages take what the platform's figures say; host: what they take here; opencl: cards are "
     "devices "
     "of OpenCL",
     Choice{"modelled", kDevices}},
    {"opencl_device", "a part of the name or vendor of the devices of OpenCL that are used; empty: all",
     Text{""}},
    {"clock", "real: stages are waited for; virtual: their times are added up", Choice{"real", kClocks}},
    {"dilation",
     "how much slower than modelled the stages run, so that this machine keeps up; 0: found before",
     Real{0, 0, 1e6}},
    kHostTrafficFactorParameter,
    kSendsTopologyParameter,
    {"profile_batches", "batches drawn of each size to map seeds and threads by", Integer{6, 1, 1000}},
}};

/// What these keys say of the node.
struct NodeSettings {
  HybridPlatform platform;  // with the cards that are used
  bool processorsTrain = true, manage = true;
  Prefetch prefetch = Prefetch::two;
  std::string mapping;
  PlatformDrift drift;
  Index window = 5;
  int queueDepth = 1;
  bool modelled = true, virtualClock = false;
  bool openCl = false;     // cards are devices of OpenCL
  std::string openClName;  // a part of their name
  double dilation = 0;     // 0: to be found

  int trainers() const { return platform.cards + 1; }
  /// What cards are.
  ActorDevice cardsAre() const {
    if (modelled) return ActorDevice::modelled;
    return openCl ? ActorDevice::opencl : ActorDevice::host;
  }
};
/// Throws InputError for a platform that cannot be read.
NodeSettings nodeSettings(const RunSettings& run);

/// What the keys say of batches, all trainers as one: SeedChoice::global, with the seeds of an iteration as
/// its global batch. A `batch` that nobody wrote is cut to what there is.
BatchSettings batchesOf(const RunSettings& run, int cards, std::int64_t trained, Index vertices);
/// What is wrong with them.
std::vector<Problem> batchesProblems(const RunSettings& run, int cards, std::int64_t trained, Index vertices);

/// What is trained, as the platform's times are made of it.
HybridWork workOf(const RunSettings& run, std::span<const Index> widths, std::int64_t trained);

std::vector<Problem> refuseRun(const RunSettings& run);
std::vector<Problem> refuseDataset(const RunSettings& run, const DataShape& data);

}  // namespace halo::hyscale
