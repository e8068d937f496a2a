// Methods that send codes, by definition (SuperGCN, AdaQP): row by row with the reference encoder, the
// widths of each row from what the method's page says of the epoch.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "engine/comm/exchange/coded_exchange.h"
#include "engine/methods/choices/bit_assignment.h"
#include "engine/partition/halo/cut.h"
#include "tests/engine/methods/defined_training.h"
#include "tests/support/graphs.h"

using namespace halo;
using namespace halo::test;

namespace {

constexpr double kSame = 1e-9;

/// What arrives of a row.
Row decoded(const Row& row, std::uint64_t id, const Coding& coding) {
  Matrix X(1, static_cast<Index>(row.size())), arrived(1, X.cols());
  for (std::size_t c = 0; c < row.size(); ++c) X(0, static_cast<Index>(c)) = static_cast<Scalar>(row[c]);
  const std::vector<Vertex> first = {0};
  std::vector<RowRange> ranges(1);
  std::vector<std::uint8_t> codes(at(codeBytes(1, X.cols(), coding.bits)));
  encodeRowsReference(X, first, std::vector<std::uint64_t>{id}, coding, ranges, codes);
  if (coding.shortRange)  // what a brain float cuts off was rounded before
    for (const float part : {ranges[0].zero, ranges[0].step})
      CHECK((std::bit_cast<std::uint32_t>(part) & 0xFFFFU) == 0);
  decodeRowsReference(codes, ranges, coding.bits, first, arrived);
  return rowsOf(arrived)[0];
}

/// A row of a message and what draws its rounding.
struct Sent {
  std::uint64_t id = 0;
  Row row;
};

/// A method whose messages between each two ranks, forward and backward, are rows in a fixed order.
class DefinedCoded : public DefinedTraining {
 public:
  DefinedCoded(const Trained& many, const Dataset& set)
      : DefinedTraining(many, set), owners_(many.owners), parts_(many.comm.size()) {}

 protected:
  /// The rows of the message of this layer and pass (0, 1) from rank i to rank j as they arrive there.
  virtual Rows arrived(int l, int pass, int i, int j, const std::vector<Sent>& message) = 0;
  /// Whether this entry, whose ends have other owners, is summed where its source is, in one row a
  /// destination, or where its destination is, in one row a source.
  virtual bool sumsAtSource(const Entry&) const { return false; }
  /// What draws the rounding of a sum for `vertex`, row `place` of i's message to j; that of a vertex's own
  /// row its number does.
  virtual std::uint64_t idOfSum(int i, int j, std::size_t vertex, std::size_t place) const = 0;

  Coding codingOf(int l, int pass) const {
    Coding coding;
    coding.seed = settings_.training.seed;
    coding.epoch = static_cast<std::uint32_t>(epoch_);
    coding.stream = static_cast<std::uint32_t>(2 * l + pass);
    return coding;
  }

  Owners owners_;
  int parts_;

  std::vector<Entry> entriesBetween(int i, int j) const {
    std::vector<Entry> between;
    for (const Entry& e : entries_)
      if (owners_[e.u] == i && owners_[e.v] == j) between.push_back(e);
    return between;
  }

