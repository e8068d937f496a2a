// What overlap hides: with emulated links that make communication a third, a half and two thirds of vanilla's
// epoch, how much faster pipegcn, its smoothing and vanilla's local-first overlap are than vanilla without
// overlap, beside what each could reach at most; the same with staging copies between device and host.
//   mpirun -np 2 overlap_bench [SCALE [EPOCHS [HIDDEN [PAIRS]]]]        a reddit-like graph
// What smoothing costs is less than what the machine's speed moves in a second. So pipegcn and its smoothed
// form train in PAIRS short turns side by side, whoever began last time coming second; the cost is the median
// of the pairs' ratios, ± the standard error of that median (of a normal distribution with their quartiles);
// "cpu" is the same of the driving threads' CPU time, which other programs' turns on the cores are not in.
// Of pipegcn the bound is 1/max(s, 1 − s), s: communication's share of vanilla's epoch; of local-first, the
// epoch less min(own block's aggregation, wait) of every exchange. What hid is read from local-first's own
// spans: of every exchange the transfers' time outside waits (breakdown.h). A message can hide behind the own
// block's aggregation from when it has departed: "hidden" is what hid over min(what is left of the
// aggregation then, transfers' time), "late" what could not hide because the sender was behind, of
// min(aggregation, transfers' time).
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>

#include "datasets/generate/generate.h"
#include "engine/base/index.h"
#include "engine/kernels/threads/work.h"
#include "engine/record/analysis/breakdown.h"
#include "engine/run/worker/distribute.h"

using namespace halo;

namespace {

/// A run's graph and the epochs to time; one for all contestants.
struct Task {
  RunSettings settings;
  Dataset set;
  Share share;
  int epochs = 12;
};

/// Of the communication of some epochs, what could hide behind computing had every message departed before
/// it, what could as they departed, and what did.
struct Hiding {
  std::int64_t punctualNs = 0, possibleNs = 0, hiddenNs = 0;
};

/// One pass of one layer: its spans, transfers from when they left their device, and the own block's
/// aggregation, the first forward, the last backward.
struct Exchange {
  std::vector<Span> all, transfers;
  std::int64_t beginNs = std::numeric_limits<std::int64_t>::max(), endNs = 0;
  std::int64_t ownBeginNs = 0, ownNs = 0;

  void add(Span span, const LinkModel& link) {
    if (span.lane == Lane::link) {  // copying out of the device comes before it enters the link
      const double copyNs = link.stagingGbit > 0 ? static_cast<double>(span.bytes) * 8 / link.stagingGbit : 0;
      span.beginNs -= static_cast<std::int64_t>(copyNs);
      span.durationNs += static_cast<std::int64_t>(copyNs);
      transfers.push_back(span);
    } else if (span.name == Name::aggregate && (ownNs == 0 || span.pass == Pass::backward)) {
      ownBeginNs = span.beginNs;
      ownNs = span.durationNs;
    }
    all.push_back(span);
    beginNs = std::min(beginNs, span.beginNs);
    endNs = std::max(endNs, span.endNs());
  }
  /// While anything was under way: what would be hidden had the rank computed all the time.
  std::int64_t travelledNs() const {
    std::vector<Span> spans = transfers;
    spans.push_back(
        {beginNs, endNs - beginNs, 0, 0, -1, -1, Name::aggregate, Kind::compute, Lane::main, Pass::none});
    return breakdown(spans, beginNs, endNs).hiddenNs;
  }
  void addTo(Hiding& hiding) const {
    if (transfers.empty()) return;
    const std::int64_t travelled = travelledNs();
    const std::int64_t departed = std::ranges::min_element(transfers, {}, &Span::beginNs)->beginNs;
    const std::int64_t late = std::clamp<std::int64_t>(departed - ownBeginNs, 0, ownNs);
    const std::int64_t possible = std::min(ownNs - late, travelled);
    hiding.punctualNs += std::min(ownNs, travelled);
    hiding.possibleNs += possible;
    hiding.hiddenNs += std::min(breakdown(all, beginNs, endNs).hiddenNs, possible);
  }
};

/// `spans`: of one epoch.
void addHiding(std::span<const Span> spans, const LinkModel& link, Hiding& hiding) {
  std::map<std::pair<int, Pass>, Exchange> exchanges;
  for (const Span& span : spans) exchanges[{span.layer, span.pass}].add(span, link);
  for (const auto& [key, exchange] : exchanges) exchange.addTo(hiding);
}

/// One way to train, with a communicator and a link of its own.
class Contestant {
 public:
  Contestant(const Task& task, const std::string& method, const Values& changed)
      : comm_(MPI_COMM_WORLD, tracer_), settings_(task.settings), share_(task.share), epochs_(task.epochs) {
    settings_.method = method;
    const MethodEntry& entry = *find<MethodEntry>(method);
    settings_.parameters = fallbacks(entry.declaration.parameters);
    for (const auto& [key, value] : changed) settings_.parameters.insert_or_assign(key, value);
    settings_.model = modelFor(entry, settings_.model);
    model_ = std::make_unique<Model>(settings_.model,
                                     layerWidths(settings_.model, task.set.features.cols(), task.set.classes),
                                     1, cachesLayer0(entry, settings_.parameters));
    optimizer_ = std::make_unique<Optimizer>(settings_.training);
    parts_ =
        std::make_unique<WorkerParts>(WorkerParts{comm_, tracer_, settings_, share_, *model_, *optimizer_});
    method_ = entry.make(*parts_, settings_.parameters);
  }

