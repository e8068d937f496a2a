#include "views/figure/figure_writers.h"

#include <QBuffer>
#include <QFileInfo>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QRegularExpression>
#include <QSvgGenerator>
#include <cerrno>
#include <cmath>
#include <stdexcept>
#include <system_error>

#include "engine/base/index.h"
#include "engine/base/new_file.h"
#include "engine/base/no_room.h"
#include "engine/base/problem.h"
#include "engine/record/export/output_file.h"
#include "views/figure/figure_paint.h"
#include "views/look/figure_text.h"

namespace halo {

namespace {

/// Overwrites what follows every `key` up to `end` with `filler` repeated: same length, so no offset in the
/// file moves.
void blank(QByteArray& bytes, const char* key, char end, const QByteArray& filler) {
  const QByteArray needle(key);
  for (qsizetype at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
    const qsizetype from = at + needle.size();
    const qsizetype to = bytes.indexOf(end, from);
    for (qsizetype i = from; i < to; ++i) bytes[i] = filler[(i - from) % filler.size()];
  }
}

/// Crops the page to `points` from its top left corner: the writer itself knows whole points only. What
/// follows in the file moves, so its table of offsets is written anew.
void cropPage(QByteArray& pdf, QSizeF points, double pageHeight) {
  const qsizetype from = pdf.indexOf("/MediaBox [");
  const qsizetype to = pdf.indexOf(']', from) + 1;
  const QString box = QString("/MediaBox [0 %1 %2 %3]")
                          .arg(pageHeight - points.height(), 0, 'f', 4)
                          .arg(points.width(), 0, 'f', 4)
                          .arg(pageHeight, 0, 'f', 4);
  const qsizetype moved = box.size() - (to - from);
  pdf.replace(from, to - from, box.toLatin1());
  const qsizetype table = pdf.lastIndexOf("\nxref\n") + 1;
  static const QRegularExpression entry("^(\\d{10}) 00000 n", QRegularExpression::MultilineOption);
  const QString text = QString::fromLatin1(pdf.mid(table));
  for (auto each = entry.globalMatch(text); each.hasNext();) {
    const auto match = each.next();
    const qlonglong offset = match.captured(1).toLongLong();
    if (offset <= from) continue;
    pdf.replace(table + match.capturedStart(1), 10,
                QByteArray::number(offset + moved).rightJustified(10, '0'));
  }
  const qsizetype start = pdf.lastIndexOf("startxref\n") + 10;
  const qsizetype end = pdf.indexOf('\n', start);
  pdf.replace(start, end - start, QByteArray::number(table));
}

QString titleOf(const Figure& figure) { return drawable(figure.title); }
QString descriptionOf(const Figure& figure) { return drawable(provenanceLine(figure)); }

QByteArray metadata(const Figure& figure) {
  // what follows looks for words of the file's own that begin with a slash: no name may hold them
  const QString line =
      (titleOf(figure) + " — " + descriptionOf(figure)).toHtmlEscaped().replace('/', QStringLiteral("&#47;"));
  return (
      "<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
      "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
      "<rdf:Description rdf:about=\"\" "
      "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:description><rdf:Alt>"
      "<rdf:li xml:lang=\"x-default\">" +
      line.toUtf8() +
      "</rdf:li></rdf:Alt></dc:description></rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"w\"?>");
}

}  // namespace

QByteArray toSvg(const Figure& figure, const FigureStyle& style) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(96);
  generator.setSize(style.size.toSize());
  generator.setViewBox(QRectF(QPointF(0, 0), style.size));
  generator.setTitle(titleOf(figure).toHtmlEscaped());  // the generator writes both as they are
  generator.setDescription(descriptionOf(figure).toHtmlEscaped());
  QPainter painter(&generator);
  paintFigure(painter, figure, style);
  painter.end();
  QByteArray svg = buffer.data();
  // the generator rounds the size to whole pixels; millimetres must come out exactly
  static const QRegularExpression size("<svg width=\"[^\"]*\" height=\"[^\"]*\"");
  const QString exact = QString("<svg width=\"%1mm\" height=\"%2mm\"")
                            .arg(style.size.width() / kPointsPerMm, 0, 'f', 3)
                            .arg(style.size.height() / kPointsPerMm, 0, 'f', 3);
  return QString::fromUtf8(svg).replace(size, exact).toUtf8();
}

