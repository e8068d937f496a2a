// The worked example of HyScale's model, iteration and manager: minibatch_example.py beside the design prints
// these figures.
#include <catch2/catch.hpp>

#include "engine/hybrid/mean_batches.h"
#include "tests/engine/hybrid/batches_fixture.h"

using namespace halo;
using namespace halo::hybridtest;

namespace {

constexpr double kExact = 1e-9;
constexpr std::int64_t kBatch = 5120;
const HybridMapping kByModel{kBatch, 2428, 42, 42, 44, 0};

Approx exactly(double value) { return Approx(value).epsilon(kExact).margin(0); }

struct Stages {
  double sample, load, transfer, trainCpu, trainCard, sync;
};
void checkStages(const HybridTimes& times, const Stages& stages) {
  CHECK(times.sampleCpu == exactly(stages.sample));
  CHECK(times.load == exactly(stages.load));
  CHECK(times.transfer == exactly(stages.transfer));
  CHECK(times.trainCpu == exactly(stages.trainCpu));
  CHECK(times.trainCard == exactly(stages.trainCard));
  CHECK(times.sync == exactly(stages.sync));
}

/// The platform of one of the example's four settings.
HybridPlatform settingNamed(const std::string& name) {
  if (name == "propagation-bound")
    return platformNamed("hyscale-u250", {{"card_gmacs", 60.0}, {"cpu_gmacs", 200.0}, {"pcie_gbps", 32.0}});
  if (name == "one socket") return platformNamed("hyscale-u250", {{"memory_sockets", std::int64_t{1}}});
  return platformNamed(name);
}

/// Milliseconds of an iteration, and windows of both managers until they rest.
struct Ablation {
  const char *platform, *set;
  double serial, baseline, hybrid, managed, twoStage;
  std::int64_t windows, windowsTwo;
};
constexpr Ablation kAblations[] = {
    {"hyscale-u250", "GCN on products", 6.51153471684, 3.71531638358, 2.70035848822, 2.54022880072,
     1.83005357143, 13, 14},
    {"hyscale-u250", "SAGE on products", 7.07440266489, 3.71531638358, 3.05064217963, 2.93304694037,
     1.91655219727, 12, 14},
    {"hyscale-u250", "GCN on papers100M", 7.94048720187, 4.75560497098, 3.50449777118, 3.29312658368,
     2.34246857143, 13, 14},
    {"hyscale-u250", "SAGE on papers100M", 8.74298624949, 4.75560497098, 3.96887386493, 3.81835195868,
     2.48201015625, 12, 15},
    {"hyscale-u250", "GCN on MAG240M", 39.6285609376, 28.0194549939, 19.8821768854, 18.5959351706,
     12.2966517851, 13, 23},
    {"hyscale-u250", "SAGE on MAG240M", 43.8851248857, 28.0194549939, 22.6438135085, 21.716962861,
     14.1297435439, 12, 17},
    {"hyscale-a5000", "GCN on products", 5.13230299173, 3.71531638358, 2.70035848822, 2.54022880072,
     1.83005357143, 13, 14},
    {"hyscale-a5000", "SAGE on products", 5.19477380611, 3.71531638358, 3.05064217963, 2.93304694037,
     1.91655219727, 12, 14},
    {"hyscale-a5000", "GCN on papers100M", 6.25618746676, 4.75560497098, 3.50449777118, 3.29312658368,
     2.34246857143, 13, 14},
    {"hyscale-a5000", "SAGE on papers100M", 6.35573868402, 4.75560497098, 3.96887386493, 3.81835195868,
     2.48201015625, 12, 15},
    {"hyscale-a5000", "GCN on MAG240M", 30.9689423833, 28.0194549939, 19.8821768854, 18.5959351706,
     12.2966517851, 13, 23},
    {"hyscale-a5000", "SAGE on MAG240M", 31.405785756, 28.0194549939, 22.6438135085, 21.716962861,
     14.1297435439, 12, 17},
    {"propagation-bound", "GCN on products", 13.384026344, 10.1427733333, 8.27290012388, 7.88306826667,
     7.88306826667, 12, 10},
    {"propagation-bound", "SAGE on products", 23.5067996773, 20.2655466667, 16.1554869625, 15.6197194667,
     15.6197194667, 12, 10},
    {"propagation-bound", "GCN on papers100M", 18.0354915828, 14.2058986667, 11.5283807842, 11.0294592,
     11.0294592, 12, 10},
    {"propagation-bound", "SAGE on papers100M", 32.2213902495, 28.3917973333, 22.5325867602, 21.8839701333,
     21.8839701333, 12, 10},
    {"propagation-bound", "GCN on MAG240M", 91.3505605107, 74.325344, 60.4370840325, 57.6777368, 57.6777368,
     12, 10},
    {"propagation-bound", "SAGE on MAG240M", 165.655904511, 148.630688, 118.067741398, 114.5233952,
     114.5233952, 12, 10},
    {"one socket", "GCN on products", 7.01145179001, 4.25499670749, 4.02570938512, 3.70545001012,
     2.28597480021, 18, 22},
    {"one socket", "SAGE on products", 7.57431973806, 4.25499670749, 4.22955272323, 3.93735131057,
     2.61691790921, 23, 19},
    {"one socket", "GCN on papers100M", 8.58038105553, 5.43605404878, 5.1593811936, 4.7494491936,
     2.94214984987, 18, 22},
    {"one socket", "SAGE on papers100M", 9.38288010315, 5.43605404878, 5.36354239863, 5.07931634985,
     3.0771670268, 16, 34},
    {"one socket", "GCN on MAG240M", 43.4079340108, 31.8273012378, 29.5500813295, 27.1289204545,
     16.3932521891, 18, 25},
    {"one socket", "SAGE on MAG240M", 47.6644979588, 31.8273012378, 30.6847157111, 29.0961136654,
     17.1333664847, 19, 25},
};

const HybridWork& workNamed(const std::string& name) {
  static const auto sets = hyScaleSets();
  return std::ranges::find(sets, name, &HyScaleSet::name)->work;
}

}  // namespace

