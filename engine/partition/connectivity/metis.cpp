#include "engine/partition/connectivity/metis.h"

#include <metis.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <string_view>

#include "engine/base/address_limit.h"
#include "engine/base/index.h"
#include "engine/base/problem.h"
#include "engine/partition/hypergraph/communities.h"

namespace halo {
namespace {

/// The graph in METIS's own types.
struct MetisGraph {
  std::vector<idx_t> offsets, columns, edgeWeights;  // edgeWeights: empty if all are 1
  std::vector<real_t> shares;                        // of the parts; empty if equal
};

/// `subject`: what METIS adds up, such as "arcs".
void checkWidth(std::int64_t count, const std::string& subject = "arcs") {
  if (count <= std::numeric_limits<idx_t>::max()) return;
  throw EnvironmentError(
      "METIS: the graph has " + std::to_string(count) + " " + subject +
      ", but the METIS on this machine counts in " + std::to_string(IDXTYPEWIDTH) + " bits, at most " +
      std::to_string(std::numeric_limits<idx_t>::max()) +
      "; choose partition.method = \"block\", or install a METIS built with IDXTYPEWIDTH 64");
}

MetisGraph undirected(const Csr& arcs) {
  checkWidth(arcs.nonzeros());
  const Csr edges = affinityOf(arcs).edges;
  checkWidth(edges.nonzeros());
  return {{edges.offsets.begin(), edges.offsets.end()}, {edges.columns.begin(), edges.columns.end()}, {}, {}};
}

/// A stack for a process that shares this one's memory; pages are taken as they are touched, the lowest
/// never.
class Stack {
 public:
  Stack() {
    memory_ =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED || ::mprotect(memory_, kGuard, PROT_NONE) != 0)
      throw EnvironmentError("METIS: not enough memory to partition this graph" + addressLimitRemark());
  }
  ~Stack() { ::munmap(memory_, kBytes); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  void* top() const { return static_cast<char*>(memory_) + kBytes; }

 private:
  static constexpr std::size_t kBytes = std::size_t{64} << 20, kGuard = 65536;
  void* memory_;
};

/// Does `work`, which must not throw, in a process of its own that ends no later than this one; how that
/// ended, as waitpid tells. METIS takes two things that belong to the whole process. It writes complaints to
/// the standard output, which a program may read. It also handles the signals SIGTERM and SIGABRT, which it
/// raises at its own errors. It answers them by a jump to the last call of the thread that got them. Here a
/// SIGTERM would be swallowed, or crash a thread that is not in METIS. The new process has signals and files
/// of its own, but this one's memory. It also shares the thread-local memory of the calling thread, which
/// waits: its faults are ours. A fork would make every page be copied that either side writes meanwhile.
template <class Work>
int apart(Work& work) {
  struct Call {
    Work& divide;
    pid_t parent;
  } call{work, ::getpid()};
  const auto child = [](void* argument) {
    const auto& [divide, parent] = *static_cast<Call*>(argument);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) return 0;  // it died before the line above
    ::setpgid(0, 0);                      // what a group gets is for the parent, which decides for both
    ::signal(SIGTTOU, SIG_IGN);           // another group than the terminal's may not stop for writing
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    divide();
    std::fflush(stdout);
    return 0;
  };
  std::fflush(stdout);  // what waits there is the parent's
  const Stack stack;
  const pid_t started = ::clone(child, stack.top(), CLONE_VM | SIGCHLD, &call);
  if (started < 0)
    throw EnvironmentError(std::string("METIS: cannot start a process for it: ") + std::strerror(errno));
  int ended = 0;
  while (::waitpid(started, &ended, 0) < 0 && errno != ECHILD) {  // errno is the child's as well
  }
  return ended;
}

Owners partGraph(MetisGraph& graph, const Weights& weights, idx_t parts, double imbalance, std::uint64_t seed,
                 mobjtype_et objective, idx_t constraints = 1) {
  // METIS adds these up without a look at its width, and the edges' below
  checkWidth(totalWeight(weights), "as the sum of its vertices' weights");
  if (objective == METIS_OBJTYPE_VOL)
    checkWidth(3 * static_cast<std::int64_t>(graph.columns.size()),
               "as its arcs thrice, which a volume adds up");
  std::vector<idx_t> vertexWeights(weights.begin(), weights.end());
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_OBJTYPE] = objective;
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7FFFFFFFU);
  options[METIS_OPTION_UFACTOR] = std::max(1, static_cast<int>(std::lround(imbalance * 1000)));
  options[METIS_OPTION_NUMBERING] = 0;

  auto vertices = static_cast<idx_t>(weights.size() / at(constraints));
  idx_t reached = 0;
  int status = 0;  // none of METIS's, until it ends
  std::vector<idx_t> part(at(vertices));
  auto divide = [&] {
    status = METIS_PartGraphKway(
        &vertices, &constraints, graph.offsets.data(), graph.columns.data(), vertexWeights.data(), nullptr,
        graph.edgeWeights.empty() ? nullptr : graph.edgeWeights.data(), &parts,
        graph.shares.empty() ? nullptr : graph.shares.data(), nullptr, options, &reached, part.data());
  };
  static std::mutex mutex;  // METIS seeds and draws from rand(), which is the process's
  const int ended = [&] {
    const std::lock_guard lock(mutex);
    return apart(divide);
  }();
  if (WIFSIGNALED(ended)) {  // it may have held the locks of the memory that is this process's too
    constexpr std::string_view kLast = "METIS: its process was ended by a signal\n";
    (void)!::write(STDERR_FILENO, kLast.data(), kLast.size());
    ::_exit(5);
  }
  if (status == METIS_ERROR_MEMORY)
    throw EnvironmentError("METIS: not enough memory to partition this graph" + addressLimitRemark());
  if (status != METIS_OK) throw EnvironmentError("METIS: stopped with status " + std::to_string(status));
  return {part.begin(), part.end()};
}

}  // namespace

Owners metisParts(const Csr& arcs, const Weights& weights, int parts, double imbalance, std::uint64_t seed,
                  MetisObjective objective, int constraints) {
  MetisGraph graph = undirected(arcs);
  if (graph.columns.empty()) return {};
  return partGraph(graph, weights, parts, imbalance, seed,
                   objective == MetisObjective::volume ? METIS_OBJTYPE_VOL : METIS_OBJTYPE_CUT, constraints);
}

Owners fewCutEdges(const Csr& edges, const Weights& weights, std::span<const float> shares, double imbalance,
                   std::uint64_t seed) {
  checkWidth(edges.nonzeros());
  const double total = std::accumulate(edges.values.begin(), edges.values.end(), 0.0);  // of whole numbers
  checkWidth(static_cast<std::int64_t>(total), "as the sum of its edges' weights");
  MetisGraph graph{{edges.offsets.begin(), edges.offsets.end()},
                   {edges.columns.begin(), edges.columns.end()},
                   {edges.values.begin(), edges.values.end()},
                   {shares.begin(), shares.end()}};
  return partGraph(graph, weights, static_cast<idx_t>(shares.size()), imbalance, seed, METIS_OBJTYPE_CUT);
}

}  // namespace halo
