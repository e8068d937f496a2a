#include "views/look/figure_text.h"

#include <QTextDocument>

#include "engine/base/plain_text.h"

namespace halo {

namespace {

/// The sign of a control character; 0xFFFD for what no picture should hold; 0: may stay.
char16_t instead(char16_t c, bool lines) {
  constexpr char16_t kSigns = 0x2400, kDelete = 0x2421, kNone = 0xFFFD;
  if (c == '\n' && lines) return 0;
  if (c < 0x20) return static_cast<char16_t>(kSigns + c);
  if (c == 0x7F) return kDelete;
  return steers(c) || c >= 0xFFFE ? kNone : u'\0';
}

}  // namespace

QString drawable(const QString& text, bool lines) {
  QString drawn = text;
  for (qsizetype i = 0; i < drawn.size(); ++i) {
    const QChar c = drawn[i];
    if (c.isHighSurrogate() && i + 1 < drawn.size() && drawn[i + 1].isLowSurrogate())
      ++i;
    else if (c.isSurrogate())
      drawn[i] = QChar::ReplacementCharacter;
    else if (const char16_t sign = instead(c.unicode(), lines))
      drawn[i] = QChar(sign);
  }
  return drawn;
}

QString plainRich(const QString& text) {
  return Qt::mightBeRichText(text)
             ? "<qt>" + text.toHtmlEscaped().replace('\n', QStringLiteral("<br>")) + "</qt>"
             : text;
}

}  // namespace halo
