#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/experiment/read_value.h"
#include "simulator/cluster/machine.h"

namespace halo::cluster {
namespace {

constexpr std::array<std::string_view, 3> kOrigins = {"published", "measured", "assumed"};
constexpr std::array<std::string_view, 4> kTopologies = {"crossbar", "fat-tree", "torus", "dragonfly"};
constexpr std::array<std::string_view, 2> kMessageOrders = {"next-first", "ascending"};
constexpr std::array<std::string_view, 3> kProgress = {"hardware", "poll", "none"};
constexpr std::array<std::string_view, 4> kOperations = {"allreduce", "broadcast", "alltoall", "allgather"};
constexpr double kMost = 1e9;    // of a time in us or ns
constexpr double kLeast = 1e-6;  // of a rate: none is zero

const Parameter kOrigin{"origin", "where the figures come from", Choice{"", kOrigins}};
const Parameter kSource{"source", "the same in words", Text{""}};

/// A key of a table; required unless it has a fallback that means "none".
struct Key {
  Parameter parameter;
  bool required = true;
};

const std::vector<Key> kMachineKeys = {
    {{"help", "one line", Text{""}}},
    {{"nodes", "of the machine", Integer{1, 1, 10'000'000}}},
    {{"ranks_per_node", "workers on a node", Integer{1, 1, 4096}}},
    {{"memory_gb_per_rank", "what a worker may keep", Real{0, kLeast, 1e6}}, false},
    {{"cores_per_node", "that its workers share", Integer{0, 1, 4096}}, false},
    {{"message_order", "in which a worker's messages leave", Choice{"next-first", kMessageOrders}}, false},
};
const std::vector<Key> kMessageKeys = {
    {{"start_us", "of a rank's side, each message besides its bytes", Real{0, 0, kMost}}},
    {{"wire_us", "from side to side", Real{0, 0, kMost}}},
    {{"send_overhead_us", "of the processor, a message sent", Real{0, 0, kMost}}, false},
    {{"receive_overhead_us", "of the processor, a message received", Real{0, 0, kMost}}, false},
    {{"gb_per_s", "one direction", Real{0, kLeast, kMost}}},
    {kOrigin},
    {kSource},
};
const std::vector<Key> kStagingKeys = {
    {{"out_gb_per_s", "device to host", Real{0, kLeast, kMost}}},
    {{"in_gb_per_s", "host to device", Real{0, kLeast, kMost}}},
    {kOrigin},
    {kSource},
};
const std::vector<Key> kComputeKeys = {
    {{"kernel_start_us", "of every kernel", Real{0, 0, kMost}}},
    {{"entry_element_ns", "sparse, an element of a stored entry", Real{0, 0, kMost}}},
    {{"row_element_ns", "sparse, an element of a row", Real{0, 0, kMost}}},
    {{"dense_gflops", "of products with weights", Real{0, kLeast, kMost}}},
    {{"copy_gb_per_s", "read and written by packing and coding", Real{0, kLeast, kMost}}},
    {{"overlap_slowdown", "of work while transfers are under way", Real{1, 1, 100}}, false},
    {{"noise_sigma", "of the logarithm of times", Real{0, 0, 3}}, false},
    {kOrigin},
    {kSource},
};
const std::vector<Key> kTopologyKeys = {
    {{"kind", "how nodes are joined", Choice{"crossbar", kTopologies}}},
    {{"link_gb_per_s", "one direction of a link between switches", Real{0, kLeast, kMost}}, false},
    {{"nodes_per_switch", "of a leaf or router", Integer{1, 1, 4096}}, false},
    {{"levels", "of a fat tree", Integer{2, 1, 4}}, false},
    {{"oversubscription", "of each level of a fat tree", Real{1, 1, 64}}, false},
    {{"routers_per_group", "of a dragonfly", Integer{1, 1, 4096}}, false},
    {{"global_links", "between two groups of a dragonfly", Integer{1, 1, 4096}}, false},
    {kOrigin},
    {kSource},
};
const std::vector<Key> kProgressKeys = {
    {{"mode", "when transfers advance", Choice{"hardware", kProgress}}},
    {{"poll_us", "between two looks", Real{0, kLeast, kMost}}, false},
    {kOrigin},
    {kSource},
};
const std::vector<Key> kCollectiveKeys = {
    {{"operation", "which collective", Choice{"", kOperations}}},
    {{"algorithm", "how it is done", Text{""}}},
    {{"up_to_kb", "largest share of a rank that it is for; without: any", Real{0, kLeast, kMost}}, false},
};

template <class Enum, std::size_t n>
Enum indexIn(const std::array<std::string_view, n>& words, const std::string& word) {
  return static_cast<Enum>(std::ranges::find(words, word) - words.begin());
}

/// Reads one file; every problem is kept until the end.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : name_(file.string()) {
    machine_.name = file.stem().string();
  }

