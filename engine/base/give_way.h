#pragma once

namespace halo {

/// The calling thread, and those that it starts from here on, get a third of a core that the process's first
/// thread wants too. It stays so: without privileges no thread takes this back. Meant for threads whose work
/// a person may wait for while the window must not.
void giveWay();

}  // namespace halo
