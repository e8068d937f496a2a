#include "simulator/cluster/engines/result.h"

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::cluster {

std::string_view text(PointClass kind) {
  constexpr std::string_view kWords[] = {"measured", "simulated", "extrapolated"};
  return kWords[at(kind)];
}

double& TimeShares::of(Op op) {
  switch (op) {
    case Op::sparse:
      return sparseNs;
    case Op::dense:
      return denseNs;
    case Op::pack:
      return packNs;
    case Op::quantise:
      return quantiseNs;
    case Op::copy:
    case Op::exchange:
    case Op::wait:
    case Op::broadcast:
    case Op::allGather:
      return waitNs;
    case Op::allReduce:
      return reduceNs;
  }
  HALO_CHECK(false && "an operation");
}

Name nameOf(Op op) {
  switch (op) {
    case Op::sparse:
      return Name::aggregate;
    case Op::dense:
      return Name::update;
    case Op::pack:
      return Name::gather;
    case Op::copy:
      return Name::copied;
    case Op::quantise:
      return Name::encode;
    case Op::exchange:
      return Name::send;
    case Op::wait:
      return Name::wait;
    case Op::broadcast:
    case Op::allGather:
      return Name::collective;
    case Op::allReduce:
      return Name::allReduce;
  }
  HALO_CHECK(false && "an operation");
}

Kind kindOf(Op op) {
  if (op == Op::quantise) return Kind::quantise;
  if (op == Op::allReduce) return Kind::synchronise;
  return computes(op) && op != Op::copy ? Kind::compute : Kind::communication;
}

std::vector<Problem> refusals(const Plan& plan, const Machine& machine) {
  std::vector<Problem> problems = refusals(machine, plan.ranks);
  if (!plan.untimed.empty())
    problems.push_back(
        {.key = "method", .message = plan.method + " has volumes but no time here: " + plan.untimed});
  return problems;
}

ClusterResult resultFor(const Plan& plan, const Machine& machine, std::string engine) {
  ClusterResult result;
  result.machine = machine.name;
  result.method = plan.method;
  result.fidelity = engine == "bulk" ? "analytic" : "tile";
  result.engine = std::move(engine);
  const bool extrapolated = plan.origin == PlanOrigin::expected || plan.origin == PlanOrigin::fitted;
  result.kind = extrapolated ? PointClass::extrapolated : PointClass::simulated;
  result.ranks = plan.ranks;
  result.bytes = plan.bytesSent();
  result.messages = plan.messagesSent();
  result.memoryBytes = plan.memoryBytes.largest(plan.ranks);
  result.overMemory =
      machine.memoryGbPerRank > 0 && static_cast<double>(result.memoryBytes) > machine.memoryGbPerRank * 1e9;
  result.factors.push_back({"messages between nodes", machine.between.from});
  if (machine.ranksPerNode > 1) result.factors.push_back({"messages within a node", machine.within.from});
  if (machine.staging.needed()) result.factors.push_back({"staging copies", machine.staging.from});
  const bool timed = plan.origin == PlanOrigin::recorded;
  result.factors.push_back(
      {"computing", timed ? Provenance{"measured", "the recorded run's own times"} : machine.compute.from});
  result.factors.push_back({"plan", {std::string(text(plan.origin)), plan.method}});
  result.notes = plan.notes;
  return result;
}

}  // namespace halo::cluster
