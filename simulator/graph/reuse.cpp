#include "simulator/graph/reuse.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/index.h"

namespace halo::sim {
namespace {

constexpr std::int64_t kTurn = 16;             // nonzeros a core takes before the next one's turn
constexpr std::int64_t kAskedEvery = 1 << 20;  // nonzeros
constexpr std::int64_t kMostFollowed =
    1 << 14;  // units: hit rates within four percent of all, where hubs weigh much
constexpr std::int64_t kManyNonzeros = 2'000'000;

/// Spreads numbers evenly over 64 bits (the finaliser of splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// How many other units were touched since one was. A tree of marks over time tells (Bennett & Kruskal 1975),
/// with the mark of each unit at its last touch.
class StackDistance {
 public:
  explicit StackDistance(std::size_t units)
      : slotOf_(units, -1), unitAt_(std::max<std::size_t>(1024, 2 * units)), marks_(unitAt_.size() + 1, 0) {}

  /// −1: never touched before.
  std::int64_t touch(std::int32_t unit) {
    if (now_ == unitAt_.size()) compact();
    std::int32_t& slot = slotOf_[at(unit)];
    std::int64_t distance = -1;
    if (slot >= 0) {
      distance = live_ - upTo(at(slot) + 1);
      mark(at(slot), -1);
    } else {
      ++live_;
    }
    slot = static_cast<std::int32_t>(now_);
    unitAt_[now_] = unit;
    mark(now_++, 1);
    return distance;
  }

 private:
  void mark(std::size_t slot, std::int32_t by) {
    for (std::size_t i = slot + 1; i < marks_.size(); i += i & (~i + 1)) marks_[i] += by;
  }
  std::int64_t upTo(std::size_t slots) const {
    std::int64_t sum = 0;
    for (std::size_t i = slots; i > 0; i -= i & (~i + 1)) sum += marks_[i];
    return sum;
  }
  void compact() {
    std::ranges::fill(marks_, 0);
    std::size_t slotCount = 0;
    for (std::size_t s = 0; s < now_; ++s) {
      const std::int32_t unit = unitAt_[s];
      std::int32_t& slot = slotOf_[at(unit)];
      if (slot != static_cast<std::int32_t>(s)) continue;
      slot = static_cast<std::int32_t>(slotCount);
      unitAt_[slotCount] = unit;
      mark(slotCount++, 1);
    }
    now_ = slotCount;
  }

  std::vector<std::int32_t> slotOf_, unitAt_, marks_;
  std::size_t now_ = 0;
  std::int64_t live_ = 0;
};

/// How far a stream of accesses has come, in nonzeros and in rows begun.
struct Place {
  std::int64_t nonzeros = 0, rows = 0;
};

/// Stack distances of one stream in bytes.
class Stream {
 public:
  Stream(std::size_t units, const RowAccess& access, double sampled)
      : distances_(units), last_(units), access_(access), unitBytes_(access.unitBytes() / sampled) {}

  /// Bytes that came by since the unit was touched, its own included; −1 the first time.
  double touch(std::int32_t unit, Place now) {
    const std::int64_t others = distances_.touch(unit);
    Place& last = last_[at(unit)];
    const Place before = std::exchange(last, now);
    if (others < 0) return -1;
    return static_cast<double>(others) * unitBytes_ + access_.unitBytes() +
           static_cast<double>((now.nonzeros - before.nonzeros) * access_.indexBytes +
                               (now.rows - before.rows) * access_.sumBytes);
  }

 private:
  StackDistance distances_;
  std::vector<Place> last_;
  const RowAccess& access_;
  double unitBytes_;  // that one followed unit stands for
};

/// From bytes that came by in a core's stream and in that of all cores.
Found levelOf(double own, double all, const RowAccess& access, const CacheBytes& caches) {
  if (own >= 0 && own <= caches.first) return kInFirst;
  if (own >= 0 && own <= caches.second) return kInSecond;
  return (all >= 0 ? all : access.passBytes) <= caches.third ? kInThird : kInMemory;
}

/// Where a core is in its block.
struct Cursor {
  Index row = 0, nonzero = 0, end = 0;
  Place place;  // in its own stream
};

class ReusePass {
 public:
  ReusePass(const CsrRows& matrix, std::int64_t cores, const RowAccess& access, const CacheBytes& caches,
            double sampled, const AskStop& askStop)
      : matrix_(matrix), access_(access), caches_(caches), sampled_(sampled), asks_(askStop, kAskedEvery) {
    const std::int64_t units = matrix.cols == 0 ? 0 : access.unitOf(matrix.cols - 1) + 1;
    limit_ = sampled >= 1 ? ~0ULL : static_cast<std::uint64_t>(std::ldexp(sampled, 64));
    numbers_.assign(at(units), -1);
    std::int32_t followed = 0;
    for (std::int64_t u = 0; u < units; ++u)
      if (follows(u)) numbers_[at(u)] = followed++;
    const auto count = at(followed);
    for (std::int64_t c = 0; c < cores; ++c) own_.emplace_back(count, access_, sampled);
    shared_.emplace_back(count, access_, sampled);
    cursors_.resize(at(cores));
  }

