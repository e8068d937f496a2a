#pragma once

#include <QWidget>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/declaration.h"

class QLineEdit;

namespace halo {

/// One declared parameter as a field: a box, a list or a line, whichever fits its type. Where the text says
/// nothing it shows the default, weakly; where it does, the name of the key is bold.
class ExperimentField : public QWidget {
  Q_OBJECT
 public:
  /// `options`: what a text may name, shown as a list that also takes other words; may be empty.
  ExperimentField(const Parameter& parameter, const QStringList& options, QWidget* parent = nullptr);

  /// The value as it stands in the text; nothing: the key is absent.
  void setValue(const std::optional<std::string>& value);
  QString title() const { return title_; }
  /// What it is where the text says nothing, if that is not the declared default.
  void setStandard(const QString& standard);

 signals:
  /// As the text should say it; empty: the key should go, which leaves the default.
  void edited(const QString& value);
  /// True where the text has the key.
  void givenChanged(bool given);

 private:
  void build(const Parameter& parameter, const QStringList& options);
  void line(const QString& fallback, bool words);

  QString title_, standard_;
  QLineEdit* line_ = nullptr;  // of a number or text
  std::function<void(const std::optional<std::string>&)> show_;
};

}  // namespace halo
