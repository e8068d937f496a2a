#include <nlohmann/json.hpp>

#include "engine/base/address_limit.h"
#include "engine/base/clock.h"
#include "engine/run/protocol/look.h"
#include "engine/run/worker/heart.h"
#include "engine/run/worker/pipe.h"
#include "engine/run/worker/worker.h"

namespace halo {
namespace {

constexpr std::int64_t kBetweenWordsNs = 50'000'000;  // of one step

Progress progressOver(Pipe& pipe) {
  return [&pipe, lastStep = std::string(), toldNs = std::int64_t{0}](const std::string& step,
                                                                     double share) mutable {
    if (step == lastStep && wallNs() - toldNs < kBetweenWordsNs) return;
    lastStep = step;
    toldNs = wallNs();
    pipe.send(FrameType::progress, nlohmann::json{{"what", lastStep}, {"share", share}}.dump());
  };
}

}  // namespace

int runLook() {
  Pipe pipe;
  Tracer looking(/*capacity=*/0);
  Heart heart(looking, /*rank=*/0);
  const auto failed = [&](const std::string& message) {
    pipe.send(FrameType::failed, nlohmann::json{{"message", message}}.dump());
    return 1;
  };
  try {
    const std::vector<RunSettings> runs = jobFromJson(pipe.orders().awaitJob());
    if (!runs.empty()) heart.keepWithin(runs.front().cluster.silenceS);
    pipe.send(FrameType::finished, foundToJson(look(runs, progressOver(pipe))));
    return 0;
  } catch (const std::bad_alloc&) {
    return failed("the host of rank 0 ran out of memory while it looked at the data set" +
                  addressLimitRemark());
  } catch (const std::exception& error) {
    return failed(error.what());
  }
}

}  // namespace halo
