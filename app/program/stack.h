#pragma once

namespace halo {

/// Refuses to go on where the system allows less stack than readers and the launcher take. Beyond it a
/// program dies without a word. Throws EnvironmentError.
void requireStack();

}  // namespace halo
