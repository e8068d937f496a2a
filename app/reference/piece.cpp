#include "app/reference/piece.h"

#include <fmt/format.h>

#include "app/reference/key_line.h"

namespace halo {
namespace {

/// A bar outside code would begin another cell.
std::string inCell(std::string_view text) {
  std::string cell;
  bool isCode = false;
  for (const char c : text) {
    if (c == '`') isCode = !isCode;
    if (c == '|' && !isCode) cell += '\\';
    cell += c;
  }
  return cell;
}

}  // namespace

MarkdownTable::MarkdownTable(const std::vector<std::string>& heading)
    : text_(fmt::format("| {} |\n|{}\n", fmt::join(heading, " | "),
                        fmt::join(std::vector<std::string>(heading.size(), " --- |"), ""))) {}

void MarkdownTable::add(const std::vector<std::string>& cells) {
  ++rows_;
  text_ += '|';
  for (const std::string& cell : cells) text_ += cell.empty() ? " |" : fmt::format(" {} |", inCell(cell));
  text_ += '\n';
}

std::string code(std::string_view text) { return fmt::format("`{}`", text); }

std::string item(std::string_view label, std::string_view text) {
  return text.empty() ? "" : fmt::format("- {}: {}.\n", label, text);
}

std::string parameterTable(std::span<const Parameter> parameters, const Values* values) {
  if (parameters.empty()) return "None of its own.\n";
  std::string text = "| key | default | allowed | meaning |\n| --- | --- | --- | --- |\n";
  for (const Parameter& parameter : parameters) {
    const bool hasDefault = values == nullptr || values->contains(parameter.key);
    const Value value =
        values != nullptr && hasDefault ? values->find(parameter.key)->second : fallback(parameter);
    text += manualLine(parameter, hasDefault ? toText(value) : "by its file") + "\n";
  }
  return text;
}

}  // namespace halo
