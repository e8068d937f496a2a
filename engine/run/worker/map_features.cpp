#include "engine/run/worker/map_features.h"

#include <set>

#include "datasets/cache.h"
#include "engine/base/host_name.h"
#include "engine/base/problem.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/run/worker/distribute.h"

namespace halo {
namespace {

struct Told {
  RowsInFile place;
  std::string host;  // of rank 0
};

std::string encode(const Told& told) {
  ByteWriter out;
  out.array(told.place.file);
  out.value(told.place.begin);
  out.value(told.place.rows);
  out.value(told.place.cols);
  out.value(told.place.digest);
  out.array(told.host);
  return out.take();
}

Told decode(const std::string& bytes) {
  ByteReader in(bytes);
  Told told;
  in.array(told.place.file);
  told.place.begin = in.value<std::int64_t>();
  told.place.rows = in.value<Index>();
  told.place.cols = in.value<Index>();
  told.place.digest = in.value<std::uint64_t>();
  in.array(told.host);
  return told;
}

/// Rank 0 has looked at the bytes that its host has.
std::shared_ptr<const MappedRows> mapHere(const Told& told) {
  auto rows = std::make_shared<const MappedRows>(told.place);
  if (hostName() != told.host) requireDigest(*rows);
  return rows;
}

}  // namespace

std::shared_ptr<const MappedRows> mapFeatures(Communicator& comm, const std::optional<RowsInFile>& place) {
  const std::string told = comm.broadcast(place ? encode({*place, hostName()}) : std::string());
  if (told.empty()) return nullptr;
  std::shared_ptr<const MappedRows> rows;
  std::string wrong;
  try {
    rows = mapHere(decode(told));
  } catch (const DamagedInput& error) {
    wrong = "host " + hostName() + ": " + error.what();
  }
  if (!comm.anywhere(!wrong.empty())) return rows;
  std::set<std::string> all;
  for (const std::string& each : comm.gather(wrong))
    if (!each.empty()) all.insert(each);
  if (comm.rank() != 0) throw PreparationFailed();
  std::string list;
  for (const std::string& each : all) list += (list.empty() ? "" : "; ") + each;
  throw DamagedInput(
      {.key = "dataset.map_features",
       .message = list + "; convert the set on that host too, or keep the cache where all hosts see it"});
}

}  // namespace halo
