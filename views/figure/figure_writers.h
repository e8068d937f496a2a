#pragma once

#include <QByteArray>

#include "views/figure/figure_style.h"

namespace halo {

class MadeFolders;

// Writers of a figure. The same figure, style and fonts give the same bytes; provenance goes into the file's
// metadata.

QByteArray toSvg(const Figure& figure, const FigureStyle& style);
/// One page of exactly style.size, vectors only, fonts embedded.
QByteArray toPdf(const Figure& figure, const FigureStyle& style);
QByteArray toPng(const Figure& figure, const FigureStyle& style, double scale = 1);

/// Throws InputError where something has the name already, unless it may be replaced.
void refuseToReplace(const QString& path, bool force);
/// Whole or not at all (NewFile). Throws EnvironmentError with the system's words.
void writePicture(const QByteArray& bytes, const QString& path);

/// For several figures. Throws what says why it cannot be made.
void makeFigureFolder(MadeFolders& folders, const QString& folder);

/// Chooses the form by the ending: svg, pdf, png, csv. Writes a temporary file first, so that a full disk
/// leaves no half figure. Throws InputError for another ending or an existing file without `force`,
/// std::runtime_error with the system's words for the disk.
void writeFigure(const Figure& figure, const FigureStyle& style, const QString& path, bool force,
                 double scale = 1, CsvFor reader = CsvFor::program);

/// "800x500", "800x500px", "88.9x60mm": a size in points of 1/96 inch; scale is set to that of print (300
/// dpi) for mm. Throws InputError.
QSizeF figureSize(const QString& text, double& scale);

}  // namespace halo
