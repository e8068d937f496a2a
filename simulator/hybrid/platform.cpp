#include "simulator/hybrid/platform.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>

#include "engine/base/problem.h"
#include "engine/experiment/read_value.h"

namespace halo::sim {
namespace {

constexpr double kMostGbps = 1e6;
constexpr std::array<std::string_view, 2> kRootPorts = {"own", "shared"};
const std::array<Parameter, 19> kParameters = {{
    {"sockets", "processors", Integer{2, 1, 64}},
    {"cpu_threads", "threads of all processors that sample, load and train", Integer{128, 3, 65536}},
    {"memory_sockets", "processors whose memory bandwidth the features are read with", Integer{2, 1, 64}},
    {"socket_memory_gbps", "memory bandwidth of a processor, GB/s", Real{205, 1e-3, kMostGbps}},
    {"cpu_gmacs", "multiply-adds of all processors, 10^9 a second", Real{3600, 1e-3, 1e9}},
    {"thread_gbps", "bytes that one thread moves at most, GB/s", Real{8, 1e-3, kMostGbps}},
    {"thread_sample_medges", "neighbours that one thread samples, 10^6 a second", Real{10, 1e-6, 1e6}},
    {"sample_bytes_per_edge", "host memory traffic of one sampled neighbour", Real{16, 0, 4096}},
    {"cards", "accelerator cards", Integer{4, 1, 1024}},
    {"card_memory_gbps", "memory bandwidth of a card, GB/s", Real{77, 1e-3, kMostGbps}},
    {"card_gmacs", "multiply-adds of a card, 10^9 a second", Real{614.4, 1e-3, 1e9}},
    {"card_overlaps", "a card aggregates and updates at the same time", Flag{true}},
    {"card_duplicates", "a card reads the row of a vertex once a layer, not once an edge", Flag{true}},
    {"card_sample_medges", "neighbours that a card samples, 10^6 a second; 0: cards do not sample",
     Real{0, 0, 1e6}},
    {"launch_us", "time to start the kernels of one propagation on a card", Real{0, 0, 1e6}},
    {"pcie_gbps", "PCIe bandwidth of a card, or of all together, GB/s", Real{16, 1e-3, kMostGbps}},
    {"root_port", "whether each card has its own PCIe root port, or all share one",
     Choice{"own", kRootPorts}},
    {"socket_tflops", "peak of a processor, for normalised times", Real{3.6, 0, 1e6}},
    {"card_tflops", "peak of a card, for normalised times", Real{0.6, 0, 1e6}},
}};

const std::array<std::string_view, 4> kOrigins = {"published: ", "measured: ", "derived: ", "assumed: "};

class Reader {
 public:
  Reader(const std::filesystem::path& file, const std::map<std::string, Value>& changed)
      : file_(file.string()), changed_(changed) {}

  HybridPlatform read() {
    toml::table document;
    try {
      document = toml::parse_file(file_);
    } catch (const toml::parse_error& error) {
      throw InputError(placed(file_, error.source(), "", std::string(error.description())));
    }
    HybridPlatform platform;
    for (const auto& [key, node] : document) readTop(std::string(key.str()), node, platform);
    if (platform.name.empty()) problems_.push_back({file_, 0, 0, "name", "missing; a text in quotes"});
    const Values values = complete(platform);
    if (!problems_.empty()) throw InputError(std::move(problems_));
    fill(values, platform);
    return platform;
  }

 private:
  void wrong(const toml::node& node, std::string key, std::string message) {
    problems_.push_back(placed(file_, node.source(), std::move(key), std::move(message)));
  }

  void readTop(const std::string& key, const toml::node& node, HybridPlatform& platform) {
    if (key == "name" || key == "help") {
      if (!node.is_string())
        wrong(node, key, shown(node) + " cannot be used; a text in quotes");
      else if (key == "name")
        platform.name = node.as_string()->get();
    } else if (key == "figures" && node.is_table()) {
      for (const auto& [name, figure] : *node.as_table()) readFigure(std::string(name.str()), figure);
    } else {
      wrong(node, key, "unknown here; name, help and a table [figures]");
    }
  }