  void emulate(const LinkModel& link) {
    link_ = link;
    comm_.emulate(link);
  }

  /// Appends the epochs' times, the slowest rank's; the first two fill what is sent ahead and are left out.
  void run(std::vector<double>& ms) { run(epochs_, ms, nullptr); }
  void run(int epochs, std::vector<double>& ms, std::vector<double>* cpuMs) {
    for (int e = -2; e < epochs; ++e) {
      comm_.barrier();
      tracer_.clear();
      const std::int64_t begin = wallNs(), cpuBegin = threadCpuNs();
      method_->runEpoch(epoch_++);
      const std::int64_t cpu = threadCpuNs() - cpuBegin, took = comm_.max(wallNs() - begin);
      const std::int64_t cpuOfAll = comm_.sum(cpu);
      if (e >= 0) {
        ms.push_back(static_cast<double>(took) * 1e-6);
        if (cpuMs != nullptr) cpuMs->push_back(static_cast<double>(cpuOfAll) * 1e-6);
        addHiding(tracer_.spans(), link_, hiding_);
      }
      (void)method_->takeWork();
      sentBytes_ = 0;
      for (const Flow& flow : comm_.takeFlows()) sentBytes_ += flow.target >= 0 ? flow.bytes : 0;
    }
  }
  ~Contestant() { method_->finish(); }
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;
  /// Of the last epoch, this rank: Σ over its exchanges of min(own block's aggregation, time waited), ms.
  double hideable() const {
    std::map<std::pair<int, Pass>, std::pair<std::int64_t, std::int64_t>> exchanges;  // aggregated, waited
    for (const Span& span : tracer_.spans()) {
      auto& [aggregated, waited] = exchanges[{span.layer, span.pass}];
      if (span.name == Name::aggregate) aggregated = std::max(aggregated, span.durationNs);
      if (span.name == Name::wait) waited += span.durationNs;
    }
    std::int64_t sum = 0;
    for (const auto& [key, times] : exchanges) sum += std::min(times.first, times.second);
    return static_cast<double>(sum) * 1e-6;
  }
  /// Collective. Of all timed epochs and ranks.
  Hiding hiding() {
    return {comm_.sum(hiding_.punctualNs), comm_.sum(hiding_.possibleNs), comm_.sum(hiding_.hiddenNs)};
  }
  double sentMegabytes() const { return static_cast<double>(sentBytes_) * 1e-6; }
  Communicator& comm() { return comm_; }

 private:
  Tracer tracer_;
  Communicator comm_;
  RunSettings settings_;
  Share share_;  // a method may take from it what it keeps otherwise
  int epochs_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<WorkerParts> parts_;
  std::unique_ptr<Method> method_;
  std::int32_t epoch_ = 0;
  std::int64_t sentBytes_ = 0;
  Hiding hiding_;
  LinkModel link_;
};

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
}
double median(const std::vector<double>& values) { return quantile(values, 0.5); }

/// By how many percent more something takes, and the standard error of that.
struct Cost {
  double percent = 0, error = 0;
};
Cost costOf(const std::vector<double>& ratios) {
  // of a normal distribution: quartiles stand 1.349 standard deviations apart, a median is off by 1.253 / √n
  const double spread = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) / 1.349;
  return {100 * (median(ratios) - 1), 125.3 * spread / std::sqrt(static_cast<double>(ratios.size()))};
}

/// What `dear` takes over what `plain` does, in turns of a few epochs side by side.
struct Pairs {
  std::vector<double> wall, cpu;  // ratios
  std::vector<double> plainMs;    // of all epochs

  void run(Contestant& plain, Contestant& dear, int count) {
    constexpr int kTurn = 4;
    for (int pair = 0; pair < count; ++pair) {
      std::vector<double> ms[2], cpuMs[2];
      for (const int turn : {pair % 2, 1 - pair % 2})
        (turn == 0 ? plain : dear).run(kTurn, ms[turn], &cpuMs[turn]);
      wall.push_back(median(ms[1]) / median(ms[0]));
      cpu.push_back(median(cpuMs[1]) / median(cpuMs[0]));
      plainMs.insert(plainMs.end(), ms[0].begin(), ms[0].end());
    }
  }
};