TEST_CASE("the model maps and predicts the worked example", "[hybrid][golden]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const BatchSizes sizes = publishedSizes();
  const MappingRequest request{platform, kProducts, sizes, kBatch};
  CHECK(modelMapping(request) == kByModel);
  const HybridTimes times = predictStages(platform, kProducts, sizes, kByModel);
  checkStages(times, {0.001737202380952381, 0.0004999170731707317, 0.0016838637451171874,
                      0.0016666325170017248, 0.000857112205762987, 1.8816e-05});
  CHECK(times.propagate() == exactly(0.0016854485170017248));
  CHECK(times.iteration(Prefetch::two) == exactly(0.001737202380952381));
  CHECK(mteps(sizes.mean(5120).sampled(), 0.001737202380952381) == Approx(420.0).margin(0.05));
  const std::vector<double> weights = gradientWeights(kByModel, 4, false);
  CHECK(weights[0] == Approx(0.474219).margin(5e-7));
  for (std::size_t card = 1; card <= 4; ++card) CHECK(weights[card] == Approx(0.131445).margin(5e-7));
  CHECK(loadOf(sizes.mean(5120), kProducts, platform).featureBytes == exactly(204'966'000));
  CHECK(loadOf(sizes.mean(673), kProducts, platform).transferBytes == Approx(26'941'820).margin(0.5));
  CHECK(modelBytes(kProducts) == 150'528);
}

TEST_CASE("the metered iterations of the worked example are met", "[hybrid][golden]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const BatchSizes sizes = publishedSizes();
  const MappingRequest request{platform, kProducts, sizes, kBatch};
  const auto check = [&](Prefetch prefetch, double seconds, const Stages& stages) {
    CAPTURE(static_cast<int>(prefetch));
    const RaceTimes times = meanIteration(request, prefetch, kByModel);
    CHECK(times.seconds == exactly(seconds));
    checkStages(timesOf(times, platform), stages);
  };
  check(Prefetch::none, 0.0058378891580924755,
        {0.001737202380952381, 0.0006100178571428571, 0.0016838637451171879, 0.00178798917488005,
         0.0008771122057629867, 1.8816e-05});
  check(Prefetch::one, 0.002700358488223714,
        {0.001737202380952381, 0.0010164947431065266, 0.0016838637451171874, 0.0022221941452593044,
         0.0008771122057629869, 1.8816e-05});
  check(Prefetch::two, 0.0022410101452593045,
        {0.001737202380952381, 0.0010164947431065266, 0.0016838637451171876, 0.0022221941452593044,
         0.0008771122057629869, 1.8816e-05});
}

TEST_CASE("the manager of the worked example takes the same decisions", "[hybrid][golden]") {
  const HybridPlatform platform = platformNamed("hyscale-u250");
  const BatchSizes sizes = publishedSizes();
  const MappingRequest request{platform, kProducts, sizes, kBatch};
  const auto keptMappings = [](const ResourceManager& manager) {
    std::vector<HybridMapping> mappings;
    for (const ManagerDecision& decision : manager.decisions())
      if (decision.outcome == DecisionOutcome::kept) mappings.push_back(decision.mapping);
    return mappings;
  };
  const auto undone = [](const ResourceManager& manager) {
    return std::ranges::count(manager.decisions(), DecisionOutcome::undone, &ManagerDecision::outcome);
  };
  const ResourceManager oneStage = managedMeans(request, Prefetch::one, kByModel);
  CHECK(keptMappings(oneStage) == std::vector<HybridMapping>{kByModel,
                                                             {kBatch, 2552, 42, 42, 44, 0},
                                                             {kBatch, 2632, 42, 42, 44, 0},
                                                             {kBatch, 2684, 42, 42, 44, 0}});
  CHECK(undone(oneStage) == 9);
  CHECK(oneStage.windowsToRest() == 13);
  const double seconds[] = {0.0027004, 0.0026228, 0.0025728, 0.0025402};
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(oneStage.decisions()[i].afterSeconds.value() == Approx(seconds[i]).margin(5e-8));

  const ResourceManager twoStage = managedMeans(request, Prefetch::two, oneStage.mapping());
  CHECK(twoStage.mapping() == HybridMapping{kBatch, 2684, 42, 14, 72, 0});
  CHECK(keptMappings(twoStage).size() == 5);
  for (std::size_t i = 1; i < 5; ++i)
    CHECK(twoStage.decisions()[i].change ==
          ManagerChange{MappingAction::threads, MappingPart::load, MappingPart::train});
  CHECK(undone(twoStage) == 9);
  CHECK(twoStage.windowsToRest() == 14);
}

TEST_CASE("each step of the ablation is that of the worked example, on four platforms", "[hybrid][golden]") {
  const BatchSizes sizes = publishedSizes();
  for (const Ablation& ablation : kAblations) {
    CAPTURE(ablation.platform, ablation.set);
    const HybridPlatform platform = settingNamed(ablation.platform);
    const HybridWork& work = workNamed(ablation.set);
    const MappingRequest request{platform, work, sizes, kBatch}, alone{platform, work, sizes, kBatch, false};
    const HybridMapping cards = modelMapping(alone), start = modelMapping(request);
    const auto milliseconds = [&](Prefetch prefetch, const HybridMapping& mapping) {
      return 1e3 * meanIteration(request, prefetch, mapping).seconds;
    };
    CHECK(cards == HybridMapping{kBatch, 0, 64, 64, 0, 0});
    CHECK(milliseconds(Prefetch::none, cards) == exactly(ablation.serial));
    CHECK(milliseconds(Prefetch::one, cards) == exactly(ablation.baseline));
    CHECK(milliseconds(Prefetch::one, start) == exactly(ablation.hybrid));
    const ResourceManager managed = managedMeans(request, Prefetch::one, start);
    CHECK(milliseconds(Prefetch::one, managed.mapping()) == exactly(ablation.managed));
    const ResourceManager twoStage = managedMeans(request, Prefetch::two, managed.mapping());
    CHECK(milliseconds(Prefetch::two, twoStage.mapping()) == exactly(ablation.twoStage));
    CHECK(managed.windowsToRest() == ablation.windows);
    CHECK(twoStage.windowsToRest() == ablation.windowsTwo);
    CHECK(std::max(ablation.windows, ablation.windowsTwo) <= 40);
    // what must hold of them
    CHECK(ablation.baseline > ablation.hybrid);
    CHECK(ablation.hybrid > ablation.managed);
    if (ablation.platform == std::string("propagation-bound"))
      CHECK(ablation.twoStage > 0.99 * ablation.managed);
    else
      CHECK(ablation.managed > ablation.twoStage);
  }
}