  /// The blocks with these borders, a core each.
  Wave run(std::span<const Index> borders) {
    Wave wave;
    wave.rows = borders.back() - borders.front();
    wave.nonzeros = offset(borders.back()) - offset(borders.front());
    const std::size_t busy = borders.size() - 1;
    for (std::size_t c = 0; c < busy; ++c) {
      cursors_[c].row = borders[c];
      cursors_[c].nonzero = offset(borders[c]);
      cursors_[c].end = offset(borders[c + 1]);
    }
    for (bool more = true; more;) {
      more = false;
      for (std::size_t c = 0; c < busy; ++c) {
        takeTurn(c, wave);
        more = more || cursors_[c].nonzero < cursors_[c].end;
      }
    }
    scaleUp(wave);
    return wave;
  }

 private:
  Index offset(Index row) const { return matrix_.offsets[at(row)]; }
  bool follows(std::int64_t unit) const { return mixed(static_cast<std::uint64_t>(unit) + 1) <= limit_; }

  void takeTurn(std::size_t core, Wave& wave) {
    Cursor& cursor = cursors_[core];
    const Index begin = cursor.nonzero, end = std::min(cursor.end, begin + kTurn);
    asks_.step(kTurn);
    for (Index k = begin; k < end; ++k) {
      const std::int64_t unit = access_.unitOf(matrix_.columns[at(k)]);
      if (!follows(unit)) continue;
      advance(cursor, k);
      const std::int32_t number = numbers_[at(unit)];
      const double own = own_[core].touch(number, cursor.place), all = shared_[0].touch(number, place_);
      wave.byLevel[levelOf(own, all, access_, caches_)] += 1;
    }
    advance(cursor, end);
  }

  /// On to this nonzero, and to its row.
  void advance(Cursor& cursor, Index nonzero) {
    const std::int64_t by = nonzero - cursor.nonzero;
    cursor.nonzero = nonzero;
    cursor.place.nonzeros += by;
    place_.nonzeros += by;
    for (; nonzero < cursor.end && offset(cursor.row + 1) <= nonzero; ++cursor.row) {
      ++cursor.place.rows;
      ++place_.rows;
    }
  }

  /// From what was followed to all; those followed too few or too many are rows of hubs, which are near.
  void scaleUp(Wave& wave) const {
    const auto all = static_cast<double>(wave.nonzeros);
    double sum = 0;
    for (double& nonzeros : wave.byLevel) sum += nonzeros /= sampled_;
    if (sampled_ < 1 && sum > 0) {
      const double nearer = std::max(0.0, wave.byLevel[kInFirst] + all - sum);
      sum += nearer - wave.byLevel[kInFirst];
      wave.byLevel[kInFirst] = nearer;
      for (double& nonzeros : wave.byLevel) nonzeros *= all / sum;
    } else if (sum == 0) {  // nothing was followed of a few nonzeros: none of them is known to be near
      wave.byLevel[kInMemory] = all;
    }
  }