Task makeTask(double scale, int epochs, Index hidden) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Task task;
  task.epochs = epochs;
  task.settings.model.kind = "graphsage";
  task.settings.model.layers = 4;
  task.settings.model.hidden = hidden;
  task.settings.model.order = "aggregate-first";  // what pipegcn sends: both exchange the same rows
  for (const GraphShape& shape : generatedShapes())
    if (shape.name == "reddit-like") task.set = generate(shape, scale, 1);
  const Csr propagation = propagationMatrix(task.set.arcs, Propagation::mean);
  const Owners owners = partition(task.set.arcs, "metis", {size, 0.03, 1, {}});
  task.share = cutShare(task.set, propagation, owners, rank, size);
  return task;
}

/// Vanilla's epoch without a link, and the link that adds `share` of communication to it.
struct Baseline {
  double computeMs = 0, megabytes = 0;
  LinkModel link(double share, bool staged) const {
    const double commMs = computeMs * share / (1 - share) / (staged ? 3 : 1);
    const double gbit = megabytes * 8e-3 / (commMs * 1e-3);
    return {gbit, 0, staged ? gbit : 0};
  }
};

struct Times {
  std::vector<double> computing, plain, localFirst;
  Pairs smoothing;
  double hideable = 0;
  Hiding hiding;
};

Times race(const Task& task, const LinkModel& link, int pairs) {
  Contestant computing(task, "vanilla", {}), plain(task, "vanilla", {}),
      localFirst(task, "vanilla", {{"overlap", Value("local-first")}}), pipegcn(task, "pipegcn", {}),
      smoothed(task, "pipegcn", {{"smoothing", Value("both")}});
  for (Contestant* c : {&plain, &localFirst, &pipegcn, &smoothed}) c->emulate(link);
  Times times;
  for (int round = 0; round < 3; ++round) {
    computing.run(times.computing);  // again beside each: the machine's speed moves
    plain.run(times.plain);
    times.hideable +=
        static_cast<double>(plain.comm().min(static_cast<std::int64_t>(plain.hideable() * 1e6))) * 1e-6 / 3;
    localFirst.run(times.localFirst);
    times.smoothing.run(pipegcn, smoothed, (pairs + round) / 3);
  }
  times.hiding = localFirst.hiding();
  return times;
}

int bench(double scale, int epochs, Index hidden, int pairs) {
  const Task task = makeTask(scale, epochs, hidden);
  Contestant first(task, "vanilla", {});
  std::vector<double> compute;
  first.run(compute);
  const Baseline base{
      median(compute),
      static_cast<double>(first.comm().max(static_cast<std::int64_t>(first.sentMegabytes() * 1e6))) * 1e-6};
  const bool speaks = first.comm().rank() == 0;
  if (speaks)
    std::printf(
        "ranks %d, vertices %ld, without a link %.1f ms an epoch, %.1f MB sent by a rank\n"
        "  staging  share  vanilla ms   pipegcn  bound  reached   smoothed costs     cpu   local-first  "
        "bound  reached  hidden    late\n",
        first.comm().size(), static_cast<long>(task.set.vertices()), base.computeMs, base.megabytes);
  for (const bool staged : {false, true})
    for (const double targetShare : {0.33, 0.5, 0.66}) {
      const Times t = race(task, base.link(targetShare, staged), pairs);
      if (!speaks) continue;
      const double plain = median(t.plain), share = 1 - median(t.computing) / plain;
      const double bound = 1 / std::max(staged ? share / 3 : share, 1 - share),
                   reached = plain / median(t.smoothing.plainMs);
      const Cost wall = costOf(t.smoothing.wall), cpu = costOf(t.smoothing.cpu);
      const auto percent = [](std::int64_t part, std::int64_t all) {
        return 100 * static_cast<double>(part) / static_cast<double>(all);
      };
      const double localBound = plain / (plain - t.hideable), local = plain / median(t.localFirst);
      std::printf(
          "  %-7s  %4.1f%%  %10.1f   %6.2fx  %4.2fx   %5.1f%%   %5.1f%% ± %4.1f%%  %5.1f%%   %10.2fx  %4.2fx "
          "  %5.1f%%  "
          "%5.1f%%  %5.1f%%\n",
          staged ? "yes" : "no", 100 * share, plain, reached, bound, 100 * reached / bound, wall.percent,
          wall.error, cpu.percent, local, localBound, 100 * local / localBound,
          percent(t.hiding.hiddenNs, t.hiding.possibleNs),
          percent(t.hiding.punctualNs - t.hiding.possibleNs, t.hiding.punctualNs));
    }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (!(std::atof(argv[i]) > 0)) {
      std::fprintf(
          stderr, "'%s' is no number above 0; mpirun -np 2 overlap_bench [SCALE [EPOCHS [HIDDEN [PAIRS]]]]\n",
          argv[i]);
      return 2;
    }
  MPI_Init(&argc, &argv);
  setKernelThreads(1);  // a core a rank: more threads than cores would time their waits for one another
  const int status =
      bench(argc > 1 ? std::atof(argv[1]) : 0.02, argc > 2 ? std::atoi(argv[2]) : 8,
            argc > 3 ? std::atoi(argv[3]) : 128, argc > 4 ? std::max(3, std::atoi(argv[4])) : 15);
  MPI_Finalize();
  return status;
}
