#include "engine/run/worker/worker.h"

#include <nlohmann/json.hpp>

#include "engine/base/address_limit.h"
#include "engine/base/clock.h"
#include "engine/run/worker/heart.h"
#include "engine/run/worker/pipe.h"
#include "engine/run/worker/training.h"

namespace halo {
namespace {

constexpr std::int64_t kBetweenWordsNs = 50'000'000;  // of one step of preparation

int failed(Pipe* pipe, const std::string& message, int exit) {
  if (pipe == nullptr) {
    std::fprintf(stderr, "haloscope-worker: %s\n", message.c_str());
    return exit;
  }
  try {
    pipe->send(FrameType::failed, nlohmann::json{{"message", message}, {"exit", exit}}.dump());
  } catch (const std::runtime_error& error) {  // nobody is left to tell but the log
    std::fprintf(stderr, "%s\n%s\n", message.c_str(), error.what());
  }
  return exit;
}

// On return every rank has left the training together; what only one rank meets ends in MPI_Abort (the
// worker's main).
int train(Communicator& comm, Pipe* pipe, Heart& heart) {
  std::string job;
  std::string goOn;
  if (pipe != nullptr) {
    job = pipe->orders().awaitJob();
    goOn = pipe->orders().takeGoOn();
  }
  goOn = comm.broadcast(goOn);
  const RunSettings run = runFromJson(comm.broadcast(job));
  heart.keepWithin(run.cluster.silenceS);
  std::string lastStep;
  std::int64_t toldNs = 0;
  const Progress progress = [&, pipe](const std::string& step, double share) {
    if (pipe == nullptr || (step == lastStep && wallNs() - toldNs < kBetweenWordsNs)) return;
    lastStep = step;
    toldNs = wallNs();
    pipe->send(FrameType::progress, nlohmann::json{{"what", step}, {"share", share}}.dump());
  };
  try {
    Training(comm, run, prepare(comm, run, progress), pipe, goOn).run();
  } catch (const PreparationFailed&) {
    return 0;  // rank 0 says why
  } catch (const EndsTogether& error) {
    if (pipe != nullptr) failed(pipe, error.what(), 1);
    return 0;
  } catch (const InputError& error) {
    return failed(pipe, error.what(), 2);
  } catch (const DamagedInput& error) {
    return failed(pipe, error.what(), 4);
  } catch (const EnvironmentError& error) {
    return failed(pipe, error.what(), 5);
  }
  return 0;
}

}  // namespace

int runWorker() {
  static Tracer tracer;  // with the heart till the process ends: MPI_Finalize waits for other ranks, too
  Communicator comm(MPI_COMM_WORLD, tracer);
  static Heart heart(tracer, comm.rank());
  std::unique_ptr<Pipe> pipe;
  if (comm.rank() == 0) pipe = std::make_unique<Pipe>();
  try {
    return train(comm, pipe.get(), heart);
  } catch (const std::bad_alloc&) {
    failed(pipe.get(),
           "rank " + std::to_string(comm.rank()) +
               " ran out of memory; fewer features, a smaller dataset.scale or more hosts help" +
               addressLimitRemark(),
           5);
  } catch (const std::exception& error) {
    failed(pipe.get(), "rank " + std::to_string(comm.rank()) + ": " + error.what(), 1);
  }
  pipe.reset();  // what is queued, the reason above all, reaches the supervisor before the ranks are ended
  comm.abort(1);
}

}  // namespace halo
