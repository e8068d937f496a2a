#include "datasets/text/class_codes.h"

namespace halo {

void remarkCodes(Index inUse, Index classes, Index largest, std::vector<std::string>& remarks) {
  if (2 * inUse >= classes) return;
  remarks.push_back("only " + std::to_string(inUse) + " of " + std::to_string(classes) +
                    " classes have a vertex: classes are counted up to the largest number, " +
                    std::to_string(largest) + "; where numbers are codes, number the classes from 0");
}

}  // namespace halo
