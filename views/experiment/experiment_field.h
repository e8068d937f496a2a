#pragma once

#include <QWidget>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/declaration.h"

class QLineEdit;

namespace halo {

/// One declared parameter as a field: a box, a list or a line, whichever fits its type. Where the text says
/// nothing it shows the default, weakly; where it does, the name of the key is bold. What is typed is meant,
/// as it stands there, once Enter is pressed or the field is left.
class ExperimentField : public QWidget {
  Q_OBJECT
 public:
  /// `options`: what a text may name, shown as a list that also takes other words; may be empty.
  ExperimentField(const Parameter& parameter, const QStringList& options, QWidget* parent = nullptr);
  ~ExperimentField() override;

  /// The value as it stands in the text; nothing: the key is absent.
  void setValue(const std::optional<std::string>& value);
  QString title() const { return title_; }
  /// What it is where the text says nothing, if that is not the declared default.
  void setStandard(const QString& standard);
  /// What was typed or chosen and is not meant yet; nothing: the field shows what the text says.
  std::optional<QString> typed() const;
  /// As a person types it.
  void setTyped(const QString& words);
  /// Means what is typed, if something is.
  void commit();

 signals:
  /// As the text should say it; empty: the key should go, which leaves the default. A word in a field of
  /// numbers is written as one, so that the text says what the field does.
  void edited(const QString& value);
  /// True where the text has the key.
  void writtenChanged(bool isWritten);

 private:
  void build(const Parameter& parameter, const QStringList& options);
  void line(const QString& fallback, bool words);
  void list(const Choice* choice, const QStringList& options);
  void mean(const QString& value);

  QString title_, standard_;
  QLineEdit* line_ = nullptr;  // of a number or text
  std::function<void(const std::optional<std::string>&)> show_;
  std::function<QString()> words_ = [] { return QString(); };  // in the field now
  std::function<void(const QString&)> write_ = [](const QString&) {};
  std::function<QString(const QString&)> valueOf_;  // of words, as the text should say it
  QString shown_;                                   // the words that stand for what the text says
};

}  // namespace halo
