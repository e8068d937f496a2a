#include "simulator/kinds/platform_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/catalogue.h"
#include "engine/base/index.h"
#include "engine/hybrid/mapping.h"
#include "engine/methods/contract/layer_kinds.h"
#include "engine/methods/contract/layer_work.h"

namespace halo::sim {
namespace {

constexpr std::string_view kNamedMappings[] = {"model", "best", "managed"};

/// What a mode stands for.
struct Mode {
  std::string_view name;
  Prefetch prefetch;
  bool cpuTrains, manages;
  const char* mapping = "model";
};
constexpr Mode kModes[] = {
    {"serial", Prefetch::none, false, false}, {"baseline", Prefetch::one, false, false},
    {"hybrid", Prefetch::one, true, false},   {"managed", Prefetch::one, true, true},
    {"one-stage", Prefetch::one, true, true}, {"two-stage", Prefetch::two, true, true, "managed"},
};

class Check {
 public:
  explicit Check(SimulateSettings& settings) : settings_(settings), own_(settings.own) {}

  std::vector<Problem> all() {
    takeMode();
    fanouts();
    model();
    mapping();
    seeds();
    return std::move(problems_);
  }

 private:
  void wrong(const char* key, std::string message) {
    problems_.push_back({.key = key, .message = std::move(message)});
  }

  void takeMode() {
    const std::string& word = own_.text("mode");
    const auto* mode = std::ranges::find(kModes, std::string_view(word), &Mode::name);
    if (mode == std::end(kModes)) return;
    for (const char* key : {"prefetch", "cpu_trains", "manage", "mapping"})
      if (settings_.places.contains(std::string("simulate.") + key))
        wrong((std::string("simulate.") + key).c_str(),
              fmt::format("mode = \"{}\" decides it; leave one of them out", word));
    own_["prefetch"] = std::string(kPrefetches[at(mode->prefetch)]);
    own_["cpu_trains"] = mode->cpuTrains;
    own_["manage"] = mode->manages;
    own_["mapping"] = std::string(mode->mapping);
  }
  void fanouts() {
    const std::string text = own_.text("fanouts");
    const ModelSettings& model = settings_.run.model;
    const std::size_t before = problems_.size();
    const Fanouts fanouts = readFanouts(text, static_cast<int>(model.layers), "simulate.fanouts", problems_);
    if (problems_.size() > before) return;
    own_["fanouts"] = spelled(fanouts);  // one spelling, one fingerprint
    if (own_.text("sizes") == "hp-gnn" && fanouts != Fanouts{25, 10})
      wrong("simulate.sizes",
            fmt::format("hp-gnn has fan-outs 25,10 alone, and not {}; sizes = \"drawn\"", text));
  }
  static std::string spelled(const Fanouts& fanouts) {
    std::string text;
    for (const std::int32_t fanout : fanouts)
      text += (text.empty() ? "" : ",") + (fanout == kAllNeighbours ? "all" : std::to_string(fanout));
    return text;
  }

  void model() {
    const ModelSettings& model = settings_.run.model;
    if (attends(model))
      wrong("model.kind",
            fmt::format("'{}' cannot be simulated here: its coefficients are made edge by edge, which "
                        "HyScale's model does not time; {}",
                        model.kind, kindsWithoutAttention()));
    if (model.order == "update-first")
      wrong(
          "model.order",
          "'update-first' cannot be simulated here: HyScale's trainers aggregate sampled rows and update the "
          "sums; aggregate-first, or auto, which means that here");
  }

  void mapping() {
    const std::string& text = own_.text("mapping");
    const bool named = std::ranges::find(kNamedMappings, std::string_view(text)) != std::end(kNamedMappings);
    if (text == "managed" && !own_.flag("cpu_trains"))
      wrong("simulate.mapping",
            "'managed' cannot be used; the manager moves nothing where cpu_trains = false");
    if (named) return;
    const HybridMapping initialMapping =
        readMapping(text, batchOf(settings_), platformOf(settings_), "simulate.mapping", problems_);
    if (initialMapping.cpuTrains() && !own_.flag("cpu_trains"))
      wrong("simulate.mapping",
            fmt::format("'{}' gives the processors {} seeds, and cpu_trains = false; one of the two", text,
                        initialMapping.cpuSeeds));
  }

  void seeds() {
    const auto trainVertices = static_cast<double>(own_.integer("train_vertices"));
    if (trainVertices > 0)
      if (auto problem = tooManySeeds(settings_, trainVertices, "simulate.train_vertices"))
        problems_.push_back(std::move(*problem));
    const CatalogueEntry* entry = catalogued(settings_.run.dataset.name);
    if (entry != nullptr)
      if (auto problem = tooManySeeds(settings_, static_cast<double>(entry->vertices)))
        problems_.push_back(std::move(*problem));
  }

  SimulateSettings& settings_;
  Values& own_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<Problem> checkPlatformKeys(SimulateSettings& settings, const SimulationContext&) {
  return Check(settings).all();
}

std::optional<Problem> tooManySeeds(const SimulateSettings& settings, double vertices,
                                    const std::string& source) {
  const std::int64_t trainers = platformOf(settings).cards + 1;
  const std::int64_t seeds = settings.own.integer("seeds");
  if (static_cast<double>(seeds) * static_cast<double>(trainers) <= vertices) return std::nullopt;
  const auto most = static_cast<std::int64_t>(vertices / static_cast<double>(trainers));
  return Problem{
      .key = "simulate.seeds",
      .message = fmt::format("{} of each of {} trainers are more than the {:.0f} vertices of {}; {}", seeds,
                             trainers, vertices, source,
                             most > 0 ? fmt::format("at most {}", most) : "more of them, or fewer cards")};
}

HybridPlatform platformOf(const SimulateSettings& settings) {
  return platformOf(settings.own.text("platform"), settings.figures.at("platform").figures);
}

Prefetch prefetchOf(const SimulateSettings& settings) {
  const auto word = std::ranges::find(kPrefetches, std::string_view(settings.own.text("prefetch")));
  return static_cast<Prefetch>(word - kPrefetches.begin());
}

Fanouts fanoutsOf(const SimulateSettings& settings) {
  std::vector<Problem> none;
  return readFanouts(settings.own.text("fanouts"), static_cast<int>(settings.run.model.layers), "", none);
}

std::int64_t batchOf(const SimulateSettings& settings) {
  return settings.own.integer("seeds") * (platformOf(settings).cards + 1);
}

}  // namespace halo::sim
