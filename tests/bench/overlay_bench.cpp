// overlay_bench [PICTURE]: the losses of 100 runs of 10,000 epochs over each other (T14: 0.5 s to the first
// frame, 33 ms a frame at another size), kept as PICTURE. Offscreen. Exit status 1 if a target is missed.
#include <QApplication>
#include <cmath>

#include "tests/bench/judge.h"
#include "views/figure/figure_view.h"
#include "views/figures/figure_registry.h"

namespace {

constexpr int kRuns = 100, kEpochs = 10'000;

halo::RunData runOf(int number) {
  halo::RunData data;
  data.run.id = number;
  data.run.name = "run " + std::to_string(number);
  data.run.status = "completed";
  data.epochs.resize(kEpochs);
  for (int e = 0; e < kEpochs; ++e) {
    halo::EpochRow& row = data.epochs[static_cast<std::size_t>(e)];
    row.epoch = e;
    row.beginNs = std::int64_t{e} * 1'000'000;
    row.wallNs = 1'000'000;
    row.loss = 2.0 / (1 + e * 0.001) + 0.1 * std::sin(e * 0.7 + number) + 0.01 * number;
  }
  return data;
}

}  // namespace

int main(int argc, char** argv) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication app(argc, argv);
  std::vector<halo::RunData> runs;
  for (int i = 0; i < kRuns; ++i) runs.push_back(runOf(i + 1));
  const halo::RunsData none;
  halo::Judge results;
  std::vector<double> first, again;
  for (int round = 0; round < 5; ++round) {
    halo::FigureView view;
    view.resize(1280, 600);
    view.show();
    QApplication::processEvents();
    QElapsedTimer timer;
    timer.start();
    view.setFigure(halo::makeFigure("convergence-loss", {none, runs}, {}));
    const QPixmap picture = view.grab();
    first.push_back(halo::milliseconds(timer) / 1e3);
    if (argc > 1) picture.save(argv[1]);
    for (int i = 0; i < 10; ++i) {
      timer.restart();
      view.resize(1280 - 20 * (i % 2 + 1), 600);
      view.grab();
      again.push_back(halo::milliseconds(timer));
    }
  }
  results.judge("T14 100 runs of 10,000 epochs, first frame, median", halo::quantile(first, 0.5), 0.5, "s");
  results.judge("T14 a frame at another size, p95", halo::quantile(again, 0.95), 33, "ms");
  return results.conclude();
}
