#pragma once

#include <QString>

namespace halo {

/// `text` as pictures and their metadata can hold it. Control characters become their signs (␛). U+FFFD
/// stands for what is no character of XML or has no order of its own (overrides of direction). Line ends stay
/// where `lines` says so.
QString drawable(const QString& text, bool lines = false);

/// `text` for a tooltip, a label or a message box, which take what looks like HTML for HTML.
QString plainRich(const QString& text);

}  // namespace halo
