#pragma once

#include <QDialog>
#include <map>
#include <optional>
#include <string>

#include "app/window/what_if.h"
#include "engine/experiment/experiment.h"
#include "engine/record/analysis/pairing.h"
#include "engine/record/trace/span.h"

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QDoubleSpinBox;
class QPlainTextEdit;
class QSpinBox;

namespace halo {

/// Asks what a recorded run is to be replayed on, and shows the experiment that this makes.
class WhatIfDialog : public QDialog {
  Q_OBJECT
 public:
  /// links    presets by name
  /// network  the run's own, if it is known: without one a link has to be named
  WhatIfDialog(const RunRow& run, const std::map<std::string, LinkSettings>& links,
               const std::optional<RunsNetwork>& network, QWidget* parent = nullptr);

  /// Asks for less of what a span of `rank` takes: computing twice as fast, or twice the bandwidth.
  void begin(const Span& span, std::int64_t rank);
  WhatIf question() const;

 private:
  void addLinks(const std::map<std::string, LinkSettings>& links, const std::optional<RunsNetwork>& network);
  void addRanks(std::int64_t count);
  void layOut();
  void show();

  std::int64_t run_;
  std::optional<RunsNetwork> network_;
  bool hasOwn_;  // a network that it can be replayed on as it was
  QComboBox *link_, *rank_, *overlap_;
  QDoubleSpinBox *gbit_, *latency_, *speed_;
  QSpinBox *cores_, *bits_;
  QCheckBox* asItWas_;
  QPlainTextEdit* text_;
  QDialogButtonBox* buttons_;
};

}  // namespace halo