  Machine read() {
    try {
      top(toml::parse_file(name_));
    } catch (const toml::parse_error& error) {
      throw InputError(placed(name_, error.source(), "", std::string(error.description())));
    }
    if (!problems_.empty()) throw InputError(std::move(problems_));
    return std::move(machine_);
  }

 private:
  void wrong(const toml::source_region& where, const std::string& key, const std::string& message) {
    problems_.push_back(placed(name_, where, key, message));
  }

  void top(const toml::table& document) {
    const std::vector<std::string> known = {"machine", "between_nodes", "within_node", "staging",
                                            "compute", "topology",      "progress",    "collective"};
    for (const auto& [key, node] : document)
      if (std::ranges::find(known, key.str()) == known.end())
        wrong(key.source(), std::string(key.str()),
              "unknown table; " + suggestion(std::string(key.str()), known, "one of " + listed(known)));
    if (const auto v = table(document, "machine", kMachineKeys, true)) {
      machine_.help = v->text("help");
      machine_.nodes = v->integer("nodes");
      machine_.ranksPerNode = v->integer("ranks_per_node");
      machine_.memoryGbPerRank = v->real("memory_gb_per_rank");
      machine_.coresPerNode = v->integer("cores_per_node");
      machine_.messageOrder = indexIn<MessageOrder>(kMessageOrders, v->text("message_order"));
    }
    messages(document, "between_nodes", true, machine_.between);
    machine_.within = machine_.between;
    messages(document, "within_node", machine_.ranksPerNode > 1, machine_.within);
    if (const auto v = table(document, "staging", kStagingKeys, false))
      machine_.staging = {v->real("out_gb_per_s"), v->real("in_gb_per_s"), provenance(*v)};
    if (const auto v = table(document, "compute", kComputeKeys, true))
      machine_.compute = {v->real("kernel_start_us"), v->real("entry_element_ns"),
                          v->real("row_element_ns"),  v->real("dense_gflops"),
                          v->real("copy_gb_per_s"),   v->real("overlap_slowdown"),
                          v->real("noise_sigma"),     provenance(*v)};
    if (machine_.sharesCores() && machine_.compute.overlapSlowdown > 1)
      wrong(document.get("compute")->source(), "compute.overlap_slowdown",
            "cannot be used where workers share cores (machine.cores_per_node)");
    topology(document);
    if (const auto v = table(document, "progress", kProgressKeys, false)) {
      machine_.progress = indexIn<Progress>(kProgress, v->text("mode"));
      machine_.pollUs = v->real("poll_us");
      if ((machine_.progress == Progress::poll) != (machine_.pollUs > 0))
        wrong(document.get("progress")->source(), "progress.poll_us",
              "belongs to mode 'poll', which needs it, and to no other");
    }
    collectives(document);
  }

  void messages(const toml::table& document, const std::string& name, bool required, MessageCosts& costs) {
    if (const auto v = table(document, name, kMessageKeys, required))
      costs = {v->real("start_us"),         v->real("wire_us"),
               v->real("send_overhead_us"), v->real("receive_overhead_us"),
               v->real("gb_per_s"),         provenance(*v)};
  }

  static Provenance provenance(const Values& v) { return {v.text("origin"), v.text("source")}; }

