// Zoltan's parallel hypergraph partitioner (Devine et al. 2006), used on one rank: few halo rows.
//
// It stands here and not in engine/partition because Zoltan needs a communicator, and engine/comm is the one
// door to MPI. It gets MPI_COMM_SELF, so in a worker only the rank that calls it takes part. `haloscope
// partition` runs without MPI: there MPI is started for this process alone, and ended with it.
#include <mpi.h>
#include <unistd.h>
#include <zoltan.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "engine/partition/hypergraph/hypergraph.h"

namespace halo {
namespace {

constexpr Parameter kParameters[] = {kBalanceParameter};

std::set<std::string> environmentNames() {
  std::set<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable)
    names.insert(std::string(*variable, std::string_view(*variable).find('=')));
  return names;
}

/// Otherwise Open MPI starts a daemon so that this process could start others, and listens on all interfaces
/// for them. It also keeps a folder in the temporary one.
constexpr std::pair<const char*, const char*> kAlone[] = {{"OMPI_MCA_ess_singleton_isolated", "1"},
                                                          {"OMPI_MCA_pml", "ob1"},
                                                          {"OMPI_MCA_btl", "self"},
                                                          {"OMPI_MCA_orte_create_session_dirs", "0"}};

/// MPI for a process that was not started by mpirun and has not started it itself. What Open MPI tells its
/// own children in the environment is taken out of it again. Otherwise an mpirun that this process starts
/// later would take itself for one of them, and end.
class OwnMpi {
 public:
  OwnMpi() {
    int initialised = 0;
    MPI_Initialized(&initialised);
    if (initialised) return;
    const std::set<std::string> before = environmentNames();
    for (const auto& [name, value] : kAlone) ::setenv(name, value, 0);
    if (MPI_Init(nullptr, nullptr) != MPI_SUCCESS)
      throw EnvironmentError("Zoltan: MPI could not start; choose partition.method = \"connectivity\"");
    for (const std::string& name : environmentNames())
      if (!before.contains(name)) ::unsetenv(name.c_str());
    mine_ = true;
  }
  OwnMpi(const OwnMpi&) = delete;
  OwnMpi& operator=(const OwnMpi&) = delete;
  ~OwnMpi() {
    if (mine_) MPI_Finalize();
  }