 private:
  /// `from` → `to` over the entries, in Z's direction (to = v) or back (to = u). What the source sums, or
  /// backward its terms, comes first in a message; in either part rows are ordered by their vertices.
  void pass(int l, int direction, int i, int j, const Rows& from, Rows& to) {
    const bool back = direction == 1;
    const std::vector<Entry> between = back ? entriesBetween(j, i) : entriesBetween(i, j);
    std::map<std::size_t, Row> sums, terms;  // of the message, by vertex
    for (const Entry& e : between) {
      const std::size_t source = back ? e.v : e.u, target = back ? e.u : e.v;
      if (sumsAtSource(e) != back)
        addTo(sums.try_emplace(target, from[source].size(), 0.0).first->second, e.value, from[source]);
      else
        terms[source] = from[source];
    }
    std::vector<Sent> message;
    const auto append = [&](const std::map<std::size_t, Row>& rows) {
      for (const auto& [vertex, row] : rows)
        message.push_back({&rows == &sums ? idOfSum(i, j, vertex, message.size()) : vertex, row});
    };
    append(back ? terms : sums);
    append(back ? sums : terms);
    if (message.empty()) return;
    const Rows received = arrived(l, direction, i, j, message);
    std::size_t k = 0;
    for (auto* rows : {back ? &terms : &sums, back ? &sums : &terms})
      for (auto& [vertex, row] : *rows) row = received[k++];
    for (const Entry& e : between) {
      const std::size_t source = back ? e.v : e.u, target = back ? e.u : e.v;
      if (sumsAtSource(e) == back) addTo(to[target], e.value, terms.at(source));
    }
    for (const auto& [vertex, row] : sums) addTo(to[vertex], 1, row);
  }
  Rows everywhere(int l, int direction, const Rows& from) {
    Rows to = zeros(from.size(), from.front().size());
    for (const Entry& e : entries_)
      if (owners_[e.u] == owners_[e.v])
        addTo(to[direction == 1 ? e.u : e.v], e.value, from[direction == 1 ? e.v : e.u]);
    for (int i = 0; i < parts_; ++i)
      for (int j = 0; j < parts_; ++j)
        if (i != j) pass(l, direction, i, j, from, to);
    return to;
  }

  Rows forward(int l, const Rows& H, const Rows& mask) override {
    Rows Y;
    for (std::size_t v = 0; v < H.size(); ++v) Y.push_back(times(mask[v], H[v]));
    return everywhere(l, 0, Y);
  }
  Rows backward(int l, const Rows& dZ, const Rows& mask) override {
    Rows dH = everywhere(l, 1, dZ);
    for (std::size_t v = 0; v < dH.size(); ++v) dH[v] = times(mask[v], dH[v]);
    return dH;
  }
};

/// Widths are drawn, or all the same.
class DefinedSuperGcn final : public DefinedCoded {
 public:
  DefinedSuperGcn(const Trained& many, const Dataset& set) : DefinedCoded(many, set) {
    for (int i = 0; i < parts_; ++i)
      for (int j = 0; j < parts_; ++j)
        if (i != j) split(i, j);
  }
  std::set<std::array<std::vector<Vertex>, 3>> draws;  // of messages of four rows or more
  /// Whether the covers have some of both kinds.
  bool mixes() const { return !pre_.empty() && !post_.empty(); }

 private:
  bool sumsAtSource(const Entry& e) const override { return pre_.contains({e.v, e.u}); }

  /// Who sums which of the entries from i to j.
  void split(int i, int j) {
    const std::string& word = settings_.parameters.text("aggregation");
    const std::vector<Entry> between = entriesBetween(i, j);
    std::set<std::size_t> ends[2];
    for (const Entry& e : between) {
      ends[0].insert(e.u);
      ends[1].insert(e.v);
    }
    const std::vector<std::size_t> sources(ends[0].begin(), ends[0].end()),
        targets(ends[1].begin(), ends[1].end());
    const auto numberOf = [](const std::vector<std::size_t>& among, std::size_t vertex) {
      return static_cast<Vertex>(std::ranges::lower_bound(among, vertex) - among.begin());
    };
    std::set<std::pair<Vertex, Vertex>> arcs;
    for (const Entry& e : between) arcs.insert({numberOf(sources, e.u), numberOf(targets, e.v)});
    Csr edges;
    edges.cols = static_cast<Index>(targets.size());
    edges.offsets.resize(sources.size() + 1, 0);
    for (const auto& [source, target] : arcs) {
      edges.columns.push_back(target);
      for (std::size_t s = at(source) + 1; s < edges.offsets.size(); ++s) ++edges.offsets[s];
    }
    const CutSplit cut = splitCut(edges, word == "pre"    ? CutAggregation::pre
                                         : word == "post" ? CutAggregation::post
                                                          : CutAggregation::hybrid);
    const std::set<Vertex> post(cut.post.begin(), cut.post.end());
    for (const Entry& e : between) (post.contains(numberOf(sources, e.u)) ? post_ : pre_).insert({e.v, e.u});
  }

  std::set<std::pair<std::size_t, std::size_t>> pre_, post_;  // entries, by (v, u)

