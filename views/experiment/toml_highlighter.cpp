#include "views/experiment/toml_highlighter.h"

#include <QEvent>
#include <QRegularExpression>

#include "views/look/palette.h"

namespace halo {

TomlHighlighter::TomlHighlighter(QTextDocument* document, QWidget& widget)
    : QSyntaxHighlighter(document), widget_(widget) {
  widget.installEventFilter(this);
}

bool TomlHighlighter::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::PaletteChange) rehighlight();
  return QSyntaxHighlighter::eventFilter(watched, event);
}

void TomlHighlighter::highlightBlock(const QString& text) {
  static const QRegularExpression kHeader("^\\s*\\[\\[?[^\\]]*\\]\\]?"), kKey("^\\s*[\\w.\\-\"]+(?=\\s*=)"),
      kWords("\"(?:[^\"\\\\]|\\\\.)*\"");
  const Palette& colors = palette(themeOf(widget_.palette()));
  QTextCharFormat header, key, words, comment;
  header.setFontWeight(QFont::Bold);
  key.setForeground(QColor(colors.accent));
  words.setForeground(QColor(seriesColor(colors.theme, 2)));
  comment.setForeground(QColor(colors.textWeak));
  comment.setFontItalic(true);
  const auto paint = [&](const QRegularExpression& pattern, const QTextCharFormat& format) {
    for (auto each = pattern.globalMatch(text); each.hasNext();) {
      const auto match = each.next();
      setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()), format);
    }
  };
  paint(kHeader, header);
  paint(kKey, key);
  QString withoutWords = text;
  withoutWords.replace(kWords, "");
  paint(kWords, words);
  // a # between quotation marks begins no comment
  if (withoutWords.contains('#'))
    for (qsizetype at = text.indexOf('#'); at >= 0; at = text.indexOf('#', at + 1))
      if (format(static_cast<int>(at)).foreground() != words.foreground()) {
        setFormat(static_cast<int>(at), static_cast<int>(text.size() - at), comment);
        break;
      }
}

}  // namespace halo
