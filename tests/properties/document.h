#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/properties/arrays.h"
#include "tests/properties/random.h"

namespace halo::properties {

/// What may stand in a place, and so what may not.
enum class Role { word, integer, vertex, count, real };

struct Token {
  std::string text;
  Role role = Role::word;
  std::string beyond = {};  // of a vertex: the first number that is none; empty: any number may be one
  std::string key = {};     // in JSON: what a message about the value names
};

struct Line {
  std::vector<Token> tokens;
  bool fewer = false, more = false;  // a token less, a token more is refused here
  bool unique = false;               // to say it twice is refused
  bool needed = false;               // to leave it out is refused
  bool comment = false;
};

enum class Packing { none, gzip, xz, zip };

/// One file of a data set: lines of text, or arrays, or bytes.
struct File {
  std::string name;
  std::vector<Line> lines = {};
  std::vector<Array> arrays = {};  // an .npz, or the .npy whose array it is
  std::string separator = " ";
  bool cells = false;  // nothing between two separators is refused
  bool json = false;
  bool crlf = false, endless = false,
       mark = false;  // lines end as in Windows; the last one does not; UTF-8 mark
  Packing packing = Packing::none;
  bool required = false;  // the set cannot do without it
  bool cut = false;       // only the first half of its bytes is there
};

std::string render(const File& file);

/// What a format lets people write between the lines that count.
struct Variety {
  std::vector<std::string> comments = {};    // what they may begin with
  std::vector<std::string> separators = {};  // between tokens; empty: as it is
  bool blankLines = false, crlf = true, mark = true;
  std::size_t afterLine = 0;  // comments and blank lines only after this many lines
  std::vector<Packing> packings = {Packing::none, Packing::gzip, Packing::xz, Packing::zip};
};

/// The same file, written as somebody else would.
void vary(File& file, const Variety& variety, Random& random);

/// `value` as one of many ways to write it as decimal number.
std::string realText(double value, Random& random);
Token integer(Index value);
Token real(double value, Random& random);
Token word(std::string text);
/// A vertex of a format that has the numbers below `beyond` (from 0 or 1).
Token vertex(Index number, Index beyond);
Token anyVertex(Index number);

}  // namespace halo::properties
