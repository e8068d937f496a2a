#include "engine/run/worker/map_features.h"

#include <set>

#include "datasets/cache.h"
#include "engine/base/host_name.h"
#include "engine/base/problem.h"
#include "engine/comm/communicator/bytes.h"
#include "engine/run/worker/distribute.h"

namespace halo {
namespace {

struct SharedPlace {
  RowsInFile place;
  std::string host;  // of rank 0
};

std::string encode(const SharedPlace& shared) {
  ByteWriter out;
  out.array(shared.place.file);
  out.value(shared.place.begin);
  out.value(shared.place.rows);
  out.value(shared.place.cols);
  out.value(shared.place.digest);
  out.array(shared.host);
  return out.take();
}

SharedPlace decode(const std::string& bytes) {
  ByteReader in(bytes);
  SharedPlace shared;
  in.array(shared.place.file);
  shared.place.begin = in.value<std::int64_t>();
  shared.place.rows = in.value<Index>();
  shared.place.cols = in.value<Index>();
  shared.place.digest = in.value<std::uint64_t>();
  in.array(shared.host);
  return shared;
}

/// Rank 0 has looked at the bytes that its host has.
std::shared_ptr<const MappedRows> mapHere(const SharedPlace& shared) {
  auto rows = std::make_shared<const MappedRows>(shared.place);
  if (hostName() != shared.host) requireDigest(*rows);
  return rows;
}

}  // namespace

std::shared_ptr<const MappedRows> mapFeatures(Communicator& comm, const std::optional<RowsInFile>& place) {
  const std::string bytes = comm.broadcast(place ? encode({*place, hostName()}) : std::string());
  if (bytes.empty()) return nullptr;
  std::shared_ptr<const MappedRows> rows;
  std::string wrong;
  try {
    rows = mapHere(decode(bytes));
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
