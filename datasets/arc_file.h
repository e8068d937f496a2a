#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/csr_rows.h"
#include "datasets/graph/dataset.h"

namespace halo {

/// The arcs of a graph in a file of their own, for graphs larger than memory. The file is mapped, so that
/// pages are in memory only while they are read. As the arcs of a Dataset: no loops, no duplicates, columns
/// ascend.
class ArcFile {
 public:
  /// Nothing where the file is not there, has another stamp, or is damaged (every number is looked at).
  static std::optional<ArcFile> open(const std::filesystem::path& file, const std::string& stamp);
  ArcFile(ArcFile&&) = default;
  ArcFile& operator=(ArcFile&&) = default;

  /// Valid as long as this.
  CsrRows rows() const;
  bool directed() const;  // rows do not hold both directions
  /// As of the set with these arcs.
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// Puts those before the others that depend on the place of the text, not on what it holds.
  void precede(const std::vector<std::string>& remarks) {
    remarks_.insert(remarks_.begin(), remarks.begin(), remarks.end());
  }
  /// Gives back the memory of pages that were read; they come again when they are read again.
  void release() const;

 private:
  struct Mapping {
    Mapping(void* at, std::size_t size) : memory(at), bytes(size) {}
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    void* memory;
    std::size_t bytes;
  };
  explicit ArcFile(std::unique_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
  bool sound() const;
  std::string_view textOfRemarks() const;
  std::unique_ptr<Mapping> mapping_;
  std::vector<std::string> remarks_;
};

/// Makes such a file of an edge list (`u v` on a line), with every inverse arc unless `directed`. False where
/// that takes all numbers in memory: vertices are numbered with more gaps than numbers, or the graph is
/// bipartite. Memory: 8 bytes a vertex, a bit a vertex number, and some 100 MB. Room beside `to` while it
/// works: 24 bytes an arc. Throws DamagedInput as reading the edge list does, EnvironmentError where the disk
/// does not take it.
bool makeArcFile(const std::filesystem::path& edgeList, bool directed, const std::filesystem::path& to,
                 const std::string& stamp, const Progress& progress = {});

/// The arcs of the set that `request` names, where they can be streamed. An edge list without labels beside
/// it can be, if its features and labels are generated. The file of arcs is kept beside converted sets.
/// Nothing for any other set.
std::optional<ArcFile> streamedArcs(const DatasetRequest& request, const Progress& progress = {});

}  // namespace halo
