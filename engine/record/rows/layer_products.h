#pragma once

namespace halo {

/// Products of a layer's forward pass beside the one in × out that every kind has.
struct LayerProducts {
  bool own = false;     // of the rows themselves, in × out
  bool second = false;  // of what comes out, out × out
};

}  // namespace halo
