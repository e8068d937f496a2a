#pragma once

#include "engine/base/declaration.h"
#include "engine/base/registry.h"
#include "views/figure/csv_lines.h"
#include "views/figure/figure.h"
#include "views/figure/figure_sheet.h"

namespace halo {

/// All that is done with figures of one form. Its file in views/figure/forms has no header: nobody includes
/// it, and nothing else changes when one is added, but the enumeration FigureForm.
struct FigureFormEntry {
  Declaration declaration;
  FigureForm form;
  bool (*empty)(const Figure&);  // whether there is nothing to see
  /// Paints the data of a figure that is not empty into the sheet's area.
  void (*paint)(FigureSheet&);
  void (*csv)(const Figure&, CsvLines&);
  /// For a reader who does not see it: what it shows, in parts of one sentence. Not of an empty figure.
  QStringList (*describe)(const Figure&);
  /// How high the sheet has to be, at its width, for everything to have room; null: any height will do.
  double (*neededHeight)(FigureSheet&) = nullptr;
  /// What a pointer is told of a hit of `paint`; null: there are none.
  QString (*hint)(const Figure&, const FigureHit&) = nullptr;
};

const FigureFormEntry& formEntry(FigureForm form);

}  // namespace halo