  CsrRows matrix_;
  const RowAccess& access_;
  const CacheBytes& caches_;
  double sampled_;
  std::uint64_t limit_;
  std::vector<std::int32_t> numbers_;  // of followed units, in the streams; −1: not followed
  std::vector<Stream> own_, shared_;
  std::vector<Cursor> cursors_;
  Place place_;
  StopAsks asks_;
};

/// One use of a row of X, in the order in which all cores together come to them.
struct Use {
  std::int64_t core = 0, unit = 0;
  Place own, all;
};

/// The uses of one wave, appended.
void listUses(const CsrRows& matrix, std::span<const Index> borders, const RowAccess& access,
              std::vector<Place>& places, std::vector<Use>& uses) {
  struct Next {
    std::int64_t unit, row;
  };
  std::vector<std::vector<Next>> left(borders.size() - 1);
  for (std::size_t c = 0; c < left.size(); ++c)
    for (Index r = borders[c]; r < borders[c + 1]; ++r)
      for (const Vertex v : matrix.row(r)) left[c].push_back({access.unitOf(v), r});
  std::vector<std::size_t> at(left.size(), 0);
  std::vector<Index> row(borders.begin(), borders.end() - 1);
  const auto total = [&] {
    Place sum;
    for (const Place& place : places) {
      sum.nonzeros += place.nonzeros;
      sum.rows += place.rows;
    }
    return sum;
  };
  for (bool more = true; more;) {
    more = false;
    for (std::size_t c = 0; c < left.size(); ++c) {
      const std::size_t end = std::min(left[c].size(), at[c] + kTurn);
      const auto toRow = [&] {  // of the next nonzero
        if (at[c] == left[c].size()) return;
        places[c].rows += left[c][at[c]].row - row[c];
        row[c] = left[c][at[c]].row;
      };
      for (toRow(); at[c] < end; toRow()) {
        uses.push_back({static_cast<std::int64_t>(c), left[c][at[c]].unit, places[c], total()});
        ++at[c];
        ++places[c].nonzeros;
      }
      more = more || at[c] < left[c].size();
    }
  }
}

/// Bytes that came by since the unit of use `i` was used last, by its core or by any; −1: not before.
double bytesSince(const std::vector<Use>& uses, std::size_t i, bool byAny, const RowAccess& access) {
  std::set<std::int64_t> others;
  for (std::size_t j = i; j-- > 0;) {
    if (!byAny && uses[j].core != uses[i].core) continue;
    if (uses[j].unit != uses[i].unit) {
      others.insert(uses[j].unit);
      continue;
    }
    const Place &now = byAny ? uses[i].all : uses[i].own, &then = byAny ? uses[j].all : uses[j].own;
    return static_cast<double>(others.size() + 1) * access.unitBytes() +
           static_cast<double>((now.nonzeros - then.nonzeros) * access.indexBytes +
                               (now.rows - then.rows) * access.sumBytes);
  }
  return -1;
}

std::vector<std::span<const Index>> wavesOf(std::span<const Index> borders, std::int64_t cores) {
  std::vector<std::span<const Index>> waves;
  for (std::size_t first = 0; first + 1 < borders.size(); first += at(cores)) {
    const std::size_t blocks = std::min(borders.size() - 1 - first, at(cores));
    waves.push_back(borders.subspan(first, blocks + 1));
  }
  return waves;
}

}  // namespace

double RowAccess::linesARow() const {
  return static_cast<double>(strideBytes + lineBytes - std::gcd(strideBytes, lineBytes)) /
         static_cast<double>(lineBytes);
}

double RowAccess::unitBytes() const {
  return static_cast<double>(lineBytes) * (strideBytes < lineBytes ? 1 : linesARow());
}

std::vector<Index> blockBorders(const CsrRows& matrix, std::int64_t parts) {
  std::vector<Index> borders = {0};
  const Index total = matrix.nonzeros() + matrix.rows();
  Index row = 0;
  for (std::int64_t p = 1; p < parts; ++p) {
    const Index target = total / parts * p;
    while (row < matrix.rows() && matrix.offsets[at(row)] + row < target) ++row;
    borders.push_back(row);
  }
  borders.push_back(matrix.rows());
  return borders;
}

std::vector<Wave> reuse(const CsrRows& matrix, std::span<const Index> borders, std::int64_t cores,
                        const RowAccess& access, const CacheBytes& caches, double sampled,
                        const AskStop& askStop) {
  HALO_CHECK(cores >= 1 && sampled > 0 && borders.size() >= 2);
  ReusePass pass(matrix, cores, access, caches, sampled, askStop);
  std::vector<Wave> waves;
  for (const auto blocks : wavesOf(borders, cores)) waves.push_back(pass.run(blocks));
  return waves;
}

std::vector<Wave> reuseReference(const CsrRows& matrix, std::span<const Index> borders, std::int64_t cores,
                                 const RowAccess& access, const CacheBytes& caches) {
  std::vector<Place> places(at(cores));
  std::vector<Use> uses;
  std::vector<Wave> waves;
  for (const auto blocks : wavesOf(borders, cores)) {
    const std::size_t begin = uses.size();
    listUses(matrix, blocks, access, places, uses);
    Wave wave{blocks.back() - blocks.front(), static_cast<std::int64_t>(uses.size() - begin), {}};
    for (std::size_t i = begin; i < uses.size(); ++i)
      wave.byLevel[levelOf(bytesSince(uses, i, false, access), bytesSince(uses, i, true, access), access,
                           caches)] += 1;
    waves.push_back(wave);
  }
  return waves;
}

double sampledShare(const CsrRows& matrix, const RowAccess& access) {
  const std::int64_t units = matrix.cols == 0 ? 0 : access.unitOf(matrix.cols - 1) + 1;
  int halvings = matrix.nonzeros() > kManyNonzeros ? 3 : 0;
  while (units >> halvings > kMostFollowed) ++halvings;
  return std::ldexp(1.0, -halvings);
}

std::array<double, kLevels> expectedReuse(double nonzeros, double touched, double rowsOfCore,
                                          double rowsOfAll, const RowAccess& access,
                                          const CacheBytes& caches) {
  const auto stride = static_cast<double>(access.strideBytes);
  const double rowBytes = access.strideBytes < access.lineBytes ? stride : access.unitBytes();
  const double fresh = std::min(nonzeros, touched), again = nonzeros - fresh;
  const auto served = [&](double bytes, double rows) {  // of the uses again
    return rows <= 0 ? 0 : again * std::min(1.0, bytes / (rows * rowBytes));
  };
  const double first = served(caches.first, rowsOfCore);
  const double second = std::max(first, served(caches.second, rowsOfCore));
  const double third =
      std::max(second, served(caches.third, rowsOfAll)) + (access.passBytes <= caches.third ? fresh : 0);
  return {first, second - first, third - second, nonzeros - third};
}

}  // namespace halo::sim
