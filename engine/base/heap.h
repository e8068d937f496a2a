#pragma once

namespace halo {

/// From here on freed memory stays with this process, for its next matrices. Epochs free and ask for the same
/// blocks. What was given back would have to be cleared and mapped again, page by page, each time. Costs what
/// fragments leave unused (mostly 2 to 5 % of the peak in runs of five methods). Elsewhere than with glibc
/// nothing changes.
void keepFreedMemory();

}  // namespace halo
