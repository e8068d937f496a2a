#include <array>

#include "engine/base/index.h"
#include "engine/base/plain_text.h"
#include "engine/base/problem.h"
#include "engine/record/export/export.h"
#include "engine/record/export/output_file.h"
#include "engine/record/export/trace_arrows.h"
#include "engine/record/export/trace_rows.h"
#include "engine/record/tables/hybrid.h"
#include "engine/record/tables/runs.h"
#include "engine/record/tables/span_stream.h"

namespace halo {
namespace {

constexpr std::int64_t kThreadsPerLane = 1'000'000;

std::string jsonText(std::string_view text) {
  std::string out = "\"";
  for (const char c : validUtf8(text)) {
    if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char kHex[] = "0123456789abcdef";
      out += {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

/// Nanoseconds as microseconds with three decimals.
void writeMicroseconds(OutputFile& out, std::int64_t ns) {
  if (ns < 0) out << '-';
  const auto size = static_cast<std::uint64_t>(ns < 0 ? -ns : ns);
  const std::uint64_t rest = size % 1000;
  out << static_cast<std::int64_t>(size / 1000) << '.';
  const char digits[3] = {static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                          static_cast<char>('0' + rest % 10)};
  out << std::string_view(digits, 3);
}

class TraceWriter {
 public:
  explicit TraceWriter(OutputFile& out) : out_(out) {}

  void metadata(const char* event, std::int64_t rank, std::int64_t thread, const std::string& key,
                const std::string& value) {
    next() << "{\"ph\":\"M\",\"name\":\"" << event << "\",\"pid\":" << rank << ",\"tid\":" << thread
           << ",\"args\":{\"" << key << "\":" << value << "}}";
  }

  void span(std::int64_t rank, std::int64_t thread, const Span& s) {
    next() << "{\"ph\":\"X\",\"name\":\"" << text(s.name) << "\",\"cat\":\"" << text(s.kind)
           << "\",\"pid\":" << rank << ",\"tid\":" << thread << ",\"ts\":";
    writeMicroseconds(out_, s.beginNs);
    out_ << ",\"dur\":";
    writeMicroseconds(out_, s.durationNs);
    out_ << ",\"args\":{\"epoch\":" << std::int64_t{s.epoch} << ",\"layer\":" << std::int64_t{s.layer}
         << ",\"pass\":\"" << text(s.pass) << '"';
    if (s.peer >= 0) out_ << ",\"peer\":" << std::int64_t{s.peer};
    if (s.bytes != 0) out_ << ",\"bytes\":" << s.bytes;
    out_ << "}}";
  }

  /// One arrow a message, made from its receive, which knows both ends.
  void arrow(std::int64_t rank, std::int64_t thread, const Span& receive, const ArrowTail& tail) {
    if (tail.row < 0) return;
    ++arrows_;
    arrowEnd("\"s\"", receive.peer, kThreadsPerLane * static_cast<std::int64_t>(Lane::main) + tail.row,
             tail.atNs);
    // within the receive, not at the first moment after it
    arrowEnd("\"f\",\"bp\":\"e\"", rank, thread,
             receive.durationNs == 0 ? receive.beginNs : receive.endNs() - 1);
  }

 private:
  void arrowEnd(std::string_view phase, std::int64_t rank, std::int64_t thread, std::int64_t atNs) {
    next() << "{\"ph\":" << phase << ",\"name\":\"message\",\"cat\":\"message\",\"id\":" << arrows_
           << ",\"pid\":" << rank << ",\"tid\":" << thread << ",\"ts\":";
    writeMicroseconds(out_, atNs);
    out_ << '}';
  }

  OutputFile& next() {
    out_ << (first_ ? "\n" : ",\n");
    first_ = false;
    return out_;
  }

  OutputFile& out_;
  bool first_ = true;
  std::int64_t arrows_ = 0;
};

void nameRank(TraceWriter& writer, const WorkerRow& worker) {
  writer.metadata(
      "process_name", worker.rank, 0, "name",
      jsonText("rank " + std::to_string(worker.rank) + (worker.host.empty() ? "" : " on " + worker.host)));
  writer.metadata("process_sort_index", worker.rank, 0, "sort_index", std::to_string(worker.rank));
}

/// Of the first row of a lane: a rank's own lanes come first, then its actors'.
std::int64_t threadOf(const SpanOwner& owner, Lane lane) {
  const std::int64_t lanes = owner.actor ? kLanes * (*owner.actor + 1) : 0;
  return kThreadsPerLane * (lanes + static_cast<std::int64_t>(lane));
}

/// actor: the name of whose thread it is, empty where it is the rank's.
void nameThreads(TraceWriter& writer, const SpanOwner& owner, const std::string& actor, Lane lane,
                 std::size_t rows) {
  // phases above what they are phases of, transfers below
  constexpr std::array<int, kLanes> kOrder = {1, 3, 0, 2, 4};
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int64_t thread = threadOf(owner, lane) + static_cast<std::int64_t>(row);
    const std::string place = lane == Lane::main && !actor.empty()
                                  ? actor
                                  : (actor.empty() ? "" : actor + ", ") + std::string(text(lane));
    const std::string name = place + (row > 0 ? " " + std::to_string(row + 1) : "");
    writer.metadata("thread_name", owner.rank, thread, "name", jsonText(name));
    const std::int64_t order =
        threadOf(owner, Lane::main) + kThreadsPerLane * kOrder[at(lane)] + static_cast<std::int64_t>(row);
    writer.metadata("thread_sort_index", owner.rank, thread, "sort_index", std::to_string(order));
  }
}

std::vector<std::string> writeEvents(Database& database, std::int64_t run, TraceWriter& writer) {
  for (const WorkerRow& worker : Runs(database).workers(run)) nameRank(writer, worker);
  const std::vector<ArrowTail> tails = arrowTails(Spans(database), run);
  std::size_t arrivals = 0;
  TraceLanes lanes;
  const auto write = [&](const SpanOwner& owner, Lane lane, const Span& span) {
    const std::int64_t thread = threadOf(owner, lane) + lanes.place(owner, lane, span);
    writer.span(owner.rank, thread, span);
    if (isArrival(lane, span)) writer.arrow(owner.rank, thread, span, tails[arrivals++]);
  };
  auto leftOut = forEachOwnedSpan(Spans(database), run, write);
  std::map<std::int64_t, std::string> names;
  for (const ActorRow& actor : Hybrid(database).actors(run)) names[actor.actor] = actor.name;
  for (const auto& [key, rows] : lanes.all()) {
    const auto& [owner, lane] = key;
    const std::string actor = !owner.actor                   ? ""
                              : names.contains(*owner.actor) ? names[*owner.actor]
                                                             : "actor " + std::to_string(*owner.actor);
    nameThreads(writer, owner, actor, lane, rows.count());
  }
  return leftOut;
}

}  // namespace

std::vector<std::string> exportChromeTrace(Database& database, std::int64_t run,
                                           const std::filesystem::path& file, bool force) {
  const auto row = Runs(database).find(run);
  if (!row)
    throw RecordError(onOneLine(database.file().string()) + ": there is no run " + std::to_string(run));
  if (!force && isTaken(file))
    throw InputError(
        Problem{.file = file.string(), .message = "exists already; give another name, or --force"});
  const Transaction oneState(database, Hold::read);
  OutputFile out(file);
  out << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":" << jsonText("haloscope " + row->version)
      << ",\"run\":" << jsonText(row->name) << ",\"method\":" << jsonText(row->method)
      << ",\"dataset\":" << jsonText(row->dataset) << ",\"marks\":" << jsonText(row->marks)
      << "},\"traceEvents\":[";
  TraceWriter writer(out);
  auto leftOut = writeEvents(database, run, writer);
  out << "\n]}\n";
  out.close();
  return leftOut;
}

}  // namespace halo
