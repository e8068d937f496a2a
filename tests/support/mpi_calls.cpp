#include "tests/support/mpi_calls.h"

#include <mpi.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "engine/base/check.h"
#include "engine/comm/communicator/communicator_names.h"
#include "engine/kernels/threads/work.h"

namespace halo::test {
namespace {

MpiCalls* noting = nullptr;

}  // namespace

MpiCalls::MpiCalls(const Tracer& tracer) : tracer_(tracer) {
  HALO_CHECK(noting == nullptr);
  noting = this;
}

MpiCalls::~MpiCalls() { noting = nullptr; }

std::vector<MpiCall> MpiCalls::of(int layer, Pass pass) const {
  std::vector<MpiCall> calls;
  std::ranges::copy_if(all_, std::back_inserter(calls),
                       [&](const MpiCall& call) { return call.layer == layer && call.pass == pass; });
  return calls;
}

class MpiCalls::Noted {
 public:
  explicit Noted(MpiCall call, bool counts = true) : call_(call), counts_(noting != nullptr && counts) {
    if (!counts_) return;
    call_.layer = noting->tracer_.layer();
    call_.pass = noting->tracer_.pass();
    call_.sparseFlop = work().sparse;
    noting->all_.push_back(call_);
    if (noting->before) noting->before(call_);
  }
  ~Noted() {
    if (counts_ && noting != nullptr && noting->after) noting->after(call_);
  }
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;

 private:
  MpiCall call_;
  bool counts_;
};

namespace {

/// Whether messages of the communicator may carry rows.
bool carriesRows(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  return std::string_view(name) != kAcknowledgements;
}

MpiCall posted(MpiCall::What kind, const void* rows, int count, MPI_Datatype type, int peer, int tag) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return {.what = kind,
          .peer = peer,
          .tag = tag,
          .rows = static_cast<const std::byte*>(rows),
          .bytes = std::int64_t{count} * size};
}

}  // namespace
}  // namespace halo::test

using halo::test::carriesRows;
using halo::test::MpiCall;
using halo::test::MpiCalls;
using halo::test::posted;

// MPI lets a program put its own functions before the library's.
extern "C" int MPI_Isend(const void* rows, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const MpiCalls::Noted noted(posted(MpiCall::What::send, rows, count, type, peer, tag), carriesRows(comm));
  return PMPI_Isend(rows, count, type, peer, tag, comm, request);
}

extern "C" int MPI_Irecv(void* rows, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  const MpiCalls::Noted noted(posted(MpiCall::What::receive, rows, count, type, peer, tag),
                              carriesRows(comm));
  return PMPI_Irecv(rows, count, type, peer, tag, comm, request);
}

extern "C" int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  const MpiCalls::Noted noted({.what = MpiCall::What::wait});
  return PMPI_Waitall(count, requests, statuses);
}

extern "C" int MPI_Waitany(int count, MPI_Request* requests, int* position, MPI_Status* status) {
  const MpiCalls::Noted noted({.what = MpiCall::What::waitAny});
  return PMPI_Waitany(count, requests, position, status);
}