  std::uint64_t idOfSum(int i, int j, std::size_t, std::size_t place) const override {
    return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(i) << 47 |
           static_cast<std::uint64_t>(j) << 32 | place;
  }

  Rows arrived(int l, int pass, int i, int j, const std::vector<Sent>& message) override {
    const Values& values = settings_.parameters;
    const bool mixed = values.text("bits") == "mixed";
    const CodeWidths widths{mixed ? 0 : std::stoi(values.text("bits")), values.real("share_8"),
                            values.real("share_4"), static_cast<std::int32_t>(values.integer("redraw"))};
    const auto positions =
        positionsByWidth(widths, static_cast<Index>(message.size()), settings_.training.seed, epoch_, i, j);
    if (message.size() >= 4 && pass == 0 && i == 0 && j == 1 && l == 0) draws.insert(positions);
    Coding coding = codingOf(l, pass);
    coding.nearest = values.text("rounding") == "nearest";
    coding.shortRange = values.text("range") == "bf16";
    Rows received(message.size());
    for (std::size_t w = 0; w < positions.size(); ++w)
      for (const Vertex k : positions[w]) {
        coding.bits = kCodeWidths[w];
        received[at(k)] = decoded(message[at(k)].row, message[at(k)].id, coding);
      }
    return received;
  }
};

using MessageKey = std::tuple<int, int, int, int>;  // layer, pass, sender, receiver

/// Widths of groups of rows are chosen before every cycle by what the last epoch of the one before it sent.
class DefinedAdaQp final : public DefinedCoded {
 public:
  using DefinedCoded::DefinedCoded;

  /// Bits by group, of each message; empty in the first cycle, which has 8.
  std::map<MessageKey, std::vector<std::uint8_t>> widths;
  /// Rows of a message that have so many bits.
  std::int64_t rowsOf(const MessageKey& key, int bits) const {
    std::int64_t rows = 0;
    for (std::size_t g = 0; g < widths.at(key).size(); ++g)
      if (widths.at(key)[g] == bits) rows += traced_.at(key).groups[g].rows;
    return rows;
  }

 private:
  std::int64_t group() const { return settings_.parameters.integer("group"); }
  std::uint64_t idOfSum(int i, int, std::size_t vertex, std::size_t) const override {
    return std::uint64_t{1} << 63 | static_cast<std::uint64_t>(i) << 32 | vertex;
  }

  void beginEpoch() override {
    const std::int64_t cycle = settings_.parameters.integer("cycle");
    if (epoch_ == 0 || epoch_ % cycle != 0) return;
    widths.clear();
    for (int l = 0; l < layers_; ++l)
      for (const int pass : {0, 1}) {
        std::vector<WidthMessage> messages;
        std::vector<MessageKey> keys;
        for (const auto& [key, message] : traced_)
          if (std::get<0>(key) == l && std::get<1>(key) == pass) {
            messages.push_back(message);
            keys.push_back(key);
          }
        const GroupWidths chosen = assignWidths(messages, parts_, settings_.parameters.real("trade_off"));
        for (std::size_t m = 0; m < keys.size(); ++m) widths[keys[m]] = chosen[m];
      }
  }

  /// Σ α² of what the receiver multiplies the row of `u` with; gradients it adds.
  double weightOf(std::size_t u, int pass, int receiver) const {
    double sum = pass == 1 ? 1 : 0;
    for (const Entry& e : entries_)
      if (pass == 0 && e.u == u && owners_[e.v] == receiver) sum += e.value * e.value;
    return sum;
  }

  Rows arrived(int l, int pass, int i, int j, const std::vector<Sent>& message) override {
    const MessageKey key{l, pass, i, j};
    WidthMessage& last = traced_[key] = {i, j, static_cast<std::int64_t>(message[0].row.size()), {}};
    Rows received;
    for (std::size_t k = 0; k < message.size(); ++k) {
      const std::size_t g = k / at(group());
      Coding coding = codingOf(l, pass);
      coding.bits = widths.empty() ? 8 : widths.at(key)[g];
      received.push_back(decoded(message[k].row, message[k].id, coding));
      if (g == last.groups.size()) last.groups.emplace_back();
      const auto [low, high] = std::ranges::minmax(message[k].row);
      ++last.groups[g].rows;
      last.groups[g].score += weightOf(message[k].id, pass, j) * static_cast<double>(last.width) *
                              (high - low) * (high - low) / 6;
    }
    return received;
  }

