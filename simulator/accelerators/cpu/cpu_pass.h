#pragma once

// One pass of a processor's cores over a graph (cpu.cpp says what is modelled).

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "simulator/device/component.h"
#include "simulator/device/pass_result.h"
#include "simulator/graph/reuse.h"

namespace halo::sim::cpu {

constexpr std::int64_t kFeatureBytes = 4;  // FP32
constexpr std::int64_t kOffsetBytes = 8;   // where a row of the matrix begins
constexpr std::int64_t kBlocksACore = 32;  // of the matrix, handed out as cores become free

constexpr double kStripLines = 8;  // of a row, that the kernel sums at once

/// Where a row of X is found has a cost; memory that is far has one of its own.
enum : std::size_t { kFar = kLevels, kCosts };

/// Rows of X by what each costs.
struct Rows {
  std::array<double, kCosts> count{};
  bool areShort = false;  // not a line long
  double lines = 1;       // of each
  double nextLines() const { return std::min(lines, kStripLines) - 1; }
  double moreLines() const { return std::max(lines - kStripLines, 0.0); }
};

/// The figures, in units that time is counted with. Costs are of one core while all work.
struct Cpu {
  explicit Cpu(const Values& figures);

  std::int64_t cores, line, indexBytes;
  double hz;
  CacheBytes caches;
  double streamBytesPerNs;  // of all cores together
  double addsPerNs;         // elements
  double startNs;           // of a pass, until all cores are at work
  double rowNs, turnNs;     // a row of the matrix; if it is not as long as the one before
  // Of a row of X: shorter than a line; else of its first line, of each line more, and of those in further
  // strips.
  std::array<double, kCosts> shortNs, firstNs, nextNs, moreNs;
  double reachBytes;             // of X, beyond which memory is far
  double packNearNs, packFarNs;  // a line of columns copied together, found in L3 or not
  std::int64_t panelColumns, panelDegree;
  double panelBytes;
  bool exact;  // every row followed

  /// Of rows that so many nonzeros find in each level, where X is `sources` rows.
  Rows rowsOf(const std::array<double, kLevels>& levelNonzeros, const RowAccess& access,
              std::int64_t sources) const;
  /// Of these rows and so many sums, some of another length than the one before, on one core.
  double gatherNs(const Rows& rows, double sums, double turns) const;
  /// Of each of them.
  double rowCostNs(const Rows& rows, std::size_t cost) const {
    return rows.areShort ? shortNs[cost]
                         : firstNs[cost] + rows.nextLines() * nextNs[cost] + rows.moreLines() * moreNs[cost];
  }
};

/// Columns that are summed in one sweep over the matrix.
struct Sweep {
  std::int64_t times = 1, width = 0;
  bool packed = false;  // copied together first, on whole lines
  RowAccess access;
};

/// How the columns of a pass are divided: all at once, or as packed panels where rows are used often enough.
std::vector<Sweep> sweepsOf(const Cpu& cpu, const Graph& graph, std::int64_t width);

/// Rows [begin, end) that are not as long as the one before: their ends are not foreseen.
std::int64_t turnsOf(const CsrRows& matrix, Index begin, Index end);

/// What a product of a layer, rows × in times in × out, is charged for.
struct ProductTerms {
  ProductTerms(const Values& figures, std::int64_t rows, std::int64_t in, std::int64_t out);
  double operations = 0;         // of whole lanes of columns
  double read = 0, written = 0;  // elements
  double moved = 0;              // elements, where they do not fit L3
};

enum Engine : std::size_t { kMemory, kThird, kSecond, kFirst, kCores, kEngines };
enum Cause : std::size_t { kIndex, kRows, kAdding, kCauses };
enum Stream : std::size_t { kIndexStream, kRowStream, kSumStream, kPackStream, kStreams };
constexpr const char* kEngineNames[] = {"memory", "L3 cache", "L2 caches", "L1 caches", "cores"};
constexpr const char* kCauseNames[] = {"index stream", "rows of sources", "adders"};
constexpr const char* kStreamNames[] = {"column numbers", "rows of sources", "sums", "packed columns"};
constexpr Name kBusyNames[] = {Name::stream, Name::gather, Name::gather, Name::gather, Name::reduce};
constexpr Name kCauseSpans[] = {Name::awaitIndex, Name::awaitRows, Name::awaitAdders};

constexpr EngineNames kNames{kEngineNames, kCauseNames, kBusyNames, kCauseSpans};

struct Result : PassResult<kEngines, kCauses, kStreams> {
  std::array<double, kLevels> byLevel{};  // nonzeros by where their row of X was
  double sampled = 1;                     // share of the rows that were followed; 0: expected from counts
};

/// Level `tile`: blocks of rows, one after the other on each core.
Result tilePass(const Cpu& cpu, const SlicePass& pass, const Graph& graph);

/// Rows of X that are read at random places, `nonzeros` of `columns`.
Rows rowsAtRandom(const Cpu& cpu, std::int64_t nonzeros, std::int64_t columns, std::int64_t width);
/// How long it takes to read them as so many sums.
double randomRowsNs(const Cpu& cpu, std::int64_t rows, std::int64_t nonzeros, std::int64_t columns,
                    std::int64_t width);

/// Lines that are copied to put the columns of a packed sweep together, and what they cost one core.
double packedLines(const Sweep& sweep, std::int64_t sources);
/// The share of them that is found in L3: as much as it holds of X and of the panel.
double packedNear(const Cpu& cpu, const Sweep& sweep, std::int64_t sources, std::int64_t width);

/// Level `analytic`: compulsory bytes, or cores that find every row as near as can be, whichever is longer.
Result boundOf(const Cpu& cpu, const SlicePass& pass, const Graph& graph);

}  // namespace halo::sim::cpu
