#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/text/class_form.h"
#include "engine/base/matrix.h"

namespace halo {

/// What two columns without names are read as.
enum class PairsOf { edges, features, labels };

/// Remarks where every row may as well be one number with decimals behind a comma, and a row looks so:
/// `1.234,5`, `2,05`, `-0,5` or `1,5e-1`. So do features that are all below 1 (`0,5`) or whole (`2,0`), and
/// labels that are whole.
void remarkDecimals(const std::filesystem::path& file, PairsOf content, std::vector<std::string>& remarks);

/// Remarks features of which every row may as well be one number, though none looks so: two whole numbers
/// with a comma between them.
void remarkWholePairs(const std::filesystem::path& file, std::vector<std::string>& remarks);

/// What remarkDecimals remarks of a table with this many columns, none of them named. More than two columns
/// are remarked where a number begins with 0 behind one that does not, except in edges. Also remarks what may
/// group thousands: three digits on every line behind a comma, or behind a point wherever one stands. Looks
/// at the head of the file alone.
void remarkMarks(const std::filesystem::path& file, Index columns, PairsOf content,
                 std::vector<std::string>& remarks);

/// Points that may group thousands alone, also below names of columns. Classes are whole: of them any that
/// stand before three zeros may.
void remarkPoints(const std::filesystem::path& file, PairsOf content, std::vector<std::string>& remarks);

/// The same of classes that are numbers, for `name`.
void remarkPoints(const Spellings& classes, const std::string& name, std::vector<std::string>& remarks);

/// Blanks between tabs that may group thousands on every line of edges.
void remarkBlanks(const std::filesystem::path& file, std::vector<std::string>& remarks);

}  // namespace halo
