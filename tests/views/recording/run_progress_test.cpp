#include "views/recording/run_progress.h"

#include <catch2/catch.hpp>

using namespace halo;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// `count` epochs of `wallNs`, one every `everyNs`.
RunData runOf(std::int64_t count, std::int64_t wallNs, std::int64_t everyNs) {
  RunData run;
  run.parameters["training.epochs"] = "200";
  for (std::int64_t epoch = 0; epoch < count; ++epoch) {
    EpochRow row;
    row.epoch = epoch;
    row.beginNs = 7 * kSecond + epoch * everyNs;
    row.wallNs = wallNs;
    run.epochs.push_back(row);
  }
  return run;
}

/// With blanks for those that break no line.
QString plain(QString text) { return text.replace(QChar(0x00A0), QChar(0x20)); }

}  // namespace

TEST_CASE("progress of a run is its epochs, their rate of late and the time left at that rate",
          "[views][progress]") {
  const RunProgress progress = progressOf(runOf(50, kSecond / 4, kSecond / 4));
  CHECK(progress.epochs == 50);
  CHECK(progress.planned == 200);
  CHECK(progress.perSecond == Approx(4));
  CHECK(progress.secondsLeft.value() == Approx(150 / 4.0));
  CHECK(plain(progressText(progress)) == "epoch 50 of 200, 4.00 epochs/s, time left 37.5 s");
}

TEST_CASE("the rate counts what lies between epochs, and none of what was long ago", "[views][progress]") {
  RunData run = runOf(40, kSecond / 4, kSecond / 2);
  // twenty epochs: nineteen half seconds from begin to begin, and the last epoch itself
  const double late = 20 / (19 * 0.5 + 0.25);
  CHECK(progressOf(run).perSecond == Approx(late));
  for (std::size_t epoch = 0; epoch < 20; ++epoch) run.epochs[epoch].beginNs -= 100 * kSecond;
  CHECK(progressOf(run).perSecond == Approx(late));
}

TEST_CASE("progress says no more than is known", "[views][progress]") {
  RunData run = runOf(0, kSecond, kSecond);
  CHECK(progressText(progressOf(run)).isEmpty());
  run = runOf(1, kSecond / 2, kSecond);
  run.parameters.clear();
  CHECK(plain(progressText(progressOf(run))) == "epoch 1, 2.00 epochs/s");
  run.parameters["training.epochs"] = "no number";
  CHECK_FALSE(progressOf(run).planned.has_value());
  run = runOf(1, 0, kSecond);
  CHECK(progressText(progressOf(run)) == "epoch 1 of 200");
}

TEST_CASE("nothing is left of a run that went on beyond its plan", "[views][progress]") {
  CHECK(progressOf(runOf(210, kSecond, kSecond)).secondsLeft == 0.0);
}
