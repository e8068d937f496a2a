#pragma once

#include <string>
#include <string_view>

#include "datasets/text/text.h"

namespace halo {

/// For a line above edges or labels that begins with a word. Throws DamagedInput at the word where numbers
/// follow, unless they stand behind known names of two ends. `right`: "a vertex number from 0".
void requireNamesAlone(const TextFile& text, std::string_view line, const std::string& right);

/// Which columns are read as the ends of an edge, where the names in a line above them do not say so; "".
std::string endsTaken(std::string_view line);

/// What is told where the names in a line above edges are those of two kinds of vertices (user, item); "".
std::string twoKinds(std::string_view line);

/// Whether the names in a line above edges say that the ends stand in the first two columns.
bool namesEndsFirst(std::string_view line);
/// Whether they are as many as the `columns` of the edges and say that the ends stand in others.
bool namesEndsElsewhere(std::string_view line, std::size_t columns);
/// Whether they say that the first two columns are no source and target.
bool namesNoEnds(std::string_view line);
/// The names that a comment above edges may hold, as such a line has them. Left out are the comment mark,
/// what stands before a colon or in parentheses, and brackets around names.
std::string namesInComment(std::string_view comment);

/// For a line of names above edges. Throws DamagedInput where they say that the ends of an edge do not stand
/// in the first two columns, the source first. An index without a name is none of the columns.
void requireEndsFirst(const TextFile& text, std::string_view line);

}  // namespace halo