  std::map<MessageKey, WidthMessage> traced_;  // of the last epoch
};

/// Enough rows a message for draws and choices to differ.
bool hasLongMessages() { return worldSize() > 1 && worldSize() <= 4; }

template <class Defined>
void checkEpoch(Defined& defined, Trained& many, int epoch) {
  CAPTURE(epoch);
  const double expected = defined.runEpoch(epoch);
  CHECK(many.method->runEpoch(epoch) == Approx(expected).epsilon(kSame));
  CHECK(defined.farthestFrom(many) <= kSame);
}

}  // namespace

TEST_CASE("SuperGCN's codes train as its definition says: each width, mixed and redrawn, both roundings",
          "[supergcn][defined]") {
  if (sizeof(Scalar) < 8) return;  // a float's rounding would tip codes
  const Dataset set = hardGraphs()[0];
  for (const std::string kind : {"gcn", "graphsage"})
    for (const std::string aggregation : {"pre", "post", "hybrid"})
      for (const std::string bits : {"mixed", "8", "4", "2"})
        for (const std::string rounding : {"stochastic", "nearest"})
          for (const std::string range : {"bf16", "fp32"}) {
            CAPTURE(kind, aggregation, bits, rounding, range);
            RunSettings run = settingsFor("supergcn", kind, 3, 7, 0.5);
            run.model.order = "aggregate-first";
            for (const auto& [key, value] : std::map<std::string, std::string>{
                     {"aggregation", aggregation}, {"bits", bits}, {"rounding", rounding}, {"range", range}})
              run.parameters.insert_or_assign(key, Value(value));
            run.parameters.insert_or_assign("redraw", Value(std::int64_t{2}));
            Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
            DefinedSuperGcn defined(many, set);
            for (int epoch = 0; epoch < 7; ++epoch) checkEpoch(defined, many, epoch);
            if (hasLongMessages()) CHECK(defined.mixes() == (aggregation == "hybrid"));
            if (bits == "mixed" && hasLongMessages()) CHECK(defined.draws.size() == 4);  // epochs 0, 2, 4, 6
          }
}

TEST_CASE("AdaQP chooses its widths anew for every cycle as its definition says, and trains with them",
          "[adaqp][defined]") {
  if (sizeof(Scalar) < 8) return;  // a float's rounding would tip codes
  const Dataset set = hardGraphs()[0];
  for (const std::string kind : {"gcn", "graphsage"})
    for (const double tradeOff : {0.5, 0.7})
      for (const double rate : {0.0, 0.5}) {
        CAPTURE(kind, tradeOff, rate);
        RunSettings run = settingsFor("adaqp", kind, 3, 7, rate);
        run.model.order = "aggregate-first";
        run.parameters.insert_or_assign("trade_off", Value(tradeOff));
        run.parameters.insert_or_assign("cycle", Value(std::int64_t{2}));
        run.parameters.insert_or_assign("group", Value(std::int64_t{3}));
        Trained many(MPI_COMM_WORLD, set, run, scatteredOwners(set, worldSize()));
        DefinedAdaQp defined(many, set);
        std::set<std::map<MessageKey, std::vector<std::uint8_t>>> choices;
        for (int epoch = 0; epoch < 9; ++epoch) {
          checkEpoch(defined, many, epoch);
          choices.insert(defined.widths);
          const std::vector<RowTable> tables = many.method->decided();
          for (const auto& [key, bits] : defined.widths)
            for (std::size_t w = 0; w < kCodeWidths.size(); ++w) {
              const auto [l, pass, i, j] = key;
              CAPTURE(l, pass, i, j, w);
              CHECK(tables.at(at(2 * l + pass) * 3 + w)[at(i)][at(j)] == defined.rowsOf(key, kCodeWidths[w]));
            }
        }
        if (hasLongMessages() && tradeOff == 0.5)
          CHECK(choices.size() >= 4);  // of five: not the same ones again
      }
}
