#pragma once

// Inside app/reference: a piece of the manual that the declarations give, and how it is written.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/record/rows/metric.h"

namespace halo {

/// What a mark of the manual stands for.
struct Piece {
  std::filesystem::path page;  // that it belongs on, from the folder of the manual
  std::string title;           // of that page, where it has to be made
  std::string text;            // Markdown; links are relative to the page
};
/// By the words of their marks: "parameters method pipegcn".
using Pieces = std::map<std::string, Piece>;

/// A table of Markdown; bars inside cells are escaped, but for those in code.
class MarkdownTable {
 public:
  explicit MarkdownTable(const std::vector<std::string>& heading);
  void add(const std::vector<std::string>& cells);
  bool empty() const { return rows_ == 0; }
  const std::string& text() const { return text_; }

 private:
  std::size_t rows_ = 0;
  std::string text_;
};

/// `text` as code.
std::string code(std::string_view text);
/// "- Source: GraphACT, FPGA 2020.\n"; "" where there is nothing to say.
std::string item(std::string_view label, std::string_view text);
/// The table of parameters, with values in place of the defaults where these are given. A parameter without
/// value is then one that its files give. No parameter: a sentence that says so.
std::string parameterTable(std::span<const Parameter> parameters, const Values* values = nullptr);
/// The table of metrics; `folder` is that of their pages, from the page that the table is for.
std::string metricTable(const std::vector<Metric>& metrics, const std::string& folder);

// Each adds the pieces of its kind.
void addSections(Pieces& pieces);
void addMethods(Pieces& pieces);
void addLayers(Pieces& pieces);
void addPartitioners(Pieces& pieces);
void addFormats(Pieces& pieces);
void addSimulations(Pieces& pieces, const Known& known);
void addMetrics(Pieces& pieces);
void addCommands(Pieces& pieces);

}  // namespace halo
