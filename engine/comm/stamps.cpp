#include "engine/comm/stamps.h"

#include <algorithm>
#include <vector>

namespace halo {
namespace {

bool isHere(const Stamps::Stamp& stamp) {
  int done = 0;  // true of MPI_REQUEST_NULL
  return MPI_Request_get_status(stamp.request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done != 0;
}

}  // namespace

bool departsBefore(const Stamps::Stamp& a, const Stamps::Stamp& b) {
  return a.departsNs != b.departsNs ? a.departsNs < b.departsNs : a.peer < b.peer;
}

void Stamps::remove(const Stamp& stamp) {
  stamps_.remove_if([&](const Stamp& other) { return &other == &stamp; });
}

void Stamps::serve(Link& link, const Stamp& last) {
  std::vector<Stamp*> due;
  for (Stamp& stamp : stamps_)
    if (stamp.receives && stamp.arrivesNs == 0 && isHere(stamp) && !departsBefore(last, stamp))
      due.push_back(&stamp);
  // what departed together from one peer stays in the order in which it was posted
  std::ranges::stable_sort(due, [](const Stamp* a, const Stamp* b) { return departsBefore(*a, *b); });
  for (Stamp* stamp : due) stamp->arrivesNs = link.receive(stamp->departsNs, stamp->bytes);
}

}  // namespace halo
