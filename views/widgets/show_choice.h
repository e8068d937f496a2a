#pragma once

class QComboBox;

namespace halo {

/// A box with what the one parameter of a figure may be, which is a choice. What is read there has blanks for
/// hyphens; the data are the words themselves.
QComboBox* showChoice(const char* figure);

}  // namespace halo
