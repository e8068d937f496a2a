#include "engine/kernels/opencl/opencl_device.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "engine/base/index.h"
#include "engine/base/problem.h"

namespace halo {
namespace {

using namespace opencl;

constexpr const char* kSmaller = "; a smaller batch, or smaller fan-outs";
constexpr int kLogLines = 5;  // the first that a compiler says: later ones follow from them

std::string firstLines(const std::string& text) {
  std::size_t end = 0;
  for (int line = 0; line < kLogLines && end < text.size(); ++line)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  std::string lines = text.substr(0, end);
  while (!lines.empty() && (lines.back() == '\n' || lines.back() == '\0')) lines.pop_back();
  return lines;
}

std::string label(const OpenClDeviceInfo& info) {
  return "OpenCL device '" + info.name + "' (driver " + info.driver + ")";
}

}  // namespace

OpenClDevice::OpenClDevice(const OpenClLibrary& library, const OpenClDeviceInfo& info,
                           std::string_view source)
    : info_(info), api_(library.api()) {
  checkInfo();
  Status status = kSuccess;
  context_ = {api_.clCreateContext(nullptr, 1, &info_.id, nullptr, nullptr, &status),
              {api_.clReleaseContext}};
  if (status != kSuccess)
    throw EnvironmentError(label(info_) + " cannot be used: clCreateContext: " + statusText(status) +
                           "; see that its driver matches the system, or take another device");
  queue_ = makeQueue();
  build(source);
}

Owned OpenClDevice::makeQueue() const {
  Status status = kSuccess;
  Owned queue{api_.clCreateCommandQueue(context_.get(), info_.id, 0, &status), {api_.clReleaseCommandQueue}};
  require(status, "making a queue");
  return queue;
}

void OpenClDevice::checkInfo() const {
  if (!info_.usable)
    throw EnvironmentError(label(info_) + " is not available, or has no compiler; take another device");
  if (constexpr Index needed = CardTiles::kEdge * CardTiles::kEdge; info_.groupSize < needed)
    throw EnvironmentError(label(info_) + " takes work-groups of at most " + std::to_string(info_.groupSize) +
                           " items; the kernels need " + std::to_string(needed) + ": take another device");
  if (sizeof(Scalar) == sizeof(double) && !info_.doubles)
    throw EnvironmentError(label(info_) + " computes in single precision alone, and this build in double");
}

void OpenClDevice::build(std::string_view source) {
  Status status = kSuccess;
  const char* text = source.data();
  const std::size_t length = source.size();
  program_ = {api_.clCreateProgramWithSource(context_.get(), 1, &text, &length, &status),
              {api_.clReleaseProgram}};
  require(status, "taking the kernels' source");
  status = api_.clBuildProgram(program_.get(), 1, &info_.id, cardKernelOptions().c_str(), nullptr, nullptr);
  if (status != kSuccess) {
    std::size_t size = 0;
    (void)api_.clGetProgramBuildInfo(program_.get(), info_.id, BuildFact::log, 0, nullptr, &size);
    std::string log(size, '\0');
    (void)api_.clGetProgramBuildInfo(program_.get(), info_.id, BuildFact::log, size, log.data(), nullptr);
    throw EnvironmentError(label(info_) + " does not build the kernels: " + statusText(status) +
                           "; update its driver, or take another device. Its compiler says:\n" +
                           firstLines(log));
  }
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    kernels_[k] = {api_.clCreateKernel(program_.get(), kCardKernelNames[k], &status), {api_.clReleaseKernel}};
    if (status != kSuccess)
      throw EnvironmentError(label(info_) + " has no kernel '" + kCardKernelNames[k] +
                             "' in what it built: " + statusText(status) +
                             "; update its driver, or take another device");
  }
}

void OpenClDevice::require(Status status, const std::string& action) const {
  if (status == kSuccess) return;
  const bool full = status == kNoBuffer || status == kNoResources || status == kNoHostMemory;
  throw std::runtime_error(label(info_) + ": " + action + ": " + statusText(status) + (full ? kSmaller : ""));
}

void OpenClDevice::reserve(CardBuffer& buffer, std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, sizeof(Scalar));  // OpenCL has no empty buffers
  if (bytes <= buffer.bytes_) return;
  if (info_.largestBufferBytes > 0 && bytes > at(info_.largestBufferBytes))
    throw std::runtime_error(label(info_) + ": a matrix of " + std::to_string(bytes) +
                             " bytes is more than it allocates at once, at most " +
                             std::to_string(info_.largestBufferBytes) +
                             "; a smaller batch, or smaller fan-outs");
  buffer.memory_.reset();  // the queue keeps what its kernels still use
  heldBytes_ -= static_cast<std::int64_t>(buffer.bytes_);
  buffer.bytes_ = 0;
  Status status = kSuccess;
  buffer.memory_ = {api_.clCreateBuffer(context_.get(), kReadWrite, bytes, nullptr, &status),
                    {api_.clReleaseMemObject}};
  require(status, "allocating " + std::to_string(bytes) + " bytes");
  buffer.bytes_ = bytes;
  heldBytes_ += static_cast<std::int64_t>(bytes);
  ++allocations_;
}