QByteArray toPdf(const Figure& figure, const FigureStyle& style) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  QPdfWriter writer(&buffer);
  const QSizeF points = style.size * (72.0 / 96.0);
  const QSizeF page(std::ceil(points.width()), std::ceil(points.height()));
  writer.setResolution(1200);
  writer.setPageSize(QPageSize(page, QPageSize::Point, {}, QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  writer.setTitle(titleOf(figure));
  writer.setCreator("Haloscope " HALO_VERSION);
  writer.setDocumentXmpMetadata(metadata(figure));
  QPainter painter(&writer);
  painter.scale(1200.0 / 96.0, 1200.0 / 96.0);
  paintFigure(painter, figure, style);
  painter.end();
  QByteArray pdf = buffer.data();
  blank(pdf, "/CreationDate (D:", ')', "20000101000000Z");
  cropPage(pdf, points, page.height());
  return pdf;
}

QByteArray toPng(const Figure& figure, const FigureStyle& style, double scale) {
  QImage image((style.size * scale).toSize(), QImage::Format_RGB32);
  image.setDotsPerMeterX(static_cast<int>(96 * scale / 0.0254));
  image.setDotsPerMeterY(static_cast<int>(96 * scale / 0.0254));
  image.setText("Title", titleOf(figure));
  image.setText("Description", descriptionOf(figure));
  QPainter painter(&image);
  painter.setRenderHint(QPainter::TextAntialiasing);
  painter.scale(scale, scale);
  paintFigure(painter, figure, style);
  painter.end();
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  image.save(&buffer, "PNG");
  return buffer.data();
}

void refuseToReplace(const QString& path, bool force) {
  // a link that leads nowhere is somebody's too
  if (!force && (QFileInfo::exists(path) || QFileInfo(path).isSymLink()))
    throw InputError(
        Problem{.file = path.toStdString(), .message = "exists already; --force writes over it"});
}

namespace {

std::string remedyOf(int error) {
  if (!isNoRoom(error)) return "name a place where you may write";
  return roomRemedy(error) + (error == EFBIG ? "" : " or name a place on another disk");
}

}  // namespace

void makeFigureFolder(MadeFolders& folders, const QString& folder) {
  makeFolder(folders, folder.toStdString());
}

void writePicture(const QByteArray& bytes, const QString& path) {
  requireReplaceable(path.toStdString());
  try {
    NewFile file(path.toStdString());
    file.write({bytes.constData(), at(bytes.size())});
    file.putInPlace();
  } catch (const std::system_error& error) {
    throw EnvironmentError(path.toStdString() + ": cannot be written: " + error.code().message() + "; " +
                           remedyOf(error.code().value()));
  }
}

void writeFigure(const Figure& figure, const FigureStyle& style, const QString& path, bool force,
                 double scale, CsvFor reader) {
  const QString ending = QFileInfo(path).suffix().toLower();
  QByteArray bytes;
  if (ending == "svg")
    bytes = toSvg(figure, style);
  else if (ending == "pdf")
    bytes = toPdf(figure, style);
  else if (ending == "png")
    bytes = toPng(figure, style, scale);
  else if (ending == "csv")
    bytes = toCsv(figure, reader);
  else
    throw InputError(
        Problem{.file = path.toStdString(), .message = "the ending must be one of svg pdf png csv"});
  refuseToReplace(path, force);
  writePicture(bytes, path);
}

QSizeF figureSize(const QString& text, double& scale) {
  static const QRegularExpression form("^(\\d+(?:\\.\\d+)?)x(\\d+(?:\\.\\d+)?)(px|mm)?$");
  const auto match = form.match(text);
  QSizeF size(match.captured(1).toDouble(), match.captured(2).toDouble());
  const bool mm = match.captured(3) == "mm";
  if (mm) size *= kPointsPerMm;
  if (!match.hasMatch() || size.width() < 60 || size.height() < 40 || size.width() > 20000 ||
      size.height() > 20000)
    throw InputError(Problem{.key = "--size",
                             .message = "'" + text.toStdString() +
                                        "' cannot be used; WxH in pixels or millimetres, such as 800x500 or "
                                        "88.9x60mm, at least 60x40 and at most 20000x20000 pixels"});
  scale = mm ? 300.0 / 96.0 : 1.0;
  return size;
}

}  // namespace halo
