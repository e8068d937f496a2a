#pragma once

// Inside engine/experiment: where a key belongs that stands where it is unknown.

#include <string>
#include <vector>

#include "engine/experiment/document.h"

namespace halo {

/// "`workers` is a key of [cluster]. To vary it by run, use [sweep] with "cluster.workers".": every table
/// that declares a key of this name, other than `a` names already; "": none does. By the declarations of
/// sections, methods, partitioners and kinds of [[simulate]].
std::string rightPlace(const Assignment& a, const Known& known);
/// What "workers" or "modle.layers" of [sweep] may stand for: keys of that name in a table of the document,
/// or the table near it.
std::vector<std::string> likelyKeys(const std::string& name, const Document& document, const Known& known);

/// What to say of an unknown key: its right place, if there is one. Else the key that may be meant, of
/// `siblings` (keys of the same table) or of another table. Else `otherwise`.
std::string unknownKey(const Assignment& a, const Known& known, const std::vector<std::string>& siblings,
                       const std::string& otherwise);
/// The same for a key that stands in no table, at the top of the file, where `siblings` may stand.
std::string unknownTopKey(const std::string& key, const Known& known,
                          const std::vector<std::string>& siblings);

}  // namespace halo