void OpenClDevice::resize(CardMatrix& X, Index rows, Index cols) {
  constexpr Index kMost =
      std::numeric_limits<std::int32_t>::max();  // kernels count rows and columns in 32 bits
  HALO_CHECK(rows >= 0 && cols >= 0 && rows <= kMost && cols <= kMost);
  reserve(X.elements, at(rows * cols) * sizeof(Scalar));
  X.rows = rows;
  X.cols = cols;
}

void OpenClDevice::write(const Owned& queue, CardTraffic& traffic, CardBuffer& buffer, const void* from,
                         std::size_t bytes) {
  reserve(buffer, bytes);
  if (bytes == 0) return;
  require(api_.clEnqueueWriteBuffer(queue.get(), buffer.memory_.get(), kBlocking, 0, bytes, from, 0, nullptr,
                                    nullptr),
          "copying " + std::to_string(bytes) + " bytes to it");
  traffic.bytesUp += static_cast<std::int64_t>(bytes);
  ++traffic.copies;
}

void OpenClDevice::up(FirstRows X, CardMatrix& Y) {
  resize(Y, X.rows(), X.cols());
  writeTo(Y.elements, X.data(), at(X.size()) * sizeof(Scalar));
}

void OpenClDevice::up(std::span<const Vertex> vertices, CardBuffer& Y) {
  writeTo(Y, vertices.data(), vertices.size_bytes());
}

void OpenClDevice::up(const Csr& A, CardCsr& B) {
  if (A.nonzeros() > std::numeric_limits<std::int32_t>::max())
    throw std::runtime_error(label(info_) + ": a block of " + std::to_string(A.nonzeros()) +
                             " arcs is more than the kernels count" + kSmaller);
  B.rows = A.rows();
  B.cols = A.cols;
  B.nonzeros = A.nonzeros();
  B.weighted = A.weighted();
  resizeUndefined(B.staged, A.offsets.size());
  std::ranges::transform(A.offsets, B.staged.begin(), [](Index o) { return static_cast<std::int32_t>(o); });
  writeTo(B.offsets, B.staged.data(), B.staged.size() * sizeof(std::int32_t));
  writeTo(B.columns, A.columns.data(), A.columns.size() * sizeof(Vertex));
  writeTo(B.values, A.values.data(), A.values.size() * sizeof(Scalar));
  B.hubs = 0;
  for (Index row = 0; row < A.rows(); ++row)
    if (A.degree(row) > CardTiles::kHub) B.staged[at(B.hubs++)] = static_cast<std::int32_t>(row);
  writeTo(B.hubRows, B.staged.data(), at(B.hubs) * sizeof(std::int32_t));
}

void OpenClDevice::down(const CardMatrix& X, Matrix& Y) {
  Y.resize(X.rows, X.cols);
  if (Y.bytes() == 0) return;
  require(api_.clEnqueueReadBuffer(queue_.get(), X.elements.memory_.get(), kBlocking, 0, Y.bytes(), Y.data(),
                                   0, nullptr, nullptr),
          "copying " + std::to_string(Y.bytes()) + " bytes from it");
  traffic_.bytesDown += static_cast<std::int64_t>(Y.bytes());
  ++traffic_.copies;
}

void OpenClDevice::set(CardKernel kernel, UInt place, const CardBuffer& buffer) {
  set(kernel, place, &buffer);
}

void OpenClDevice::set(CardKernel kernel, UInt place, const CardBuffer* buffer) {
  const Handle memory = buffer == nullptr ? nullptr : buffer->memory_.get();
  setBytes(kernel, place, sizeof memory, &memory);
}

void OpenClDevice::setBytes(CardKernel kernel, UInt place, std::size_t size, const void* value) {
  require(api_.clSetKernelArg(kernels_[at(kernel)].get(), place, size, value),
          "argument " + std::to_string(place) + " of kernel '" + kCardKernelNames[at(kernel)] + "'");
}

void OpenClDevice::start(CardKernel kernel, Extent groups, Extent items) {
  const std::array<std::size_t, 2> all = {groups.x * items.x, groups.y * items.y}, group = {items.x, items.y};
  if (std::ranges::count(all, 0U) > 0) return;
  require(api_.clEnqueueNDRangeKernel(queue_.get(), kernels_[at(kernel)].get(), all.size(), nullptr,
                                      all.data(), group.data(), 0, nullptr, nullptr),
          std::string("starting kernel '") + kCardKernelNames[at(kernel)] + "'");
}

void OpenClDevice::finish() { require(api_.clFinish(queue_.get()), "waiting for it"); }

void CardLink::up(FirstRows X, CardMatrix& Y) {
  device_.resize(Y, X.rows(), X.cols());
  device_.write(queue_, traffic_, Y.elements, X.data(), at(X.size()) * sizeof(Scalar));
}

}  // namespace halo
