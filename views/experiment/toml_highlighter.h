#pragma once

#include <QSyntaxHighlighter>
#include <QWidget>

namespace halo {

/// Headers bold, comments weak, keys and words apart; colours of the widget's theme, by weight too and never
/// alone.
class TomlHighlighter : public QSyntaxHighlighter {
  Q_OBJECT
 public:
  TomlHighlighter(QTextDocument* document, QWidget& widget);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void highlightBlock(const QString& text) override;

 private:
  QWidget& widget_;
};

}  // namespace halo
