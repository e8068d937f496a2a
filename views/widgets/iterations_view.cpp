#include "views/widgets/iterations_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "engine/base/index.h"
#include "views/figure/figure_view.h"
#include "views/figure/range_brush.h"
#include "views/figures/figure_registry.h"
#include "views/recording/iterations_of.h"

namespace halo {
namespace {

/// What the left figure shows: of every run in mini-batches, then of one on a node of processors and cards.
struct Shown {
  const char *title, *figure, *show;
};
constexpr Shown kShown[] = {{"time", "iterations", "time"},
                            {"seeds", "iterations", "seeds"},
                            {"arcs", "iterations", "arcs"},
                            {"arcs a second", "iterations", "mteps"},
                            {"bytes", "iterations", "bytes"},
                            {"loss", "iterations", "loss"},
                            {"block sizes", "sampling", "sizes"},
                            {"hits of caches", "sampling", "hits"},
                            {"speed of sampling", "sampling", "speed"},
                            {"shares of seeds", "shares", "seeds"},
                            {"shares of threads", "shares", "threads"},
                            {"sampling on cards", "shares", "sampling"},
                            {"queues", "queues", ""}};

constexpr double kHalf = 0.5;  // an iteration has the place around its number

}  // namespace

IterationsView::IterationsView(QWidget* parent)
    : QWidget(parent),
      quantity_(new QComboBox),
      clock_(new QComboBox),
      oneClock_(new QLabel),
      iterations_(new FigureView),
      blocks_(new FigureView) {
  for (const Shown& quantity : kShown) quantity_->addItem(quantity.title);
  clock_->addItems(
      {clockText(TimeClock::modelled), clockText(TimeClock::wall)});  // in the order of TimeClock
  clock_->setAccessibleName("Which time");
  clock_->setToolTip(
      "Of modelled devices: what they take by their figures, or what the run took here. The timeline and the "
      "breakdown follow.");
  quantity_->setAccessibleName("What of every iteration");
  auto* bar = new QHBoxLayout;
  auto* label = new QLabel("&Show");
  label->setBuddy(quantity_);
  bar->addWidget(label);
  bar->addWidget(quantity_);
  bar->addWidget(clock_);
  bar->addWidget(oneClock_);
  bar->addStretch(1);
  iterations_->setToolTip("Drag: the timeline shows that stretch. Double click: it shows the whole run.");
  auto* figures = new QHBoxLayout;
  figures->addWidget(iterations_, 2);
  figures->addWidget(blocks_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 0);
  layout->addLayout(bar);
  layout->addLayout(figures, 1);
  clear(0);
  connect(quantity_, &QComboBox::currentIndexChanged, this, &IterationsView::draw);
  connect(&iterations_->brush(), &RangeBrush::brushed, this,
          [this](const FigureRange& range) { want(range.low, range.high); });
  connect(clock_, &QComboBox::currentIndexChanged, this, [this](int clock) {
    draw();
    emit clockWanted(static_cast<TimeClock>(clock));
  });
}

bool IterationsView::overTime() const { return iterations_->figure().name == "queues"; }

double IterationsView::millisecondsPerNs() const {
  constexpr double kPerMillisecond = 1e-6;
  const RunData& run = runs_.front();
  const auto wanted = static_cast<TimeClock>(clock_->currentIndex());
  return kPerMillisecond / shownTime(run.clock(), wanted, !run.batches.stages.empty()).divisor;
}

void IterationsView::setVisibleTime(TimeRange time) {
  visible_ = time;
  mark();
}

void IterationsView::mark() {
  std::optional<FigureRange> range;
  if (!runs_.empty() && !visible_.empty()) {
    if (overTime())
      range = {static_cast<double>(visible_.beginNs) * millisecondsPerNs(),
               static_cast<double>(visible_.endNs) * millisecondsPerNs()};
    else if (const auto iterations = iterationsIn(runs_.front(), visible_))
      range = {iterations->first - kHalf, iterations->last + kHalf};
  }
  iterations_->brush().setRange(range);
}

void IterationsView::want(double low, double high) {
  if (runs_.empty()) return;
  const TimeRange time = overTime()
                             ? TimeRange{static_cast<std::int64_t>(low / millisecondsPerNs()),
                                         static_cast<std::int64_t>(high / millisecondsPerNs())}
                             : timeOf(runs_.front(), {std::ceil(low - kHalf), std::floor(high + kHalf)});
  if (!time.empty()) emit timeWanted(time);
}

void IterationsView::setClock(TimeClock clock) { clock_->setCurrentIndex(static_cast<int>(clock)); }

void IterationsView::show(const RunData& run) {
  runs_ = {run};
  draw();
}

void IterationsView::clear(std::int64_t run) {
  runs_.clear();
  clock_->hide();
  oneClock_->hide();
  iterations_->setFigure(nothingYet("Iterations", run));
  blocks_->setFigure(nothingYet("Vertices that batches read", run));
}

void IterationsView::draw() {
  if (runs_.empty()) return;
  const RunsData none;
  const Shown& quantity = kShown[at(std::max(0, quantity_->currentIndex()))];
  const RunData& run = runs_.front();
  const auto wanted = static_cast<TimeClock>(clock_->currentIndex());
  const ShownTime time = shownTime(run.clock(), wanted, !run.batches.stages.empty());
  clock_->setVisible(time.chosen);
  oneClock_->setHidden(time.chosen || time.title.isEmpty() || run.run.kind == "simulation");
  oneClock_->setText(time.note);
  const std::string clock(kTimeClocks[at(time.clock)]);
  Values values;
  if (*quantity.show != '\0') values["show"] = std::string(quantity.show);
  if (quantity.show == std::string("time") && time.clock == TimeClock::modelled)
    values["show"] = std::string("modelled");
  if (quantity.figure == std::string("queues")) values["clock"] = clock;
  iterations_->setFigure(makeFigure(quantity.figure, {none, runs_}, values));
  // on a node nothing is read of other workers: what its stages take says more
  if (run.batches.stages.empty())
    blocks_->setFigure(makeFigure("blocks", {none, runs_}));
  else
    blocks_->setFigure(makeFigure("stages", {none, runs_}, {{"clock", clock}}));
  mark();
}

}  // namespace halo