  void readFigure(const std::string& name, const toml::node& node) {
    const std::string key = "figures." + name;
    const auto parameter = std::ranges::find(kParameters, name, &Parameter::key);
    if (parameter == kParameters.end()) {
      const auto known = namesOf(kParameters, &Parameter::key);
      return wrong(node, key, "unknown; " + suggestion(name, known, "one of " + listed(known)));
    }
    PlatformFigure& figure = figures_[name];  // named, if wrongly: not missing
    const toml::table* table = node.as_table();
    if (table == nullptr || !table->contains("value") || !table->contains("source"))
      return wrong(node, key, "needs both: { value = …, source = \"published: …\" }");
    for (const auto& [part, of] : *table)
      if (part.str() != "value" && part.str() != "source")
        wrong(of, key + "." + std::string(part.str()), "unknown; value and source");
    std::string what;
    if (const auto value = readValue(*parameter, *table->get("value"), what))
      figure.value = *value;
    else
      wrong(*table->get("value"), key, what);
    const toml::node& source = *table->get("source");
    const std::string text = source.value_or(std::string());
    if (std::ranges::none_of(kOrigins, [&](auto origin) { return text.starts_with(origin); }))
      wrong(source, key + ".source",
            shown(source) +
                " says not how the value is known; it begins with one of "
                "'published: ', 'measured: ', 'derived: ', 'assumed: '");
    figure.source = text;
  }

  /// Every declared figure, with those changed by an experiment.
  Values complete(HybridPlatform& platform) {
    for (const auto& [name, value] : changed_) {
      const auto parameter = std::ranges::find(kParameters, name, &Parameter::key);
      const auto known = namesOf(kParameters, &Parameter::key);
      if (parameter == kParameters.end()) {
        problems_.push_back(
            {"", 0, 0, name, "unknown; " + suggestion(name, known, "one of " + listed(known))});
        continue;
      }
      toml::table one;
      std::visit([&](const auto& plain) { one.insert("value", plain); }, value);
      std::string what;
      if (const auto usable = readValue(*parameter, *one.get("value"), what))
        figures_[name] = {name, *usable, "assumed: set in the experiment"};
      else
        problems_.push_back({"", 0, 0, name, what});
    }
    Values values;
    for (const Parameter& parameter : kParameters) {
      const std::string name(parameter.key);
      const auto figure = figures_.find(name);
      if (figure == figures_.end()) {
        problems_.push_back({file_, 0, 0, "figures." + name, "missing; " + std::string(parameter.help)});
        continue;
      }
      values.emplace(name, figure->second.value);
      platform.figures.push_back({name, figure->second.value, figure->second.source});
    }
    return values;
  }

  static void fill(const Values& values, HybridPlatform& platform) {
    const auto whole = [&](const char* key) { return static_cast<int>(values.integer(key)); };
    platform.sockets = whole("sockets");
    platform.cpuThreads = whole("cpu_threads");
    platform.memorySockets = whole("memory_sockets");
    platform.socketMemoryGbps = values.real("socket_memory_gbps");
    platform.cpuGmacs = values.real("cpu_gmacs");
    platform.threadGbps = values.real("thread_gbps");
    platform.threadSampleMedges = values.real("thread_sample_medges");
    platform.sampleBytesPerEdge = values.real("sample_bytes_per_edge");
    platform.cards = whole("cards");
    platform.cardMemoryGbps = values.real("card_memory_gbps");
    platform.cardGmacs = values.real("card_gmacs");
    platform.cardOverlaps = values.flag("card_overlaps");
    platform.cardDuplicates = values.flag("card_duplicates");
    platform.cardSampleMedges = values.real("card_sample_medges");
    platform.launchUs = values.real("launch_us");
    platform.pcieGbps = values.real("pcie_gbps");
    platform.sharedRootPort = values.text("root_port") == "shared";
    platform.socketTflops = values.real("socket_tflops");
    platform.cardTflops = values.real("card_tflops");
  }

  std::string file_;
  const std::map<std::string, Value>& changed_;
  std::map<std::string, PlatformFigure> figures_;
  std::vector<Problem> problems_;
};

}  // namespace

std::span<const Parameter> platformParameters() { return kParameters; }

HybridPlatform readPlatform(const std::filesystem::path& file, const std::map<std::string, Value>& changed) {
  return Reader(file, changed).read();
}

}  // namespace halo::sim