 private:
  bool mine_ = false;
};

const Hypergraph& graphOf(void* data) { return *static_cast<const Hypergraph*>(data); }

int nodeCount(void* data, int* status) {
  *status = ZOLTAN_OK;
  return graphOf(data).nodeCount();
}

void nodes(void* data, int, int, ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR, int, float* weights, int* status) {
  const Hypergraph& graph = graphOf(data);
  for (Vertex v = 0; v < graph.nodeCount(); ++v) {
    ids[v] = static_cast<ZOLTAN_ID_TYPE>(v);
    weights[v] = static_cast<float>(graph.nodeWeight[at(v)]);
  }
  *status = ZOLTAN_OK;
}

void sizes(void* data, int* nets, int* pins, int* format, int* status) {
  const Hypergraph& graph = graphOf(data);
  *nets = graph.netCount();
  *pins = static_cast<int>(graph.pins.size());
  *format = ZOLTAN_COMPRESSED_EDGE;
  *status = ZOLTAN_OK;
}

void nets(void* data, int, int, int, int, ZOLTAN_ID_PTR ids, int* begins, ZOLTAN_ID_PTR pins, int* status) {
  const Hypergraph& graph = graphOf(data);
  for (Vertex net = 0; net < graph.netCount(); ++net) {
    ids[net] = static_cast<ZOLTAN_ID_TYPE>(net);
    begins[net] = static_cast<int>(graph.netBegin[at(net)]);
  }
  for (std::size_t i = 0; i < graph.pins.size(); ++i) pins[i] = static_cast<ZOLTAN_ID_TYPE>(graph.pins[i]);
  *status = ZOLTAN_OK;
}

void weightCount(void* data, int* count, int* status) {
  *count = graphOf(data).netCount();
  *status = ZOLTAN_OK;
}

void netWeights(void* data, int, int, int, int, ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR, float* weights,
                int* status) {
  const Hypergraph& graph = graphOf(data);
  for (Vertex net = 0; net < graph.netCount(); ++net) {
    ids[net] = static_cast<ZOLTAN_ID_TYPE>(net);
    weights[net] = static_cast<float>(graph.netWeight[at(net)]);
  }
  *status = ZOLTAN_OK;
}

bool weighted(const Hypergraph& graph) {
  return std::ranges::any_of(graph.netWeight, [](std::int32_t weight) { return weight != 1; });
}

struct Destroy {
  void operator()(Zoltan_Struct* zoltan) const { Zoltan_Destroy(&zoltan); }
};
using Zoltan = std::unique_ptr<Zoltan_Struct, Destroy>;

Zoltan prepared(const Hypergraph& graph, const PartitionRequest& request) {
  float version = 0;
  if (Zoltan_Initialize(0, nullptr, &version) != ZOLTAN_OK) throw EnvironmentError("Zoltan: could not start");
  Zoltan zoltan(Zoltan_Create(MPI_COMM_SELF));
  if (zoltan == nullptr) throw EnvironmentError("Zoltan: could not start");
  const std::pair<const char*, std::string> settings[] = {
      {"DEBUG_LEVEL", "0"},
      {"LB_METHOD", "HYPERGRAPH"},
      {"HYPERGRAPH_PACKAGE", "PHG"},
      {"LB_APPROACH", "PARTITION"},
      {"NUM_GLOBAL_PARTS", std::to_string(request.parts)},
      {"IMBALANCE_TOL", std::to_string(1 + request.imbalance)},
      {"OBJ_WEIGHT_DIM", "1"},
      {"EDGE_WEIGHT_DIM", weighted(graph) ? "1" : "0"},
      {"RETURN_LISTS", "PARTS"},
      {"PHG_EDGE_SIZE_THRESHOLD", "1.0"},  // no net is left out, however large
      {"SEED", std::to_string(request.seed & 0x7FFFFFFFU)},
  };
  for (const auto& [key, value] : settings)
    if (Zoltan_Set_Param(zoltan.get(), key, value.c_str()) != ZOLTAN_OK)
      throw EnvironmentError(std::string("Zoltan: refuses ") + key + " = " + value);
  void* data = const_cast<Hypergraph*>(&graph);  // Zoltan's callbacks take void*; ours only read
  Zoltan_Set_Num_Obj_Fn(zoltan.get(), nodeCount, data);
  Zoltan_Set_Obj_List_Fn(zoltan.get(), nodes, data);
  Zoltan_Set_HG_Size_CS_Fn(zoltan.get(), sizes, data);
  Zoltan_Set_HG_CS_Fn(zoltan.get(), nets, data);
  Zoltan_Set_HG_Size_Edge_Wts_Fn(zoltan.get(), weightCount, data);
  Zoltan_Set_HG_Edge_Wts_Fn(zoltan.get(), netWeights, data);
  return zoltan;
}

/// What Zoltan_LB_Partition returns, freed again.
struct Lists {
  int count = 0;
  ZOLTAN_ID_PTR global = nullptr, local = nullptr;
  int *processes = nullptr, *parts = nullptr;
  Lists() = default;
  Lists(const Lists&) = delete;
  Lists& operator=(const Lists&) = delete;
  ~Lists() { Zoltan_LB_Free_Part(&global, &local, &processes, &parts); }
};

Owners divideNets(const Hypergraph& graph, const PartitionRequest& request) {
  if (graph.pins.size() > 0x7FFFFFFF)
    throw EnvironmentError("Zoltan: the graph has " + std::to_string(graph.pins.size()) +
                           " pins, but Zoltan counts in 32 bits; choose partition.method = \"block\"");

  static const OwnMpi mpi;  // to the end of the process: MPI can be started only once
  const Zoltan zoltan = prepared(graph, request);
  Lists in, out;
  int changes = 0, idSize = 0, localIdSize = 0;
  const int status = Zoltan_LB_Partition(zoltan.get(), &changes, &idSize, &localIdSize, &in.count, &in.global,
                                         &in.local, &in.processes, &in.parts, &out.count, &out.global,
                                         &out.local, &out.processes, &out.parts);
  if (status != ZOLTAN_OK && status != ZOLTAN_WARN)
    throw EnvironmentError("Zoltan: stopped with status " + std::to_string(status));
  Owners owners(at(graph.nodeCount()), 0);
  for (int i = 0; i < out.count; ++i) owners[out.global[i]] = out.parts[i];
  return owners;
}

Owners hypergraphParts(const Csr& arcs, const PartitionRequest& request) {
  return columnNetParts(arcs, request, [&](const Hypergraph& graph) { return divideNets(graph, request); });
}

const Registered<PartitionerEntry> self{
    {{"hypergraph", "few halo rows in total (column nets, Zoltan's PHG)",
      "P2P-GCN 4.3 (HP); Devine, Boman, Heaphy, Bisseling and Çatalyürek 2006", kParameters},
     hypergraphParts,
     nullptr,
     divideNets}};

}  // namespace
}  // namespace halo