  void topology(const toml::table& document) {
    const toml::node* node = document.get("topology");
    const toml::table* whole = node == nullptr ? nullptr : node->as_table();
    toml::table rest = whole == nullptr ? toml::table{} : *whole;
    Topology& topology = machine_.topology;
    if (const toml::node* dims = rest.get("dims"); dims != nullptr) {
      const toml::array* list = dims->as_array();
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
        if (const auto* size = (*list)[i].as_integer(); size != nullptr && size->get() >= 1)
          topology.dims.push_back(size->get());
      if (list == nullptr || topology.dims.size() != list->size() || list->empty() || list->size() > 6)
        wrong(dims->source(), "topology.dims", shown(*dims) + " cannot be used; one to six numbers from 1");
      rest.erase("dims");
    }
    if (whole == nullptr) return static_cast<void>(table(document, "topology", kTopologyKeys, true));
    const auto v = values(rest, "topology", kTopologyKeys, whole->source());
    if (!v) return;
    topology.kind = indexIn<TopologyKind>(kTopologies, v->text("kind"));
    topology.linkGbPerS = v->real("link_gb_per_s");
    topology.nodesPerSwitch = v->integer("nodes_per_switch");
    topology.levels = v->integer("levels");
    topology.oversubscription = v->real("oversubscription");
    topology.routersPerGroup = v->integer("routers_per_group");
    topology.globalLinks = v->integer("global_links");
    topology.from = provenance(*v);
    if (topology.kind != TopologyKind::crossbar && topology.linkGbPerS == 0)
      wrong(whole->source(), "topology.link_gb_per_s", "is missing; a " + v->text("kind") + " has links");
    const std::int64_t places =
        std::accumulate(topology.dims.begin(), topology.dims.end(), std::int64_t{1}, std::multiplies<>());
    if ((topology.kind == TopologyKind::torus) != !topology.dims.empty())
      wrong(whole->source(), "topology.dims", "belongs to a torus, which needs it, and to no other");
    else if (!topology.dims.empty() && places < machine_.nodes)
      wrong(whole->source(), "topology.dims",
            fmt::format("hold {} nodes, and the machine has {}", places, machine_.nodes));
  }

  void collectives(const toml::table& document) {
    const toml::node* node = document.get("collective");
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr)
      return wrong(node->source(), "collective", "is written [[collective]], once a choice");
    for (const toml::node& item : *list) {
      const toml::table* one = item.as_table();
      if (one == nullptr) {
        wrong(item.source(), "collective", shown(item) + " is not a table");
        continue;
      }
      const auto v = values(*one, "collective", kCollectiveKeys, one->source());
      if (!v) continue;
      const auto operation = indexIn<Collective>(kOperations, v->text("operation"));
      const auto& known = algorithmsOf(operation);
      if (std::ranges::find(known, v->text("algorithm")) == known.end())
        wrong(one->source(), "collective.algorithm",
              fmt::format("'{}' cannot be used; one of {}", v->text("algorithm"), listed(known)));
      machine_.collectives.push_back({operation, v->text("algorithm"), v->real("up_to_kb")});
    }
  }

  std::optional<Values> table(const toml::table& document, const std::string& name,
                              const std::vector<Key>& keys, bool required) {
    const toml::node* node = document.get(name);
    if (node == nullptr) {
      if (required) wrong(document.source(), name, "is missing");
      return std::nullopt;
    }
    if (const toml::table* found = node->as_table()) return values(*found, name, keys, found->source());
    wrong(node->source(), name, shown(*node) + " is not a table");
    return std::nullopt;
  }

  std::optional<Values> values(const toml::table& table, const std::string& name,
                               const std::vector<Key>& keys, const toml::source_region& where) {
    const std::size_t before = problems_.size();
    Values values;
    const auto known = namesOf(keys, [](const Key& key) { return key.parameter.key; });
    for (const Key& key : keys) {
      values.emplace(key.parameter.key, fallback(key.parameter));
      if (key.required && table.get(key.parameter.key) == nullptr)
        wrong(where, name + "." + std::string(key.parameter.key),
              "is missing; " + std::string(key.parameter.help));
    }
    for (const auto& [key, node] : table) {
      const auto of = std::ranges::find(known, key.str());
      const std::string shownKey = name + "." + std::string(key.str());
      if (of == known.end()) {
        wrong(key.source(), shownKey,
              "unknown key; " + suggestion(std::string(key.str()), known, "one of " + listed(known)));
        continue;
      }
      std::string why;
      const auto value = readValue(keys[static_cast<std::size_t>(of - known.begin())].parameter, node, why);
      if (!value)
        wrong(node.source(), shownKey, why);
      else if (const auto* words = std::get_if<std::string>(&*value); words != nullptr && words->empty())
        wrong(node.source(), shownKey, "is empty; say where the figures come from");
      else
        values.insert_or_assign(std::string(key.str()), *value);
    }
    if (problems_.size() > before) return std::nullopt;
    return values;
  }

  std::string name_;
  Machine machine_;
  std::vector<Problem> problems_;
};

}  // namespace

Machine readMachine(const std::filesystem::path& file) { return Reader(file).read(); }

}  // namespace halo::cluster
