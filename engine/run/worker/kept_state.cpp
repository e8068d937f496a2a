#include "engine/run/worker/kept_state.h"

namespace halo {

std::string keptState(WorkerParts& parts, const Resumable& method) {
  ByteWriter out;
  for (const auto& [name, weight] : parts.model.weights()) out.matrix(weight->value);
  const Optimizer& optimizer = parts.optimizer;
  out.value(optimizer.steps());
  out.value(static_cast<std::int64_t>(optimizer.first().size()));
  for (const Matrix& state : optimizer.first()) out.matrix(state);
  for (const Matrix& state : optimizer.second()) out.matrix(state);
  method.keep(out);
  return out.take();
}

void restoreState(const std::string& stateBytes, WorkerParts& parts, Resumable& method, std::int32_t epoch) {
  ByteReader in(stateBytes);
  for (const auto& [name, weight] : parts.model.weights()) in.matrix(weight->value);
  const auto steps = in.value<std::int64_t>();
  std::vector<Matrix> first(static_cast<std::size_t>(in.value<std::int64_t>())), second(first.size());
  for (auto* states : {&first, &second})
    for (Matrix& state : *states) in.matrix(state);
  parts.optimizer.resume(steps, std::move(first), std::move(second));
  method.resume(in, epoch);
}

std::string gatherCheckpoint(Communicator& comm, const std::string& stateBytes, Checkpoint head) {
  head.ranks = comm.gather(stateBytes);
  return comm.rank() == 0 ? encodeCheckpoint(head) : std::string();
}

}  // namespace halo
