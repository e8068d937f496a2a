#include "views/widgets/score_slider.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>
#include <cmath>

#include "views/look/units.h"

namespace halo {
namespace {

constexpr int kSteps = 1000;
constexpr double kFinest = 1e4;  // scores have four decimals, as beside the chips
constexpr int kRestMs = 200;

}  // namespace

ScoreSlider::ScoreSlider(Scene& scene)
    : scene_(scene), slider_(new QSlider(Qt::Horizontal)), words_(new QLabel) {
  auto* label = new QLabel("S&core");
  label->setBuddy(slider_);
  slider_->setRange(0, kSteps);
  slider_->setPageStep(kSteps / 20);
  slider_->setMinimumWidth(fontMetrics().averageCharWidth() * 20);
  slider_->setAccessibleName("Score to which time and bytes are counted");
  slider_->setToolTip(slider_->accessibleName());
  words_->setObjectName("reached");
  words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(label);
  row->addWidget(slider_);
  row->addWidget(words_, 1);
  pause_.setSingleShot(true);
  pause_.setInterval(kRestMs);
  connect(&pause_, &QTimer::timeout, this, &ScoreSlider::choose);
  connect(slider_, &QSlider::valueChanged, this, [this](int place) {
    words_->setText("to " + formatNumber(scoreAt(place)) + " …");
    if (!slider_->isSliderDown()) pause_.start();
  });
  connect(slider_, &QSlider::sliderReleased, this, &ScoreSlider::choose);
}

double ScoreSlider::scoreAt(int place) const {
  return std::round((low_ + (high_ - low_) * place / kSteps) * kFinest) / kFinest;
}

void ScoreSlider::choose() {
  pause_.stop();
  scene_.setAccuracy(scoreAt(slider_->value()));
}

void ScoreSlider::show(const SceneData& compared) {
  low_ = 1;
  high_ = 0;
  for (const LearningCurve& curve : compared.comparison.learning) {
    for (const LearnedEpoch& epoch : curve.epochs) low_ = std::min(low_, epoch.score);
    if (curve.best) high_ = std::max(high_, curve.best->score);
  }
  low_ = std::floor(low_ * kFinest) / kFinest;
  if (slider_->isSliderDown() || pause_.isActive()) return;  // a person is about to choose another
  words_->setText(reachedText(compared));
  words_->setToolTip(words_->text());
  if (!hasScores()) return;
  const QSignalBlocker quiet(slider_);
  slider_->setValue(
      static_cast<int>(std::lround((compared.comparison.accuracy - low_) / (high_ - low_) * kSteps)));
}

QString ScoreSlider::words() const { return words_->text(); }

QString reachedText(const SceneData& data) {
  const Comparison& comparison = data.comparison;
  if (!comparison.score) return {};
  constexpr int kDigits = 3;
  const bool wall = data.state.base == TimeBase::wall;
  QStringList chips;
  for (std::size_t c = 0; c < comparison.reached.size(); ++c) {
    const ToAccuracy& to = comparison.reached[c];
    const auto seconds = meanReached(to, wall ? &Reached::wallSeconds : &Reached::epochSeconds);
    const auto bytes = meanReached(to, &Reached::bytes);
    chips << chipLetter(data.compared[c]) + ' ' +
                 (seconds && bytes ? formatSeconds(*seconds, kDigits) + ", " + formatBytesOf(*bytes)
                                   : QString("never there"));
  }
  return "to " + formatNumber(comparison.accuracy) + ": " + chips.join(QStringLiteral(" · "));
}

}  // namespace halo
