#pragma once

#include <QString>

#include "engine/record/comparison/part_table.h"

namespace halo {

/// A number of a part as a person reads it: "1 234", "3.89", "1.2 M", "2.50 MiB", "3.41 ms"; "–" of none.
QString partText(const PartQuantity& quantity, double value);
/// "sent".
QString partTitle(const PartQuantity& quantity);
/// The unit of the bare number, as a heading of CSV has it: "bytes"; empty of a count.
QString partUnit(const PartQuantity& quantity);

}  // namespace halo
