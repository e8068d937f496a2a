#include "datasets/text/one_separator.h"

#include <string>

namespace halo {
namespace {

std::string inWords(char separator) {
  return isMark(separator) ? std::string("'") + separator + "'" : "blanks or tabs";
}

}  // namespace

/// Blanks and tabs are one kind.
void OneSeparator::change(const TextFile& text, const Fields& fields, char separator) {
  if (separator == 0) return;  // one field
  const bool first = above_ == 0;
  const char above = first ? names_ : above_;
  above_ = separator;
  const bool alike = above == separator || (!isMark(above) && !isMark(separator));
  const bool mayDiffer = first && (!isMark(separator) || above == ' ');  // names and what stands below them
  if (above == 0 || alike || mayDiffer) return;
  const char* at = fields.rest().data() - 1;  // the last one of the line
  while (*at != separator) --at;
  text.damaged(inWords(separator) + " between the fields of this line, " + inWords(above) +
                   " in the lines above; one kind of separator in a file, and decimals with a point",
               {at, 1});
}

}  // namespace halo
